// Bad arguments that only JavaScript can pass, in every call that takes them. errors.test.mjs has those that C++ can
// pass, too, options.test.mjs the options.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

const { AttentionOnlyTransformer, init, MultiHeadAttention, Tensor, Transformer } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2 };
const good = Tensor.ones([2, 4, 5]);
const heads = Tensor.ones([2, 2, 4, 5]);
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };
const circular = [];
circular.push(circular);
const forty = new Float32Array(40);
const type = 'invalid-type';
const shape = 'invalid-shape';
const value = 'invalid-value';

const additive = (queries, keys, values, given = parameters, more) =>
  headwise.additiveAttention(queries, keys, values, given, more);
const pool = headwise.scaledDotProductAttention;

/** Values that are not tensors, masks and so on, their code, and the message behind the argument's name. */
const aTensor = (of) => `expected a tensor, { data, shape } or nested arrays of ${of}`;
const notAt = (of, ...values) =>
  values.map(([bad, got]) => [bad, type, `${aTensor(of)}, got ${got}`]);
const aShape = 'expected a shape of integers from 0 on';
const deep = [circular, shape, 'expected at most 8 axes, got deeper nesting'];
const undefinedOne = [undefined, 'undefined'];
/* eslint-disable no-sparse-arrays */
const noTensors = [
  ...notAt('numbers', [null, 'null'], undefinedOne, [3, '3'], ['X', '"X"']),
  ...notAt('numbers', [{ shape: [1] }, 'an object'], [forty, 'a typed array without a shape']),
  [{ data: null, shape: [2, 4, 5] }, type, 'expected data of numbers, got null'],
  [{ data: forty, shape: 40 }, type, 'expected a shape such as [2, 4, 100], got 40'],
  [{ data: forty, shape: [2, , 5] }, shape, `${aShape}, got undefined`],
  [
    { data: forty.subarray(1), shape: [2, 4, 5] },
    ...[shape, 'expected 40 numbers for shape (2, 4, 5), got 39'],
  ],
  [
    { data: forty, shape: [2 ** 52, 2 ** 52, 2 ** 52] },
    ...[
      shape,
      `expected ${2 ** 156} numbers for shape (${2 ** 52}, ${2 ** 52}, ${2 ** 52}), got 40`,
    ],
  ],
  [{ data: new Array(40).fill('1'), shape: [2, 4, 5] }, type, 'expected numbers, got "1"'],
  [{ data: new BigInt64Array(40), shape: [2, 4, 5] }, type, 'expected numbers, got 0n'],
  [[[[1, 2], [1]]], shape, 'expected arrays of length 2 at axis 2, got one of length 1'],
  [[[[1], 1]], type, 'expected arrays nested 3 deep, got 1'],
  [[[[1, [1]]]], type, 'expected numbers, got an array'],
  deep,
];
const integers = 'expected integers from 0 to 4, got';
/** Of two samples with four keys. */
const noLens = [
  ...notAt('integers', [null, 'null'], [3, '3'], ['32', '"32"']),
  [['3', '2'], type, 'expected integers, got "3"'],
  [[3, 2.5], value, `${integers} 2.5`],
  [[NaN, 2], value, `${integers} NaN`],
  [[3, Infinity], value, `${integers} Infinity`],
  // Wraps around to 3 in 64 bits.
  [[3n, 2n ** 64n + 3n], value, `${integers} 18446744073709552000`],
  [[[[1]], [[1]]], shape, 'expected (2,) or (2, 4), got (2, 1, 1)'],
  [{ data: [1, 2, 3], shape: [2] }, shape, 'expected 2 integers for shape (2,), got 3'],
];
const infinite = 'expected numbers below infinity, got';
const bits = 'expected integers 0 and 1, got';
const onlyBits =
  'expected booleans or an array of integers where 1 means may attend, or numbers to add to scores, got numbers that ' +
  'are all 0 or 1';
