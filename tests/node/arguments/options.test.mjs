// The options of every call: unknown ones, wrong types and ranges are errors; undefined means the default.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertRejects } from '../lib/compare.mjs';

await headwise.init();
const { AttentionOnlyTransformer, MultiHeadAttention, Tensor, Transformer } = headwise;

const X = Tensor.randn([2, 3, 4], 1);
const heads = Tensor.randn([1, 2, 3, 4], 1);
const parameters = { W_q: Tensor.ones([2, 4]), W_k: Tensor.ones([2, 4]), w_v: Tensor.ones([1, 2]) };
const sizes = { querySize: 4, keySize: 4, valueSize: 4 };
const ofLayer = { numHiddens: 4, numHeads: 2, seed: 1 };
const ofModel = { vocabularySize: 5, maxLength: 6, ...ofLayer };
const ofPatches = { imageSize: 4, patchSize: 2 };
const newLayer = (more) => new MultiHeadAttention({ ...ofLayer, ...more });
const newModel = (more) => new Transformer({ ...ofModel, ...more });
const passOfLayer = (options) => new MultiHeadAttention(options).forward(X, X, X);
const passOfModel = (options) => new Transformer(options).forward([1, 2, 3]);

const notNumbers = ['1', null, 1n, true, [1], {}];
const noIntegers = [2.5, NaN, Infinity, ...notNumbers];
const noSides = [1.5, NaN, -Infinity, -1, 2 ** 53, '1', null, undefined, 1n, true];

