// An option given as undefined is one that was not given.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';

await headwise.init();
const { MultiHeadAttention, AttentionOnlyTransformer, Tensor, Transformer } = headwise;
const X = Tensor.randn([2, 3, 4], 1);
const heads = Tensor.randn([1, 2, 3, 4], 1);
const parameters = { W_q: Tensor.ones([2, 4]), W_k: Tensor.ones([2, 4]), w_v: Tensor.ones([1, 2]) };
const newLayer = (options) =>
  new MultiHeadAttention({ numHiddens: 4, numHeads: 2, ...options, seed: 1 });
const newModel = (options) =>
  new AttentionOnlyTransformer({
    ...{ vocabularySize: 5, maxLength: 4, numHiddens: 4, numHeads: 2, ...options, seed: 1 },
  });

const newTransformer = (options) =>
  new Transformer({
    vocabularySize: 5,
    maxLength: 4,
    numHiddens: 4,
    numHeads: 2,
    ...options,
    seed: 1,
  });

const undefinedOf = (names) =>
  Object.fromEntries(names.split(' ').map((name) => [name, undefined]));
const masks = 'validLens mask causal window emptyRows';
const results = 'returnWeights weightsStage out';

/** The options of each call, and the call, whose result must be that without any. */
const calls = {
  forward: [
    `${masks} ${results} headGate cache positions keyMass capture requiresGrad`,
    (options) => newLayer().forward(X, X, X, options),
  ],
  'out of forward': [
    'output attentionWeights',
    (out) => newLayer().forward(X, X, X, { out, returnWeights: true }),
  ],
  scaledDotProductAttention: [
    `${masks} ${results} queryOffset scale softcap`,
    (options) => headwise.scaledDotProductAttention(heads, heads, heads, options),
  ],
  additiveAttention: [
    `${masks} ${results} queryOffset`,
    (options) => headwise.additiveAttention(X, X, X, parameters, options),
  ],
  maskedSoftmax: ['emptyRows out', (options) => headwise.maskedSoftmax(X, undefined, options)],
  patternScores: [
    'causal',
    (options) => headwise.patternScores(headwise.maskedSoftmax(Tensor.ones([2, 3, 3])), options),
  ],
  MultiHeadAttention: [
    'dropout bias querySize keySize valueSize outputSize outputProjection numKvHeads pooling attentionHiddens ' +
      'projection scale softcap rotary biasKv zeroAttention',
    (options) => newLayer(options).forward(X, X, X),
  ],
  'rotary of MultiHeadAttention': [
    'size interleaved',
    (rotary) => newLayer({ rotary: { base: 10000, ...rotary } }).forward(X, X, X),
  ],
  'returnWeights of forward': [
    'heads queries',
    (chosen) => newLayer().forward(X, X, X, { returnWeights: { ...chosen } }),
  ],
  'MultiHeadAttention with additive pooling': [
    'attentionHiddens scale softcap numKvHeads',
    (options) => newLayer({ pooling: 'additive', ...options }).forward(X, X, X),
  ],
  'MultiHeadAttention without projections': [
    'bias numKvHeads outputSize outputProjection biasKv',
    (options) => newLayer({ projection: 'none', ...options }).forward(X, X, X),
  ],
  fromStateDict: [
    'prefix dropout scale softcap rotary zeroAttention',
    (options) => {
      const layer = newLayer({ querySize: 4, keySize: 4, valueSize: 4 });
      const given = { numHeads: 2, ...options };
      return MultiHeadAttention.fromStateDict(layer.stateDict(), given).forward(X, X, X);
    },
  ],
  AttentionOnlyTransformer: [
    'numLayers positions causal layerNorm bias dropout optimizer',
    (options) => newModel(options).forward([1, 2, 3]),
  ],
  'forward of a model': [
    'headGates returnWeights',
    (options) => newModel().forward([1, 2, 3], options),
  ],
  Transformer: [
    'numLayers numKvHeads headSize ffnHiddens activation gated norm normFirst normEpsilon normBias finalNorm ' +
      'embeddingNorm positions positionOffset rotary embeddingScale bias qkvBias tiedEmbeddings logitsBias head ' +
      'segments causal dropout window softcap scale encoder patches optimizer',
    (options) => newTransformer(options).forward([1, 2, 3]),
  ],
  'encoder of a Transformer': [
    'numLayers numHeads ffnHiddens',
    (encoder) => newTransformer({ encoder: { ...encoder } }).forward([1, 2], { source: [3] }),
  ],
  'patches of a Transformer': [
    'channels classToken',
    (given) => {
      const patches = { imageSize: 4, patchSize: 2, ...given };
      const model = newTransformer({ vocabularySize: undefined, maxLength: undefined, patches });
      return model.forward(Tensor.randn([1, 3, 4, 4], 1));
    },
  ],
  'forward of a Transformer': [
    'validLens segments source sourceValidLens headGates crossHeadGates encoderHeadGates returnWeights capture cache ' +
      'requiresGrad',
    (options) => newTransformer().forward([1, 2, 3], options),
  ],
  generate: [
    'topK topP temperature stop source onToken signal',
    (options) => newTransformer().generate([1], { maxNewTokens: 2, seed: 1, ...options }),
  ],
  'stateDict of a Transformer': ['names', (options) => newTransformer().stateDict(options)],
  'loss of a model': ['headGates', (options) => newModel().loss([1, 2], [2, 3], options)],
  SGD: [
    'learningRate momentum weightDecay',
    (options) => {
      const model = newModel();
      const optimizer = new headwise.SGD(model, options);
      return [1, 2].map(() => model.trainStep([1, 2], [2, 3], optimizer));
    },
  ],
  Adam: [
    'learningRate betas epsilon weightDecay',
    (options) => {
      const model = newModel({ optimizer: options });
      return [1, 2].map(() => model.trainStep([1, 2], [2, 3]));
    },
  ],
  CopyTask: [
    'offset',
    (options) => new headwise.CopyTask({ numSymbols: 4, length: 4, ...options }).batch(1, 2),
  ],
  AssociativeRecallTask: [
    'numQuestions',
    (options) => {
      const sizes = { numNames: 4, numValues: 4, numPairs: 2 };
      return new headwise.AssociativeRecallTask({ ...sizes, ...options }).batch(1, 2);
    },
  ],
  'measureHeadImportance of a model': [
    'measure normalize onProgress signal',
    (options) => {
      const batches = [{ tokens: [[1, 2]], targets: [[2, 3]] }];
      return headwise.measureHeadImportance(newModel(), { batches, ...options });
    },
  ],
  'measureHeadImportance of a layer': [
    'normalize onProgress signal loss',
    (options) => {
      const inputs = { queries: X, keys: X, values: X };
      const masksOfBatch = undefinedOf('validLens mask causal window ignoredKeys');
      const batches = [{ ...inputs, ...(options && masksOfBatch) }];
      const measured = { measure: 'entropy', batches, ...options };
      return headwise.measureHeadImportance(
        newLayer({ querySize: 4, keySize: 4, valueSize: 4 }),
        measured,
      );
    },
  ],
  init: ['variant threads wasm', (options) => headwise.init(options)],
};

for (const [name, [options, call]] of Object.entries(calls)) {
  test(`options given as undefined: ${name}`, async () => {
    assert.deepEqual(await call(undefinedOf(options)), await call());
  });
}