const noMasks = [
  ...notAt('numbers', [null, 'null'], ['causal', '"causal"'], [0, '0'], [() => true, 'a function']),
  ...notAt('numbers', [Float32Array.of(0, 0, 0, 0), 'a typed array without a shape']),
  ...notAt('booleans', [true, 'true']),
  ...notAt('integers 0 and 1', [Uint8Array.of(1, 1), 'a typed array without a shape']),
  [['1', '1', '1', '1'], type, 'expected numbers, got "1"'],
  [[1n, 1n, 1n, 1n], type, 'expected numbers, got 1n'],
  [[[true, 'false', true, true]], type, 'expected booleans, got "false"'],
  [[0, true, 0, 0], type, 'expected numbers, got true'],
  [{ data: Uint8Array.of(0, 1, 2, 1), shape: [4] }, value, `${bits} 2`],
  [{ data: BigInt64Array.of(0n, 1n, 2n ** 40n, 1n), dims: [4] }, value, `${bits} 1099511627776n`],
  [{ data: Uint16Array.of(0, 256, 1, 1), shape: [4] }, value, `${bits} 256`],
  [[[true, true, true, true], Uint8Array.of(1, 1, 1, 1)], type, 'expected booleans, got 1'],
  [[1, 0, 0, 1], value, onlyBits],
  [Tensor.ones([4]), value, onlyBits],
  [{ data: [true, true, true], shape: [4] }, shape, 'expected 4 booleans for shape (4,), got 3'],
  deep,
  [[0, NaN, 0, 0], value, `${infinite} NaN`],
  // float32 holds it as infinity.
  [{ data: Float64Array.of(0, 0, 1e39, 0), shape: [4] }, value, `${infinite} Infinity`],
];
const ones = [1, 1, 1, 1];
const bitsOrBooleans = 'expected booleans or 0 and 1, got';
/** Of two samples with four keys. */
const noKeyMasks = [
  ...notAt('booleans or 0 and 1', [null, 'null'], [true, 'true'], [1, '1'], ['11', '"11"']),
  [[ones, [1, '1', 1, 1]], type, `${bitsOrBooleans} "1"`],
  [[ones, [1, 2, 1, 1]], value, `${bitsOrBooleans} 2`],
  [
    { data: BigInt64Array.of(0n, 1n, -1n, 1n, 0n, 1n, 1n, 1n), dims: [2, 4] },
    value,
    `${bitsOrBooleans} -1n`,
  ],
  [Tensor.full([2, 4], 0.5), value, `${bitsOrBooleans} 0.5`],
];
const noGates = [
  ...notAt('numbers', [null, 'null'], [1, '1'], ['1', '"1"']),
  [BigInt64Array.of(1n, 1n), type, 'expected numbers, got 1n'],
  [[, 1], type, 'expected numbers, got undefined'],
  [[[[1, 1]], [[1, 1]]], shape, 'expected (2,) or (2, 2), got (2, 1, 2)'],
  [[], shape, 'expected (2,) or (2, 2), got (0,)'],
  [{ data: [1, 1, 1], shape: [2, 2] }, shape, 'expected 4 numbers for shape (2, 2), got 3'],
];
/* eslint-enable no-sparse-arrays */
const noCaches = [
  ...[
    [null, 'null'],
    [8, '8'],
    [{}, 'an object'],
  ],
  [{ batchSize: 2, maxLength: 8, length: 0 }, 'an object'],
  [new MultiHeadAttention(options), 'a MultiHeadAttention'],
].map(([bad, got]) => [bad, type, `expected one that createCache made, got ${got}`]);
const noDicts = [...[undefinedOne, [null, 'null'], ['W_q', '"W_q"'], [[good], 'an array']]].map(
  ([bad, got]) => [bad, type, `expected an object of tensors by name, got ${got}`],
);
const notOneOf = (expected) =>
  [undefined, null, 1.5, NaN, '1', 1n].map((bad) => [
    ...[bad, 'invalid-option'],
    `expected ${expected}, got ${typeof bad === 'string' ? '"1"' : typeof bad === 'bigint' ? '1n' : bad}`,
  ]);
const ofX = (which) => notOneOf(`a divisor of the ${which} axis of X (2)`);
const X = Tensor.ones([2, 2, 2]);

