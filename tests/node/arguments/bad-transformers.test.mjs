// Bad options and arguments of transformers. What C++ can get wrong too has the words of validation_models.cpp.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Tensor, Transformer } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();

const options = {
  vocabularySize: 5,
  maxLength: 6,
  numHiddens: 8,
  numHeads: 2,
  numLayers: 2,
  seed: 1,
};
const patches = { imageSize: 4, patchSize: 2, channels: 1 };
const reader = { numHiddens: 8, numHeads: 2, seed: 1, patches };
const notNumbers = ['1', null, 1n, true, [1], {}];
const size = 'an integer from 1 to 2147483647';
const count = 'an integer from 0 to 2147483647';

/** Checks that each of the values fails, wherever in the options it stands. */
function assertEachFails(
  name,
  values,
  expected,
  make = (value) => ({ ...options, [name]: value }),
) {
  for (const value of values) {
    assert.throws(
      () => new Transformer(make(value)),
      ({ code, message }) =>
        code === 'invalid-option' && message.startsWith(`${name}: expected ${expected}, got `),
      `${name} ${String(value)}`,
    );
  }
}

test('options of the constructor name the argument, what was expected and what came', () => {
  const noSizes = [0, -1, 2.5, NaN, Infinity, 2 ** 31, ...notNumbers];
  for (const name of [
    'vocabularySize',
    'maxLength',
    'numHiddens',
    'numHeads',
    'numLayers',
    'numKvHeads',
    'headSize',
  ]) {
    assertEachFails(name, noSizes, size);
  }
  for (const name of ['ffnHiddens', 'segments', 'positionOffset']) {
    assertEachFails(name, [-1, 2.5, NaN, Infinity, 2 ** 31, ...notNumbers], count);
  }
  for (const name of [
    ...['gated', 'normFirst', 'normBias', 'finalNorm', 'embeddingNorm', 'bias', 'qkvBias'],
    ...['tiedEmbeddings', 'logitsBias', 'head', 'causal'],
  ]) {
    assertEachFails(name, [0, 1, 'true', null], 'true or false');
  }
  const words = ['', 'Relu', 'rotary ', ...notNumbers];
  assertEachFails('activation', words, "'relu', 'gelu', 'gelu-tanh' or 'silu'");
  assertEachFails('norm', words, "'layer', 'rms' or 'none'");
  assertEachFails(
    'positions',
    words,
    "'sinusoidal', 'learned', 'rotary', 'none' or 'sinusoidal-halves'",
  );
  assertEachFails('normEpsilon', [-1, NaN, Infinity, ...notNumbers], 'a finite number from 0 on');
  assertEachFails('embeddingScale', [NaN, -Infinity, ...notNumbers], 'a finite number');
  assertEachFails('dropout', [-0.1, 1.1, NaN, ...notNumbers], 'a number from 0 to 1');
  assertEachFails(
    'window',
    [null, 3, [1], [1, -1], [0.5, 1]],
    'two integers from 0 on or Infinity',
  );
  const inEncoder = (name) => (value) => ({ ...options, encoder: { [name]: value } });
  assertEachFails('encoder.numLayers', noSizes, size, inEncoder('numLayers'));
  assertEachFails('encoder.numHeads', noSizes, size, inEncoder('numHeads'));
  assertEachFails('encoder.ffnHiddens', [-1, 0.5, ...notNumbers], count, inEncoder('ffnHiddens'));
  const inPatches = (name) => (value) => ({ ...reader, patches: { ...patches, [name]: value } });
  for (const name of ['imageSize', 'patchSize', 'channels']) {
    assertEachFails(`patches.${name}`, noSizes, size, inPatches(name));
  }
  assertEachFails('patches.classToken', [0, 'yes', null], 'true or false', inPatches('classToken'));
});

test('options that exclude each other', () => {
  const fails = (given, message) =>
    assertFails(() => new Transformer(given), 'invalid-option', message);
  fails({ ...options, numHeads: 3 }, 'numHeads: expected a divisor of numHiddens (8), got 3');
  fails({ ...options, rotary: {} }, "rotary: expected positions 'rotary' beside it, got 'learned'");
  fails(
    { ...options, encoder: { numHeads: 3 } },
    'encoder.numHeads: expected a divisor of numHiddens (8), got 3',
  );
  fails(
    { ...options, headSize: 2 ** 30, numHeads: 4 },
    `headSize: expected at most 2147483647 / numHeads, got ${2 ** 30}`,
  );
  fails(
    { ...reader, patches: { ...patches, patchSize: 3 } },
    'patches.imageSize: expected a multiple of patches.patchSize (3), got 4',
  );
  for (const name of ['vocabularySize', 'maxLength', 'segments']) {
    fails({ ...reader, [name]: 3 }, `${name}: expected none beside patches, got 3`);
  }
  fails({ ...reader, encoder: {} }, 'encoder: expected none beside patches, got an object');
  fails({ ...reader, head: true }, 'head: expected none beside patches, got true');
  for (const [argument, given] of [
    ['options', { ...options, layers: 3 }],
    ['encoder', { ...options, encoder: { layers: 3 } }],
    ['patches', { ...reader, patches: { ...patches, layers: 3 } }],
  ]) {
    assert.throws(() => new Transformer(given), {
      code: 'unknown-option',
      message: new RegExp(`^${argument}: expected only .*, got layers$`),
    });
  }
});