/** Wrong values of each kind, and what the error expects. */
const kinds = {
  size: [[0, -1, 2 ** 31, ...noIntegers], 'an integer from 1 to 2147483647'],
  count: [[-1, 2 ** 31, ...noIntegers], 'an integer from 0 to 2147483647'],
  seed: [[-1, 2 ** 53, ...noIntegers], 'an integer from 0 to 9007199254740991'],
  number: [[NaN, -Infinity, 1e39, ...notNumbers], 'a finite number'],
  positive: [[-1, NaN, Infinity, 1e39, ...notNumbers], 'a finite number from 0 on'],
  probability: [[-0.1, 1.1, NaN, ...notNumbers], 'a number from 0 to 1'],
  boolean: [[0, 1, 'true', null], 'true or false'],
  alignment: [['top-left', 'true', 'bottom_right', null, 0, 1], "true, false or 'bottom-right'"],
  window: [
    [
      ...[null, 3, 'all', true, {}, { left: 1, right: 1 }, [], [1], [1, 1, 1], Int32Array.of(1, 1)],
      ...noSides.flatMap((bad) => [
        [bad, 1],
        [1, bad],
      ]),
    ],
    'two integers from 0 on or Infinity',
  ],
};
const optionNames = (text) => text.split(' ');
/** Wrong values of an option that is one of these words, and what the error expects. */
const oneOf = (...words) => {
  const quoted = words.map((word) => `'${word}'`);
  return [
    [words[0].toUpperCase(), `${words[0]} `, '', ...notNumbers],
    `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
  ];
};

const masks = 'validLens mask keyMask causal window emptyRows';
const results = 'returnWeights weightsStage out';
const typesOfMasks = {
  alignment: 'causal',
  window: 'window',
  boolean: 'returnWeights',
  words: {
    emptyRows: oneOf('zero', 'uniform'),
    weightsStage: oneOf('raw', 'softcap', 'masked', 'softmax'),
  },
};
const shared = 'dropout bias outputBias querySize keySize valueSize outputSize outputProjection';
const ofLayerOnly =
  'numKvHeads pooling attentionHiddens projection scale softcap rotary biasKv zeroAttention weights seed';
const known = `numHiddens numHeads ${shared} ${ofLayerOnly}`;
const inputsOfModel =
  'validLens keyMask segments source sourceValidLens sourceKeyMask headGates crossHeadGates encoderHeadGates';
const optimizing = 'learningRate betas epsilon weightDecay';
const weights = oneOf('float32', 'float16', 'int8', 'int4');
const steps = (optimizer, model = newModel()) =>
  [1, 2].map(() => model.trainStep([1, 2], [2, 3], optimizer?.(model)));
const task = (Task, base) => ({
  known: Object.keys(base).join(' '),
  size: Object.keys(base).join(' '),
  base,
  call: (options) => new Task(options).batch(1, 2),
});
const batches = [{ tokens: [[1, 2]], targets: [[2, 3]] }];
const inputs = { queries: X, keys: X, values: X };

/**
 * By name: known options, required ones (`base`), the call, and the options of each type. Errors call the options
 * `argument`.
 */
const calls = {
  'new MultiHeadAttention': {
    known,
    base: ofLayer,
    call: passOfLayer,
    size: 'numHiddens numHeads querySize keySize valueSize outputSize numKvHeads attentionHiddens',
    seed: 'seed',
    number: 'scale',
    positive: 'softcap',
    probability: 'dropout',
    boolean: 'bias outputProjection outputBias biasKv zeroAttention',
    words: {
      pooling: oneOf('dot-product', 'additive'),
      projection: oneOf('linear', 'convolution', 'none'),
      weights,
    },
  },
  'rotary of a layer': {
    known: 'base size interleaved',
    base: { base: 10000 },
    argument: 'rotary',
    call: (rotary) => passOfLayer({ ...ofLayer, rotary }),
    boolean: 'interleaved',
  },
  'scaling of rotary positions': {
    known: 'type factor originalLength slowTurns fastTurns truncate attentionFactor',
    base: { type: 'yarn', factor: 2, originalLength: 8 },
    argument: 'rotary.scaling',
    call: (scaling) => passOfModel({ ...ofModel, positions: 'rotary', rotary: { scaling } }),
    boolean: 'truncate',
    words: { type: oneOf('linear', 'llama3', 'yarn') },
  },
  fromStateDict: {
    known: `${known} prefix`,
    base: { numHeads: 2, seed: 1 },
    call: (options) =>
      MultiHeadAttention.fromStateDict(newLayer(sizes).stateDict(), options).forward(X, X, X),
  },
  createCache: {
    known: 'batchSize maxLength precision',
    base: { batchSize: 2, maxLength: 8 },
    call: (options) => newLayer(sizes).createCache(options).length,
    size: 'batchSize maxLength',
    words: { precision: oneOf('float32', 'float16', 'int8') },
  },
  forward: {
    known: `${masks} ${results} headGate cache positions keyMass capture requiresGrad`,
    call: (options) => newLayer().forward(X, X, X, options),
    ...typesOfMasks,
    boolean: 'returnWeights keyMass requiresGrad',
  },
  'out of forward': {
    known: 'output attentionWeights',
    argument: 'out',
    call: (out) => newLayer().forward(X, X, X, { out, returnWeights: true }),
  },
  'returnWeights of forward': {
    known: 'heads queries',
    argument: 'returnWeights',
    call: (returnWeights) => newLayer().forward(X, X, X, { returnWeights }),
  },
  scaledDotProductAttention: {
    known: `${masks} ${results} queryOffset scale softcap`,
    call: (options) => headwise.scaledDotProductAttention(heads, heads, heads, options),
    ...typesOfMasks,
    count: 'queryOffset',
    number: 'scale',
    positive: 'softcap',
  },
  additiveAttention: {
    known: `${masks} ${results} queryOffset`,
    call: (options) => headwise.additiveAttention(X, X, X, parameters, options),
    ...typesOfMasks,
    count: 'queryOffset',
  },
  maskedSoftmax: {
    known: 'emptyRows out',
    call: (options) => headwise.maskedSoftmax(X, undefined, options),
    words: { emptyRows: typesOfMasks.words.emptyRows },
  },
  patternScores: {
    known: 'causal',
    call: (options) =>
      headwise.patternScores(headwise.maskedSoftmax(Tensor.ones([2, 3, 3])), options),
  },
  'new AttentionOnlyTransformer': {
    known:
      'vocabularySize maxLength numHiddens numHeads numLayers positions causal layerNorm bias dropout weights seed optimizer',
    base: ofModel,
    call: (options) => new AttentionOnlyTransformer(options).forward([1, 2, 3]),
    size: 'vocabularySize maxLength numHiddens numHeads numLayers',
    boolean: 'causal layerNorm bias',
    words: { positions: oneOf('sinusoidal', 'learned') },
  },
  'new Transformer': {
    known:
      'vocabularySize maxLength numHiddens numLayers numHeads numKvHeads headSize ffnHiddens activation gated norm ' +
      'normFirst parallelResidual postNorms normEpsilon normBias finalNorm embeddingNorm logitsSoftcap windows ' +
      'positions positionOffset paddingToken rotary qkNorm ' +
      'embeddingScale bias qkvBias ffnBias tiedEmbeddings logitsBias head segments causal window softcap scale scaleByLayer encoder patches dropout weights ' +
      'seed optimizer',
    base: ofModel,
    call: passOfModel,
    size: 'vocabularySize maxLength numHiddens numHeads numLayers numKvHeads headSize',
    count: 'ffnHiddens segments positionOffset',
    number: 'embeddingScale',
    positive: 'normEpsilon logitsSoftcap',
    probability: 'dropout',
    boolean:
      'gated normFirst parallelResidual postNorms normBias finalNorm embeddingNorm qkNorm bias qkvBias ffnBias scaleByLayer ' +
      'tiedEmbeddings logitsBias head causal',
    window: 'window',
    words: {
      activation: oneOf('relu', 'gelu', 'gelu-tanh', 'silu'),
      norm: oneOf('layer', 'rms', 'none'),
      positions: oneOf('sinusoidal', 'learned', 'rotary', 'none', 'sinusoidal-halves'),
    },
  },
  'encoder of a Transformer': {
    known: 'numLayers numHeads ffnHiddens',
    argument: 'encoder',
    call: (encoder = {}) => newModel({ encoder }).forward([1, 2], { source: [3] }),
    size: 'numLayers numHeads',
    count: 'ffnHiddens',
  },
  'patches of a Transformer': {
    known: 'imageSize patchSize channels classToken',
    base: ofPatches,
    argument: 'patches',
    call: (patches) =>
      new Transformer({ ...ofLayer, patches }).forward(Tensor.randn([1, 3, 4, 4], 1)),
    size: 'imageSize patchSize channels',
    boolean: 'classToken',
  },
  'optimizer of a Transformer': {
    known: optimizing,
    argument: 'optimizer',
    call: (optimizer) => steps(undefined, newModel({ optimizer })),
  },
  'forward of a Transformer': {
    known: `${inputsOfModel} returnWeights cache requiresGrad capture captureLayers capturePositions patch`,
    call: (options) => newModel().forward([1, 2, 3], options),
    boolean: 'returnWeights',
  },
  ...Object.fromEntries(
    ['loss', 'lossAndGradients'].map((name) => [
      name,
      { known: inputsOfModel, call: (options) => newModel()[name]([1, 2], [2, 3], options) },
    ]),
  ),
  trainStep: {
    known: inputsOfModel,
    call: (options) => newModel().trainStep([1, 2], [2, 3], undefined, options),
  },
  generate: {
    known:
      'maxNewTokens temperature topK topP seed stop source keyMask onToken cachePrecision signal returnWeights',
    base: { maxNewTokens: 2, seed: 1 },
    call: (options) => newModel().generate([1], options),
    size: 'topK',
    seed: 'seed',
    positive: 'temperature',
  },
  stateDict: { known: 'names', call: (options) => newModel().stateDict(options) },
  gradients: { known: 'names', call: (options) => newModel().gradients(options) },
  pruneHeads: { known: 'side', call: (options) => newModel().pruneHeads({}, options) },
  'createCache of a Transformer': {
    known: 'batchSize maxLength precision',
    base: { batchSize: 2, maxLength: 4 },
    call: (options) => newModel().createCache(options).length,
    size: 'batchSize maxLength',
  },
  'new SGD': {
    known: 'learningRate momentum weightDecay',
    call: (options) => steps((model) => new headwise.SGD(model, options)),
    positive: 'learningRate momentum weightDecay',
  },
  'new Adam': {
    known: optimizing,
    call: (options) => steps((model) => new headwise.Adam(model, options)),
    positive: 'learningRate weightDecay',
  },
  'new CopyTask': task(headwise.CopyTask, { numSymbols: 4, length: 4, offset: 1 }),
  'new ReverseTask': task(headwise.ReverseTask, { numSymbols: 4, numItems: 3 }),
  'new SortTask': task(headwise.SortTask, { numSymbols: 4, numItems: 3 }),
  'new AssociativeRecallTask': task(headwise.AssociativeRecallTask, {
    ...{ numNames: 4, numValues: 4, numPairs: 2, numQuestions: 1 },
  }),
  'new InductionTask': task(headwise.InductionTask, {
    ...{ numSymbols: 4, length: 8, minPeriod: 2, maxPeriod: 3 },
  }),
  'measureHeadImportance of a model': {
    known: 'measure normalize onProgress signal batches side loss',
    base: { batches },
    call: (options) => headwise.measureHeadImportance(newModel(), options),
    boolean: 'normalize',
    words: { measure: oneOf('gradient', 'ablation', 'confidence', 'entropy') },
  },
  'measureHeadImportance of a layer': {
    known: 'measure normalize onProgress signal batches loss',
    base: { measure: 'entropy', batches: [inputs] },
    call: (options) => headwise.measureHeadImportance(newLayer(sizes), options),
  },
  'a batch of a model': {
    known:
      'tokens pixels targets keys validLens keyMask segments source sourceValidLens sourceKeyMask',
    base: batches[0],
    argument: 'batches[0]',
    call: (batch) => headwise.measureHeadImportance(newModel(), { batches: [batch] }),
  },
  'a batch of a layer': {
    known: 'queries keys values validLens mask keyMask causal window ignoredKeys',
    base: inputs,
    argument: 'batches[0]',
    call: (batch) =>
      headwise.measureHeadImportance(newLayer(sizes), { measure: 'entropy', batches: [batch] }),
  },
  saveSafetensors: {
    known: 'precision',
    call: (options) => headwise.saveSafetensors({ a: X }, {}, options),
    words: { precision: oneOf('float32', 'float16', 'int8') },
  },
  init: { known: 'variant threads wasm signal', call: (options) => headwise.init(options) },
};

const fails = async (call, given, code, message) =>
  assertRejects(async () => call(given), code, message);
const escaped = (text) => text.replace(/[[\]().^]/g, '\\$&');

for (const [
  name,
  { known, base = {}, argument = 'options', call, words = {}, ...types },
] of Object.entries(calls)) {
  test(`options: ${name}`, async () => {
    const only = `${argument}: expected only ${optionNames(known).join(', ')}, got`;
    await fails(call, { ...base, nonsense: undefined }, 'unknown-option', `${only} nonsense`);
    if (argument === 'options') {
      for (const [bad, got] of [
        [null, 'null'],
        [8, '8'],
        ['zero', '"zero"'],
        [[8, 2], 'an array'],
        [Int32Array.of(8, 2), 'an Int32Array'],
      ]) {
        await fails(call, bad, 'invalid-type', `options: expected an object, got ${got}`);
      }
    }
    const others = optionNames(known).filter((option) => !(option in base));
    const undefinedOnes = Object.fromEntries(others.map((option) => [option, undefined]));
    assert.deepEqual(await call({ ...base, ...undefinedOnes }), await call({ ...base }));

    const typed = Object.entries(types).flatMap(([kind, options]) =>
      optionNames(options).map((option) => [option, kinds[kind]]),
    );
    for (const [option, [values, expected]] of [...typed, ...Object.entries(words)]) {
      const prefix = argument === 'options' ? '' : `${argument}.`;
      const message = new RegExp(`^${escaped(`${prefix}${option}: expected ${expected}, got `)}`);
      for (const bad of values)
        await fails(call, { ...base, [option]: bad }, 'invalid-option', message);
    }
  });
}

test('a misspelt option gets a suggestion', async () => {
  for (const [given, hint, call = passOfLayer] of [
    ['num_heads', '; did you mean numHeads?'],
    ['numHead', '; did you mean numHeads?'],
    ['embed_dim', '; did you mean numHiddens?'],
    ['batchFirst', '; inputs are always (batch, length, size)'],
    ['attn_mask', '; did you mean mask, in which true is a key to attend to?', calls.forward.call],
    ['needWeights', '; did you mean returnWeights?', calls.forward.call],
    ['head_mask', '; did you mean headGate?', calls.forward.call],
    ['attention_mask', '; did you mean keyMask?', calls.forward.call],
    ['needWeights', ''],
    ['', ''],
  ]) {
    const message = new RegExp(`, got ${escaped(given + hint).replaceAll('?', '\\?')}$`);
    const options = call === passOfLayer && ofLayer;
    await fails(call, { ...options, [given]: 1 }, 'unknown-option', message);
  }
});