const inTurn = (call) => ({
  queries: (bad) => call(bad, good, good),
  keys: (bad) => call(good, bad, good),
  values: (bad) => call(good, good, bad),
});
/** By kind of argument: calls by the argument's name. */
const places = [
  [
    [null, 3, 'W_q'].map((bad) => [
      ...[bad, type, `expected { W_q, W_k, w_v }, got ${JSON.stringify(bad)}`],
    ]),
    { parameters: (bad) => additive(good, good, good, bad) },
  ],
  [
    noTensors,
    inTurn(additive),
    inTurn(pool),
    { scores: headwise.maskedSoftmax },
    ...['transposeQkv', 'transposeOutput', 'splitHeads'].map((name) => ({
      X: (bad) => headwise[name](bad, 1),
    })),
    Object.fromEntries(
      Object.keys(parameters).map((name) => [
        name,
        (bad) => additive(good, good, good, { ...parameters, [name]: bad }),
      ]),
    ),
  ],
  [
    noLens,
    { validLens: (bad) => headwise.maskedSoftmax(Tensor.ones([2, 4, 4]), bad) },
    { validLens: (bad) => pool(heads, heads, heads, { validLens: bad }) },
    { validLens: (bad) => additive(good, good, good, parameters, { validLens: bad }) },
  ],
  [
    noMasks,
    { mask: (mask) => pool(heads, heads, heads, { mask }) },
    { mask: (mask) => additive(good, good, good, parameters, { mask }) },
  ],
  [
    noKeyMasks,
    { keyMask: (keyMask) => pool(heads, heads, heads, { keyMask }) },
    { keyMask: (keyMask) => additive(good, good, good, parameters, { keyMask }) },
  ],
  [ofX('last'), { numHeads: (bad) => headwise.transposeQkv(X, bad) }],
  [ofX('first'), { numHeads: (bad) => headwise.transposeOutput(X, bad) }],
  [
    notOneOf('an integer from 1 to 2147483647'),
    { numHiddens: (bad) => headwise.positionalEncoding(4, bad) },
  ],
];
const sized = { ...options, querySize: 5, keySize: 5, valueSize: 5, seed: 3 };
const onLayers = [
  [
    noTensors,
    {
      queries: (layer, bad) => layer.forward(bad, good, good),
      keys: (layer, bad) => layer.forward(good, bad, good),
      values: (layer, bad) => layer.forward(good, good, bad),
      'W_q.weight': (layer, bad) => layer.loadStateDict({ 'W_q.weight': bad }),
    },
  ],
  [noLens, { validLens: (layer, validLens) => layer.forward(good, good, good, { validLens }) }],
  [noMasks, { mask: (layer, mask) => layer.forward(good, good, good, { mask }) }],
  [noKeyMasks, { keyMask: (layer, keyMask) => layer.forward(good, good, good, { keyMask }) }],
  [noGates, { headGate: (layer, headGate) => layer.forward(good, good, good, { headGate }) }],
  [noCaches, { cache: (layer, cache) => layer.forward(good, good, good, { cache }) }],
  [noCaches, { cache: (layer, cache) => layer.forward(good, null, null, { cache }) }],
  [noDicts, { stateDict: (layer, bad) => layer.loadStateDict(bad) }],
];

for (const [values, ...groups] of places) {
  for (const [argument, call] of groups.flatMap(Object.entries)) {
    test(`bad arguments: ${argument} in ${call}`, () => {
      for (const [bad, code, message] of values) {
        assertFails(() => call(bad), code, `${argument}: ${message}`);
      }
    });
  }
}
for (const [values, group] of onLayers) {
  for (const [argument, call] of Object.entries(group)) {
    test(`bad arguments leave a layer unchanged: ${argument} in ${call}`, () => {
      for (const [bad, code, message] of values) {
        assertFailsAndChangesNothing(
          argument === 'cache' ? sized : options,
          (layer) => call(layer, bad),
          code,
          `${argument}: ${message}`,
        );
      }
    });
  }
}

test('tensors of the wrong rank', () => {
  const flat = Tensor.ones([4, 5]);
  for (const [inputs, message] of [
    [[flat, good, good], 'keys: expected (keys, keySize), got (2, 4, 5)'],
    [[flat, flat, good], 'values: expected (4, valueSize), got (2, 4, 5)'],
    [[good, flat, flat], 'keys: expected (2, keys, keySize), got (4, 5)'],
    [[[], good, good], 'queries: expected (batch, queries, querySize), got (0,)'],
  ]) {
    const call = (layer) => layer.forward(...inputs);
    assertFailsAndChangesNothing(options, call, shape, message);
  }
  const ofHeads = '(batch, length, numHiddens)';
  for (const [call, name, expected] of [
    [headwise.maskedSoftmax, 'scores', '(batch, queries, keys)'],
    [(X) => pool(X, X, X), 'queries', '(batch, heads, queries, headSize)'],
    [(X) => additive(X, X, X), 'queries', '(batch, queries, querySize)'],
    [(X) => headwise.splitHeads(X, 1), 'X', ofHeads],
    [(X) => headwise.transposeQkv(X, 1), 'X', ofHeads],
    [(X) => headwise.transposeOutput(X, 1), 'X', '(batch · numHeads, length, headSize)'],
  ]) {
    assertFails(() => call(flat), shape, `${name}: expected ${expected}, got (4, 5)`);
  }
});