/** A call that must fail and leave the model as it was. */
function onModel(given, call, code, message) {
  const [model, twin] = [0, 1].map(() => new Transformer(given));
  assertFails(() => call(model), code, message);
  assert.deepEqual(model.stateDict(), twin.stateDict());
  assert.deepEqual(model.gradients(), twin.gradients());
  [model, twin].forEach((each) => each.dispose());
}

const tokens = [
  [1, 2, 3],
  [3, 2, 1],
];

test('what passes are given', () => {
  const translator = { ...options, encoder: {} };
  const fails = (given, pass, code, message) => {
    const input = given.patches ? Tensor.ones([2, 1, 4, 4]) : tokens;
    onModel(given, (model) => model.forward(input, pass), code, message);
    if (!given.patches) onModel(given, (model) => model.loss(tokens, tokens, pass), code, message);
  };
  fails(
    options,
    { source: tokens },
    'invalid-option',
    'source: expected none without an encoder, got tokens',
  );
  fails(translator, {}, 'invalid-option', "source: expected the encoder's tokens, got none");
  fails(
    options,
    { sourceValidLens: [1, 1] },
    'invalid-option',
    'sourceValidLens: expected a source beside them, got none',
  );
  fails(
    translator,
    { source: [[1]] },
    'invalid-shape',
    'source: expected (2, source length), got (1, 1)',
  );
  fails(
    translator,
    { source: [1] },
    'invalid-shape',
    'source: expected (2, source length), got (1,)',
  );
  fails(
    translator,
    { source: [[1], [5]] },
    'invalid-value',
    'source: expected integers from 0 to 4, got 5',
  );
  fails(
    translator,
    { source: tokens, sourceValidLens: [1, 4] },
    'invalid-value',
    'sourceValidLens: expected integers from 0 to 3, got 4',
  );
  fails(
    options,
    { segments: tokens },
    'invalid-option',
    'segments: expected none for a model without, got segments',
  );
  fails(
    { ...options, segments: 2 },
    { segments: tokens },
    'invalid-value',
    'segments: expected integers from 0 to 1, got 2',
  );
  fails(
    options,
    { crossHeadGates: [[1, 1]] },
    'invalid-shape',
    'crossHeadGates: expected one a layer (0) or none, got 1',
  );
  onModel(
    reader,
    (model) => model.forward(tokens),
    'invalid-shape',
    'pixels: expected (batch, 1, 4, 4), got (2, 3)',
  );
  onModel(
    reader,
    (model) => model.forward(Tensor.ones([1, 5, 4])),
    'invalid-shape',
    'pixels: expected (1, 4, 4), got (1, 5, 4)',
  );
});

test('caches of another model, of another batch size, full, disposed of, or older than pruning', () => {
  const [model, other] = [0, 1].map(() => new Transformer(options));
  const cache = model.createCache({ batchSize: 2, maxLength: 4 });
  const fails = (given, input, code, message) => {
    assertFails(() => model.forward(input, given), code, message);
    assert.equal(cache.length, cache.disposed ? 3 : 3 * Number(isFilled));
  };
  let isFilled = false;
  for (const [bad, got] of [
    [null, 'null'],
    [8, '8'],
    [{}, 'an object'],
    [model.attention(0).createCache({ batchSize: 2, maxLength: 4 }), 'an object'],
  ]) {
    const message = `cache: expected one that the model's createCache made, got ${got}`;
    fails({ cache: bad }, tokens, 'invalid-type', message);
  }
  assertFails(
    () => other.forward(tokens, { cache }),
    'invalid-cache',
    "cache: expected one that this model made, got another model's",
  );
  fails({ cache }, [1], 'invalid-cache', 'cache: expected a batch size of 1, got 2');
  fails(
    { cache, requiresGrad: true },
    tokens,
    'invalid-option',
    'requiresGrad: expected no cache beside it, got both',
  );
  model.forward(tokens, { cache });
  isFilled = true;
  fails(
    { cache },
    [
      [1, 2],
      [2, 1],
    ],
    'cache-full',
    'cache: expected room for 2 positions, got 1 of 4',
  );
  model.pruneHeads({ 0: [1] });
  fails(
    { cache },
    [[1], [2]],
    'invalid-cache',
    'cache: expected one made since heads were pruned, got an older one',
  );
  cache.dispose();
  fails(
    { cache },
    [[1], [2]],
    'disposed',
    'cache: expected one in use, got one that was disposed of',
  );
  assertFails(
    () =>
      new Transformer({ ...options, causal: false }).createCache({ batchSize: 1, maxLength: 1 }),
    'invalid-option',
    'createCache: expected a causal model, got another',
  );
  [model, other].forEach((each) => each.dispose());
});