test('keys without values, values without keys', () => {
  const layer = new MultiHeadAttention(sized);
  const cache = layer.createCache({ batchSize: 2, maxLength: 8 });
  layer.forward(good, good, good, { cache });
  for (const [keys, values, message] of [
    [null, good, `keys: ${aTensor('numbers')}, got null`],
    [good, null, `values: ${aTensor('numbers')}, got null`],
    [undefined, undefined, `keys: ${aTensor('numbers')}, got undefined`],
    [null, undefined, `keys: ${aTensor('numbers')}, got null`],
  ]) {
    assertFails(() => layer.forward(good, keys, values, { cache }), type, message);
    assert.equal(cache.length, 4);
  }
  layer.dispose();
  // The cache can still be disposed of.
  cache.truncate(1);
  cache.reset();
  assert.equal(cache.length, 0);
  assert.ok(!cache.disposed);
  cache.dispose();
  assert.ok(cache.disposed);
});

const ofModel = { vocabularySize: 5, maxLength: 6, ...options, numLayers: 2, seed: 1 };
const translator = { ...ofModel, encoder: {} };
const patches = { imageSize: 4, patchSize: 2, channels: 1 };
const reader = { ...options, seed: 1, patches };
const attentionOnly = { ...ofModel, Model: AttentionOnlyTransformer, maxLength: 4 };
const tokens = [
  [1, 2, 3],
  [3, 2, 1],
];

test('options of models that exclude each other', () => {
  const windows = 'windows: expected one a layer (2), and no window beside them,';
  for (const [given, message] of [
    [{ ...ofModel, rotary: {} }, "rotary: expected positions 'rotary' beside it, got 'learned'"],
    [
      { ...ofModel, headSize: 2 ** 30, numHeads: 4 },
      `headSize: expected at most 2147483647 / numHeads, got ${2 ** 30}`,
    ],
    // Each side by itself: the encoder's heads are its own.
    [
      { ...ofModel, headSize: 4, encoder: { numHeads: 2 ** 30 } },
      'headSize: expected at most 2147483647 / encoder.numHeads, got 4',
    ],
    [
      { ...ofModel, positions: 'rotary', rotary: { size: 4 }, encoder: { numHeads: 4 } },
      'rotary.size: expected an even integer from 2 to the head size (2), got 4',
    ],
    [
      { ...reader, patches: { ...patches, patchSize: 3 } },
      'patches.imageSize: expected a multiple of patches.patchSize (3), got 4',
    ],
    ...['vocabularySize', 'maxLength', 'segments'].map((name) => [
      { ...reader, [name]: 3 },
      `${name}: expected none beside patches, got 3`,
    ]),
    [{ ...reader, encoder: {} }, 'encoder: expected none beside patches, got both'],
    ...[{ paddingToken: 5 }, { positionOffset: 0 }, { causal: true }].map((given) => [
      { ...ofModel, paddingToken: 1, positionOffset: 2, causal: false, ...given },
      'paddingToken: expected a token, with learned positions, a positionOffset and no causality, got ' +
        (given.paddingToken ?? 1),
    ]),
    ...['parallelResidual', 'postNorms'].map((name) => [
      { ...ofModel, [name]: true, normFirst: false },
      `${name}: expected normFirst beside it, got norms after the sums`,
    ]),
    [
      { ...translator, parallelResidual: true },
      'parallelResidual: expected no encoder beside it, got both',
    ],
    [{ ...ofModel, windows: [[0, 1], null, null] }, `${windows} got 3`],
    [{ ...ofModel, windows: [null, null], window: [1, 1] }, `${windows} got both`],
    [{ ...ofModel, windows: 3 }, 'windows: expected a list of windows, got 3'],
    [
      { ...ofModel, windows: [null, [0, -1]] },
      'windows: expected two integers from 0 on or Infinity, got -1',
    ],
    [
      { ...ofModel, positions: 'rotary', rotary: { scaling: { type: 'yarn', factor: 2 } } },
      'rotary.scaling.originalLength: expected a finite number above 0, got undefined',
    ],
    [{ ...reader, head: true }, 'head: expected none beside patches, got true'],
    [{ ...ofModel, numHeads: 3 }, 'numHeads: expected a divisor of numHiddens (8), got 3'],
    [
      { ...ofModel, optimizer: { learningRate: -1 } },
      'learningRate: expected a finite number from 0 on, got -1',
    ],
  ]) {
    assertFails(() => new Transformer(given), 'invalid-option', message);
  }
});

const afterForward = (grad) => (model) => {
  model.forward(tokens, { requiresGrad: true });
  model.backward(grad);
};
const headless = { ...ofModel, head: false };
/** Options of a model, a call on it that must fail and leave it unchanged, and the error. */
const passes = [
  [
    ...[ofModel, afterForward({}), 'invalid-option'],
    'backward: expected a gradient of hidden or logits, got none',
  ],
  [
    ...[headless, afterForward({ logits: Tensor.ones([2, 3, 5]) }), 'invalid-option'],
    'logits: expected none for a model without, got a gradient',
  ],
  [
    ...[headless, (model) => model.loss(tokens, tokens), 'invalid-option'],
    'targets: expected a model that has logits, got one without',
  ],
  ...[
    [ofModel, { source: tokens }, 'source: expected none without an encoder, got tokens'],
    [translator, {}, "source: expected the encoder's tokens, got none"],
    [
      ofModel,
      { sourceValidLens: [1, 1] },
      'sourceValidLens: expected a source beside them, got none',
    ],
    [ofModel, { sourceKeyMask: [[1]] }, 'sourceKeyMask: expected a source beside it, got none'],
    [
      ofModel,
      { keyMask: [[1, 1]] },
      'keyMask: expected (batch, keys), here (2, 3), got (1, 2)',
      shape,
    ],
    [
      ...[translator, { source: tokens, sourceKeyMask: [[1, 1, 1]] }],
      ...['sourceKeyMask: expected (batch, keys), here (2, 3), got (1, 3)', shape],
    ],
    [
      ...[
        { ...ofModel, maxLength: 2 },
        {
          keyMask: [
            [0, 1, 1],
            [1, 1, 1],
          ],
        },
      ],
      ...['tokens: expected at most maxLength (2) without padding, got 3', shape],
    ],
    [ofModel, { segments: tokens }, 'segments: expected none for a model without, got segments'],
    [translator, { source: [[1]] }, 'source: expected (2, source length), got (1, 1)', shape],
    [translator, { source: [[1], [5]] }, 'source: expected integers from 0 to 4, got 5', value],
    [
      ...[translator, { source: tokens, sourceValidLens: [1, 4] }],
      ...['sourceValidLens: expected integers from 0 to 3, got 4', value],
    ],
    [
      ...[{ ...ofModel, segments: 2 }, { segments: tokens }],
      ...['segments: expected integers from 0 to 1, got 2', value],
    ],
    [
      ...[ofModel, { crossHeadGates: [[1, 1]] }],
      ...['crossHeadGates: expected one a layer (0) or none, got 1', shape],
    ],
    [ofModel, { headGates: [X] }, 'headGates: expected one a layer (2) or none, got 1', shape],
    [
      ...[ofModel, { headGates: [undefined, [1, 1, 1]] }],
      ...['headGates[1]: expected (2,) or (2, 2), got (3,)', shape],
    ],
    [ofModel, { headGates: 1 }, 'headGates: expected an array of gates, got 1', type],
    [ofModel, { headGates: [null, [1, 1]] }, /^headGates\[0\]: expected a tensor/, type],
  ].flatMap(([given, pass, message, code = 'invalid-option']) => [
    [given, (model) => model.forward(tokens, pass), code, message],
    [given, (model) => model.loss(tokens, tokens, pass), code, message],
  ]),
  [
    reader,
    (model) => model.forward(tokens),
    shape,
    'pixels: expected (batch, 1, 4, 4), got (2, 3)',
  ],
  [
    ...[reader, (model) => model.forward(Tensor.ones([1, 5, 4])), shape],
    'pixels: expected (1, 4, 4), got (1, 5, 4)',
  ],
  ...[
    [(model) => model.forward(3), type, `tokens: ${aTensor('integers')}, got 3`],
    [(model) => model.forward([[[0]]]), shape, 'tokens: expected (batch, length), got (1, 1, 1)'],
    [(model) => model.forward([[0.5]]), value, 'tokens: expected integers from 0 to 4, got 0.5'],
    [(model) => model.loss(tokens), type, /^targets: expected a tensor/],
    ...['loss', 'lossAndGradients', 'trainStep'].flatMap((pass) =>
      [
        [[[0, -1]], [[0, 0]], value, 'tokens: expected integers from 0 to 4, got -1'],
        [[[0, 5]], [[0, 0]], value, 'tokens: expected integers from 0 to 4, got 5'],
        [
          ...[[[0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0]], shape],
          'tokens: expected (batch, length), length at most maxLength (4), got (1, 5)',
        ],
        [tokens, [[0, 0]], shape, 'targets: expected (2, 3), got (1, 2)'],
        [[[0, 1]], [[0, 5]], value, 'targets: expected integers from -1 to 4, got 5'],
        [[[0, 1]], [[0, -2]], value, 'targets: expected integers from -1 to 4, got -2'],
      ].map(([given, asked, ...error]) => [(model) => model[pass](given, asked), ...error]),
    ),
    [
      ...[(model) => (model.learningRate = -1), 'invalid-option'],
      'learningRate: expected a finite number from 0 on, got -1',
    ],
    [
      (model) => model.loadStateDict({ ...model.stateDict(), extra: good, 'position.weight': X }),
      ...['invalid-state-dict', /^stateDict: unexpected extra, position\.weight$/],
    ],
    [
      ...[(model) => model.trainStep(tokens, tokens, null), type],
      'optimizer: expected an SGD or an Adam, got null',
    ],
    [(model) => model.loadStateDict([]), type, `stateDict: ${noDicts[3][2]}`],
    ...[
      [{ 0: [1], 1: [2] }, 'heads[1]: expected integers from 0 to 1, got 2'],
      [{ 0: [1], 1: ['1'] }, 'heads[1]: expected integers from 0 to 1, got "1"'],
      [{ 0: [1], 2: [0] }, 'heads: expected layers from 0 to 1, got 2'],
      [{ 0: [1], '01': [0] }, 'heads: expected layers from 0 to 1, got 01'],
      [{ 0: 1 }, 'heads[0]: expected an array of integers, got 1', type],
      [[[1]], 'heads: expected an object of lists of heads by name, got an array', type],
    ].map(([bad, message, code = 'invalid-option']) => [
      ...[(model) => model.pruneHeads(bad), code, message],
    ]),
  ].map((row) => [attentionOnly, ...row]),
];

test('bad passes leave a model unchanged', () => {
  for (const [{ Model = Transformer, ...given }, call, code, message] of passes) {
    const [model, twin] = [0, 1].map(() => new Model(given));
    assertFails(() => call(model), code, message);
    assert.deepEqual(model.numHeads, twin.numHeads);
    assert.equal(model.learningRate, twin.learningRate);
    assert.deepEqual(model.stateDict(), twin.stateDict());
    assert.deepEqual(model.gradients(), twin.gradients());
  }
});

test('caches of another model, of another batch size, disposed of, or older than pruning', () => {
  const [model, other] = [0, 1].map(() => new Transformer(ofModel));
  const cache = model.createCache({ batchSize: 2, maxLength: 4 });
  let held = 0;
  const fails = (given, input, code, message, on = model) => {
    assertFails(() => on.forward(input, given), code, message);
    assert.equal(cache.length, held);
  };
  for (const [bad, got] of [
    [null, 'null'],
    [8, '8'],
    [{}, 'an object'],
    [model.attention(0).createCache({ batchSize: 2, maxLength: 4 }), 'a KeyValueCache'],
  ]) {
    const message = `cache: expected one that the model's createCache made, got ${got}`;
    fails({ cache: bad }, tokens, type, message);
  }
  const invalid = 'invalid-cache';
  const another = "cache: expected one that this model made, got another model's";
  fails({ cache }, tokens, invalid, another, other);
  fails({ cache }, [1], invalid, 'cache: expected a batch size of 1, got 2');
  const both = 'requiresGrad: expected no cache beside it, got both';
  fails({ cache, requiresGrad: true }, tokens, 'invalid-option', both);
  model.forward(tokens, { cache });
  held = 3;
  model.pruneHeads({ 0: [1] });
  const older = 'cache: expected one made since heads were pruned, got an older one';
  fails({ cache }, [[1], [2]], invalid, older);
  cache.dispose();
  const disposed = 'cache: expected one in use, got one that was disposed of';
  fails({ cache }, [[1], [2]], 'disposed', disposed);
});

const adam = (trainable) => new headwise.Adam(trainable);
/** Calls on objects, and their read-only properties. */
const subjects = {
  layer: [
    () => new MultiHeadAttention(sized),
    [
      ...[(layer) => layer.forward(good, good, good), (layer) => layer.forward()],
      ...[(layer) => layer.train(), (layer) => layer.eval(), (layer) => layer.stateDict()],
      ...[(layer) => layer.loadStateDict({}), (layer) => layer.backward(good), adam],
      ...[(layer) => layer.gradients(), (layer) => layer.zeroGradients()],
      ...[
        (layer) => layer.pruneHeads([]),
        (layer) => layer.createCache({ batchSize: 1, maxLength: 1 }),
      ],
    ],
    [
      ...['numHiddens', 'numHeads', 'numKvHeads', 'outputSize', 'pooling', 'projection'],
      ...['dropout', 'bias', 'outputBias', 'seed', 'querySize', 'training'],
    ],
  ],
  model: [
    () => new AttentionOnlyTransformer(ofModel),
    [
      ...[(model) => model.forward(tokens), (model) => model.forward(), (model) => model.train()],
      ...[(model) => model.loss(tokens, tokens), (model) => model.lossAndGradients(tokens, tokens)],
      ...[(model) => model.trainStep(tokens, tokens), (model) => model.eval(), adam],
      ...[(model) => model.stateDict(), (model) => model.loadStateDict({})],
      ...[(model) => model.gradients(), (model) => model.zeroGradients()],
      ...[(model) => model.pruneHeads({}), (model) => (model.learningRate = 1)],
    ],
    ['vocabularySize', 'maxLength', 'numLayers', 'numHeads', 'training', 'seed'],
  ],
  cache: [
    () => new MultiHeadAttention(sized).createCache({ batchSize: 2, maxLength: 8 }),
    [(cache) => cache.truncate(0), (cache) => cache.reset()],
    ['batchSize', 'maxLength', 'length'],
  ],
  'model cache': [
    () => new Transformer(ofModel).createCache({ batchSize: 2, maxLength: 4 }),
    [(cache) => cache.truncate(0), (cache) => cache.reset()],
    ['batchSize', 'maxLength', 'length'],
  ],
  'resident tensor': [
    () => new headwise.ResidentTensor([2, 4, 5]),
    [
      ...[(X) => X.data, (X) => X.at(0, 0, 0)],
      (X) => new MultiHeadAttention(sized).forward(X, good, good),
      (X) => new MultiHeadAttention(sized).forward(good, good, good, { out: { output: X } }),
    ],
    [],
  ],
  optimizer: [
    () => new headwise.SGD(new MultiHeadAttention(sized)),
    [
      ...[(optimizer) => optimizer.step(), (optimizer) => optimizer.zeroGradients()],
      (optimizer) => (optimizer.learningRate = 1),
    ],
    ['disposed'],
  ],
};

for (const [name, [make, calls, properties]] of Object.entries(subjects)) {
  test(`using a disposed ${name} is an error, and its properties are read-only`, () => {
    const subject = make();
    assert.notEqual(subject.disposed, true);
    for (const property of properties) {
      const before = subject[property];
      assert.throws(() => (subject[property] = 1), TypeError, property);
      assert.deepEqual(subject[property], before, property);
    }
    subject.dispose();
    subject.dispose();
    subject[Symbol.dispose]();
    if (!/^(cache|resident tensor)$/.test(name)) assert.equal(subject.disposed, true);
    for (const call of calls) {
      const message = `${name.split(' ').at(-1)}: expected one in use, got one that was disposed of`;
      assertFails(() => call(subject), 'disposed', message);
    }
  });
}
