// Every public call, for three properties: hostile arguments, too little memory, and leaks. Add each new call here.
// tests/native/memory tries more options, with each allocation failing. An entry prepares a subject, creates arguments,
// makes the call, and observes the subject afterwards, which may change it. `actions` are what a hostile argument does
// with the subject meanwhile.
import * as headwise from 'headwise';
import { readCheckpoint } from './checkpoints.mjs';
import { quantized, ggufFile } from './gguf.mjs';
import { converted } from './gguf-models.mjs';
// Initializes headwise.
import './memory.mjs';
import * as observe from './observe.mjs';
import { Random } from './random.mjs';
import { handleOn } from './sources.mjs';
import { layouts } from './state-dicts.mjs';

const { batchSize, gradOf, inputs, inputsOf, length, numbers, observeCache } = observe;
const { observeLayer, observeModelCache, observeOptimizer, observeTransformer } = observe;
const { runBackAndForth, targets, tokens } = observe;

const { Adam, additiveAttention, AssociativeRecallTask, AttentionOnlyTransformer } = headwise;
const { clipGradientNorm, CopyTask, dispose, exportCheckpoint, inductionScores } = headwise;
const { InductionTask, keyScores } = headwise;
const { leastImportantHeads, loadGguf, loadNpy, loadSafetensors } = headwise;
const { loadShardedSafetensors } = headwise;
const { maskedSoftmax, measureHeadImportance, MultiHeadAttention, patternScores } = headwise;
const { positionalEncoding, ResidentTensor, ReverseTask, saveNpy, saveSafetensors } = headwise;
const { scaledDotProductAttention, SGD, SortTask, splitHeads, Tensor, Transformer } = headwise;
const { transposeOutput, transposeQkv } = headwise;

export const disposeAll = (subject) =>
  Object.values(subject)
    .flat()
    .forEach((each) => each?.dispose?.());

const nothing = () => undefined;
const none = () => [];
const mapValues = (object, use) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, use(value, name)]));
const renamed = (object, rename) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));

/** A tensor, tokens and a dictionary of tensors as new objects. */
const loose = ({ data, shape }) => ({ data: data.slice(), shape: [...shape] });
const looseTokens = (rows) => ({
  data: Int32Array.from(rows.flat()),
  shape: [rows.length, rows[0].length],
});
const looseDict = (dict) => mapValues(dict, loose);
const list = (tensor) => tensor.toArray();

const endThreads = { 'threads end': () => dispose() };

// Layers

const sizes = { querySize: 6, keySize: 6, valueSize: 6 };
const unsized = { numHiddens: 8, numHeads: 4, bias: true, dropout: 0.5, seed: 3 };
const sized = { ...unsized, ...sizes };
const rotary = { ...sized, rotary: { base: 100, size: 2, interleaved: true } };
/** A layer in training with its cache, its optimizer, and a pending backward. */
function prepareLayer(options) {
  const layer = new MultiHeadAttention(options).train();
  const optimizer = new Adam(layer, { learningRate: 0.1, weightDecay: 0.1 });
  if (layer.querySize === undefined) return { optimizer, layer };
  runBackAndForth(layer);
  layer.forward(...inputsOf(layer), { requiresGrad: true });
  const cache = layer.createCache({ batchSize, maxLength: 30 });
  layer.forward(...inputsOf(layer), { cache });
  return { cache, optimizer, layer };
}

const observeAll = ({ layer, cache, optimizer, made }) => [
  made && observeCache(layer, made),
  cache && observeCache(layer, cache),
  observeLayer(layer),
  observeOptimizer(optimizer, layer),
];

const other = new MultiHeadAttention({ ...sized, seed: 8 });
const otherDict = other.stateDict();
/** Inputs of sizes other than those that calls infer. */
const known = (layer) =>
  layer.querySize === undefined ? [1, 2, 3].map((seed) => inputs(5, seed)) : inputsOf(layer);
/** A pass that is smaller than the one of `prepareLayer`. */
const goSmaller = ({ layer }) =>
  layer.forward(
    ...known(layer).map(
      ({ data, shape: [, , size] }) => new Tensor(data.slice(0, size), [1, 1, size]),
    ),
    { requiresGrad: true },
  );

const layerActions = {
  'layer.dispose': ({ layer }) => layer.dispose(),
  'layer.pruneHeads': ({ layer }) => layer.pruneHeads([0, 1, 3]),
  'layer.forward': ({ layer }) => layer.forward(...known(layer)),
  'layer.forward with gradients': goSmaller,
  'layer.backward': ({ layer }) => layer.backward(gradOf(layer)),
  'layer.loadStateDict': ({ layer }) => layer.loadStateDict(otherDict),
  'layer.eval': ({ layer }) => layer.eval(),
  'layer.zeroGradients': ({ layer }) => layer.zeroGradients(),
  'optimizer.step': ({ optimizer }) => optimizer.step(),
  ...endThreads,
};
const cacheActions = {
  'cache.dispose': ({ cache }) => cache.dispose(),
  'cache.truncate': ({ cache }) => cache.truncate(5),
  'cache is filled': ({ layer, cache }) => layer.forward(...inputsOf(layer), { cache }),
};

/** A call on a layer of these options. */
const onLayer = (call, args, { options = sized, ...rest } = {}) => ({
  prepare: () => prepareLayer(options),
  call,
  args,
  observe: observeAll,
  actions: { ...layerActions, ...(options.querySize && cacheActions) },
  ...rest,
});
const ofLayer = (method, args, rest) =>
  onLayer(({ layer }, ...given) => layer[method](...given), args, rest);
const forward = (args, rest) => ofLayer('forward', args, rest);

const [queries, keys, values] = inputsOf(sizes);
const threeInputs = () => [queries, keys, values].map(loose);
const lens = (numKeys) => ({ data: Float64Array.of(numKeys, 3), shape: [batchSize] });
const masks = (numKeys) => ({
  ...{ validLens: lens(numKeys), mask: loose(numbers([length, numKeys])), causal: true },
  ...{ window: [9, 9], emptyRows: 'uniform' },
  keyMask: {
    data: Int8Array.from({ length: 2 * numKeys }, (_, i) => i % 5 && 1),
    shape: [2, numKeys],
  },
});
const headGate = () => loose(numbers([batchSize, 4]));
const out = (numKeys) => ({
  output: new Float32Array(batchSize * length * 8),
  attentionWeights: new Float32Array(batchSize * 4 * length * numKeys),
});
const long = [1, 2, 3].map((seed) => numbers([2, 200, 6], seed));
const layers = {
  'forward with gradients': forward(() => [
    ...threeInputs(),
    {
      ...{ ...masks(length), headGate: headGate(), requiresGrad: true, returnWeights: true },
      ...{ weightsStage: 'softmax', out: out(length) },
    },
  ]),
  'forward with a cache': forward(({ cache }) => [
    ...threeInputs(),
    {
      ...masks(2 * length),
      headGate: headGate(),
      cache,
      returnWeights: true,
      out: out(2 * length),
    },
  ]),
  'forward of a rotary layer with all that may be returned': forward(
    () => [
      ...threeInputs(),
      {
        positions: { data: Float64Array.from({ length }, (_, i) => 2 * i), shape: [length] },
        returnWeights: { heads: [3, 0], queries: [1, 0] },
        keyMass: true,
        capture: ['queries', 'scores', 'pooled', 'droppedWeights'],
      },
    ],
    { options: rotary },
  ),
  'forward from a cache': forward(({ cache }) => [
    ...[loose(queries), null, null],
    { ...masks(length), headGate: headGate(), cache, returnWeights: true, out: out(length) },
  ]),
  'forward of lists': forward(() => [
    ...[queries, keys, values].map(list),
    {
      validLens: [[...Array(length).keys()], [...Array(length).keys()]],
      mask: [Array.from({ length }, () => Array.from({ length }, (_, i) => i % 3 !== 0))],
      headGate: [1, 0, 0.5, 2],
      out: { output: Tensor.zeros([batchSize, length, 8]) },
    },
  ]),
  'forward that infers sizes': forward(
    () => [...threeInputs(), { requiresGrad: true, returnWeights: true, out: out(length) }],
    { options: unsized },
  ),
  'forward of long inputs': forward(() => [...long, { requiresGrad: true, window: [50, 0] }]),
  backward: ofLayer('backward', ({ layer }) => [loose(gradOf(layer))]),
  loadStateDict: ofLayer('loadStateDict', () => [looseDict(otherDict)], { mayNeedNone: true }),
  'loadStateDict that infers sizes': ofLayer('loadStateDict', () => [looseDict(otherDict)], {
    options: unsized,
  }),
  ...mapValues({ stateDict: 0, gradients: 0, zeroGradients: 0 }, (_, method) =>
    ofLayer(method, none, { mayNeedNone: true }),
  ),
  pruneHeads: ofLayer('pruneHeads', () => [[0, 2]]),
  createCache: onLayer(
    (subject, options) => {
      subject.made = subject.layer.createCache(options);
    },
    () => [{ batchSize, maxLength: 20 }],
  ),
};

// Calls that create an object, and functions

const elsewhere = {
  'a layer runs': ({ layer }) => layer.forward(...inputsOf(layer), { returnWeights: true }),
  ...endThreads,
};
const prepareElsewhere = () => ({ layer: new MultiHeadAttention(sized) });

const making = (make, args, observe) => ({
  prepare: prepareElsewhere,
  call: (subject, ...given) => {
    subject.made = make(...given);
  },
  args,
  observe: ({ made }) => made && observe(made),
  actions: elsewhere,
});
const ofNothing = (call, args, rest) => ({
  prepare: prepareElsewhere,
  call: (_, ...given) => call(...given),
  args,
  observe: none,
  actions: elsewhere,
  ...rest,
});

const newLayer = (options) =>
  making(
    (given) => new MultiHeadAttention(given),
    () => [{ ...options }],
    observeLayer,
  );
function layerFrom(layout) {
  const layer = new MultiHeadAttention({ ...unsized, querySize: 8, keySize: 8, valueSize: 8 });
  const dict = layout(layer.stateDict());
  layer.dispose();
  return making(
    (...given) => MultiHeadAttention.fromStateDict(...given),
    () => [looseDict(dict), { numHeads: 4, seed: 1, prefix: '', dropout: 0.5 }],
    observeLayer,
  );
}

const made = {
  'new MultiHeadAttention': newLayer({
    ...{ ...sized, numKvHeads: 2, biasKv: true, zeroAttention: true },
    ...{ outputSize: 6, scale: 0.5, softcap: 3, pooling: 'dot-product' },
  }),
  ...renamed(mapValues(layouts, layerFrom), (name) => `fromStateDict, ${name}`),
  'new ResidentTensor': making(
    (shape) => new ResidentTensor(shape),
    () => [[20, 30]],
    ({ shape, data }) => [shape, data.slice()],
  ),
};

// Optimizers

/** Calls on two layers that have gradients. */
const onTwo = (call, args, { before = nothing, ...rest } = {}) => ({
  prepare: () => {
    const pair = [1, 2].map((seed) => new MultiHeadAttention({ ...sized, dropout: 0, seed }));
    pair.forEach((layer) => runBackAndForth(layer));
    const subject = { pair };
    before(subject);
    return subject;
  },
  call,
  args,
  observe: ({ made: optimizer, pair }) => [
    optimizer && observeOptimizer(optimizer, ...pair),
    pair.map(observeLayer),
  ],
  actions: {
    'first.dispose': ({ pair }) => pair[0].dispose(),
    'last.dispose': ({ pair }) => pair[1].dispose(),
    'last.pruneHeads': ({ pair }) => pair[1].pruneHeads([0, 1, 3]),
    'last.forward': ({ pair }) => pair[1].forward(...inputsOf(pair[1]), { requiresGrad: true }),
  },
  ...rest,
});
const optimizers = {
  Adam: [Adam, { learningRate: 0.1, betas: [0.5, 0.6], epsilon: 1e-3, weightDecay: 0.1 }],
  SGD: [SGD, { learningRate: 0.1, momentum: 0.5, weightDecay: 0.1 }],
};
const training = Object.assign(
  {
    clipGradientNorm: onTwo(
      (_, ...given) => clipGradientNorm(...given),
      ({ pair }) => [[...pair], 0.1],
      { mayNeedNone: true },
    ),
  },
  ...Object.entries(optimizers).map(([name, [Optimizer, options]]) => {
    const create = (subject, ...given) => {
      subject.made = new Optimizer(...given);
    };
    const make = (subject) => create(subject, subject.pair, options);
    const step = ({ made }) => made.step();
    const makeAndStep = (subject) => {
      make(subject);
      step(subject);
      subject.pair.forEach((layer) => runBackAndForth(layer));
    };
    return {
      // Its few bytes may fit into a gap.
      [`new ${name}`]: onTwo(create, ({ pair }) => [[...pair], { ...options }], {
        mayNeedNone: true,
      }),
      [`the first step of ${name}`]: onTwo(step, none, { before: make }),
      [`a later step of ${name}`]: onTwo(step, none, { before: makeAndStep, mayNeedNone: true }),
    };
  }),
);

// Models

const modelSizes = { numHiddens: 8, numHeads: 4, numLayers: 2, dropout: 0.5, seed: 4 };
const ofTokens = { vocabularySize: 6, maxLength: 24, ...modelSizes };

/** Options of each kind of model, the input of its passes, its length, and other arguments. */
export const kinds = {
  decoder: {
    options: {
      ...{ ...ofTokens, numKvHeads: 2, segments: 2, logitsBias: true, window: [9, 0] },
      ...{ positions: 'rotary', rotary: { base: 100, size: 2 }, norm: 'rms', gated: true },
    },
    input: tokens,
    given: { segments: tokens.map((row) => row.map((token) => token % 2)) },
  },
  encoder: {
    options: { ...ofTokens, causal: false, normFirst: false, embeddingNorm: true },
    input: tokens,
    given: { validLens: [8, 3], keyMask: tokens.map((row) => row.map((_, i) => Number(i > 0))) },
  },
  translator: {
    options: { ...ofTokens, numLayers: 1, encoder: { numLayers: 1, numHeads: 2, ffnHiddens: 5 } },
    input: tokens,
    given: { source: targets.map((row) => row.map(Math.abs)), sourceValidLens: [5, 8] },
  },
  patches: {
    options: {
      ...modelSizes,
      patches: { imageSize: 4, patchSize: 2, channels: 1, classToken: true },
    },
    input: numbers([batchSize, 1, 4, 4], 7),
    length: 5,
  },
  'attention only': {
    Model: AttentionOnlyTransformer,
    options: { ...ofTokens, positions: 'learned', layerNorm: true, bias: true },
    input: tokens,
  },
};
const { decoder, encoder, translator, patches } = kinds;
const attentionOnly = kinds['attention only'];
const hasTokens = ({ options }) => options.vocabularySize !== undefined;

export const newModel = ({ Model = Transformer, options }) => new Model(options);

/** A model in training with its cache, its optimizer, and a pending backward. */
function prepareModel(kind) {
  const { input, given } = kind;
  const model = newModel(kind).train();
  const optimizer = new SGD(model, { learningRate: 0.1, momentum: 0.5 });
  const subject = { optimizer, model };
  if (hasTokens(kind)) {
    model.trainStep(input, targets, undefined, given);
    model.trainStep(input, targets, optimizer, given);
    if (model.causal) {
      subject.cache = model.createCache({ batchSize, maxLength: 24 });
      model.forward(input, { source: given?.source, cache: subject.cache });
    }
  }
  model.forward(input, { ...given, requiresGrad: true });
  return subject;
}

const goOn = (kind) => {
  const { options } = kind;
  return ({ model }) =>
    hasTokens(kind)
      ? model.forward([[1, 2]], {
          ...(options.encoder && { source: [[3]] }),
          requiresGrad: true,
        })
      : model.forward(numbers([1, 1, 4, 4], 3), { requiresGrad: true });
};

const modelActions = (kind) => ({
  'model.dispose': ({ model }) => model.dispose(),
  'model.pruneHeads': ({ model }) => model.pruneHeads({ 0: [0, 1] }),
  'model.forward with gradients': goOn(kind),
  'layer.forward with gradients': ({ model }) => {
    const X = numbers([3, 9, 8], 2);
    model.attention(0).forward(X, X, X, { requiresGrad: true });
  },
  'layer.pruneHeads': ({ model }) => model.attention(0).pruneHeads([0, 1]),
  'model.loadStateDict': ({ model }) => model.loadStateDict(model.gradients()),
  'model.eval': ({ model }) => model.eval(),
  'optimizer.dispose': ({ optimizer }) => optimizer.dispose(),
  ...(hasTokens(kind) && {
    'model.trainStep': ({ model }) => model.trainStep(kind.input, targets, undefined, kind.given),
  }),
  ...(kind.options.encoder && {
    'pruneHeads of the encoder': ({ model }) => model.pruneHeads({ 0: [1] }, { side: 'encoder' }),
  }),
  ...endThreads,
});
const modelCacheActions = {
  'cache.dispose': ({ cache }) => cache.dispose(),
  'cache.truncate': ({ cache }) => cache.truncate(3),
  'cache.reset': ({ cache }) => cache.reset(),
  'cache is filled': ({ model, cache }) => {
    while (cache.length < 24) model.forward(tokens, { cache });
  },
};

/** Patching refuses dropout. */
const prepareWithoutDropout = () => {
  const made = prepareModel(decoder);
  made.model.eval();
  return made;
};
const onModel = (kind, call, args, { usesCache = false, ...rest } = {}) => ({
  prepare: () => prepareModel(kind),
  call,
  args,
  observe: ({ model, optimizer, cache, made: another }) => [
    cache && observeModelCache(model, cache),
    another && observeModelCache(model, another),
    observeTransformer(model, kind),
    observeOptimizer(optimizer, model),
  ],
  actions: { ...modelActions(kind), ...(usesCache && modelCacheActions) },
  ...rest,
});
const ofModel = (kind, method, args, rest) =>
  onModel(kind, ({ model }, ...given) => model[method](...given), args, rest);
const ofEachModel = (name, use) => renamed(mapValues(kinds, use), (kind) => `${name}, ${kind}`);

const looseInput = ({ input }) => (Array.isArray(input) ? looseTokens(input) : loose(input));
const looseGiven = ({ given = {} }) =>
  mapValues(given, (value) =>
    Array.isArray(value[0]) ? looseTokens(value) : { data: Int32Array.from(value), shape: [2] },
  );
const gates = (heads, count) => Array.from({ length: count }, () => loose(numbers([heads])));
const sided = (kind) => ({
  ...looseGiven(kind),
  ...{ headGates: gates(4, 1), crossHeadGates: gates(4, 1), encoderHeadGates: gates(2, 1) },
});
const gated = (kind) => ({
  ...(kind === translator ? sided(kind) : looseGiven(kind)),
  ...(kind === decoder && { headGates: [loose(numbers([batchSize, 4])), [1, 0, 0.5, 2]] }),
});
const asked = () => looseTokens(targets);
const namesOf = () => [{ names: 'headwise' }];

/** A checkpoint's config and tensors. */
const looseCheckpoint = ({ config, tensors }) => ({
  config: structuredClone(config),
  tensors: looseDict(tensors),
});
const checkpoint = readCheckpoint('nanogpt-a');
const gguf = ggufFile(...converted(readCheckpoint('llama-a')));

const models = {
  ...ofEachModel('new model', (kind) =>
    making(
      (options) => newModel({ ...kind, options }),
      () => [{ ...structuredClone(kind.options), optimizer: { betas: [0.5, 0.5] } }],
      (model) => observeTransformer(model, kind),
    ),
  ),
  ...ofEachModel('forward', (kind) =>
    ofModel(kind, 'forward', () => [
      looseInput(kind),
      {
        ...gated(kind),
        returnWeights: { heads: [1, 0], queries: [2, 0] },
        capture: ['scores', 'keys', 'headOut', 'residMid', 'embeddings', 'rowEntropy'],
        captureLayers: [0],
        capturePositions: [2, 0],
        patch: [
          { at: 'z', layer: 0, heads: [1], positions: [1, 2], value: 'mean' },
          { at: 'attnOut', layer: 0, positions: [2], value: loose(numbers([2, 1, 8])) },
          { at: 'pattern', layer: 0, heads: [0], positions: [1], value: 'zero' },
        ],
        requiresGrad: true,
      },
    ]),
  ),
  'forward of embeddings': ofModel(decoder, 'forward', () => [
    { embeddings: loose(numbers([2, 8, 8])) },
    { ...gated(decoder), requiresGrad: true },
  ]),
  logitLens: ofModel(decoder, 'logitLens', () => [
    looseInput(decoder),
    { ...looseGiven(decoder), layers: [1, 0], positions: [1, 2] },
  ]),
  attributeLogits: ofModel(decoder, 'attributeLogits', () => [
    looseInput(decoder),
    { ...looseGiven(decoder), target: [1, 2], against: [3], position: 4 },
  ]),
  patchHeads: onModel(
    decoder,
    ({ model }, clean, corrupted, given) =>
      model.patchHeads(clean, corrupted, { ...given, metric: ({ data }) => data[0] }),
    () => [looseInput(decoder), looseInput(decoder), { at: 'headOut' }],
    { prepare: prepareWithoutDropout },
  ),
  exportCheckpoint: onModel(
    decoder,
    ({ model }, options) => {
      const { config, tensors: read } = checkpoint;
      const source = Transformer.fromPretrained({ config, tensors: read });
      try {
        source.pruneHeads({ 0: [0] });
        exportCheckpoint(source, options);
      } finally {
        source.dispose();
      }
      return model.vocabularySize;
    },
    () => [{ pruned: 'zeroed' }],
  ),
  ...ofEachModel('backward', (kind) =>
    ofModel(kind, 'backward', () => {
      const hidden = loose(numbers([2, kind.length ?? 8, 8]));
      return [hasTokens(kind) ? { hidden, logits: loose(numbers([2, 8, 6])) } : hidden];
    }),
  ),
  ...ofEachModel('pruneHeads', (kind) => ofModel(kind, 'pruneHeads', () => [{ 0: [0, 1] }])),
  'forward of a model with a cache': ofModel(
    decoder,
    'forward',
    ({ cache }) => [
      looseInput(decoder),
      { validLens: lens(16), headGates: gated(decoder).headGates, returnWeights: true, cache },
    ],
    { usesCache: true },
  ),
  ...renamed(
    mapValues({ loss: 0, lossAndGradients: 0 }, (_, method) =>
      ofModel(translator, method, () => [looseInput(translator), asked(), sided(translator)]),
    ),
    (name) => `${name} of a model`,
  ),
  'trainStep with an optimizer': onModel(
    encoder,
    ({ model, optimizer }, input, answers, given) =>
      model.trainStep(input, answers, optimizer, given),
    () => [looseInput(encoder), asked(), looseGiven(encoder)],
  ),
  'createCache of a model': onModel(
    decoder,
    (subject, options) => {
      subject.made = subject.model.createCache(options);
    },
    () => [{ batchSize, maxLength: 9 }],
  ),
  generate: ofModel(translator, 'generate', () => [
    [1, 2],
    {
      ...{ maxNewTokens: 3, temperature: 1, topK: 3, topP: 0.9, stop: [5], seed: 1 },
      returnWeights: { heads: [1] },
      source: [...translator.given.source[0]],
    },
  ]),
  'stateDict of a model': ofModel(decoder, 'stateDict', namesOf),
  'gradients of a model': ofModel(decoder, 'gradients', namesOf),
  'zeroGradients of a model': ofModel(decoder, 'zeroGradients', none, { mayNeedNone: true }),
  'loadStateDict of a model': ofModel(patches, 'loadStateDict', () => {
    const model = newModel({ options: { ...patches.options, seed: 9 } });
    const dict = looseDict(model.stateDict());
    model.dispose();
    return [dict];
  }),
  ...Object.fromEntries(
    Object.entries({ cross: { 0: [1, 3] }, encoder: { 0: [1] } }).map(([side, removed]) => [
      `pruneHeads, ${side}`,
      ofModel(translator, 'pruneHeads', () => [structuredClone(removed), { side }]),
    ]),
  ),
  fromPretrained: making(
    (options) => Transformer.fromPretrained(options),
    () => [
      { ...looseCheckpoint(checkpoint), dropout: 0.5, seed: 3, optimizer: { learningRate: 0.1 } },
    ],
    (model) => [
      observeTransformer(model, { input: tokens.map((row) => row.slice(0, 5)) }),
      model.stateDict({ names: 'pretrained' }),
    ],
  ),
  'fromPretrained of a GGUF file': making(
    (options) => Transformer.fromPretrained(options),
    () => [{ gguf: loadGguf(gguf), seed: 3 }],
    (model) => [model.stateDict({ names: 'pretrained' })],
  ),
};

// Functions, tasks, files and measures

const heads = (seed) => loose(numbers([2, 4, 6, 5], seed));
const rows = (seed) => loose(numbers([2, 6, 4], seed));
const poolingOptions = (weights) => ({
  ...{ validLens: Int32Array.of(6, 3), mask: loose(numbers([6, 6])), window: [3, 3] },
  ...{ emptyRows: 'uniform', queryOffset: 1, returnWeights: true, weightsStage: 'softmax' },
  out: { attentionWeights: new Float32Array(weights) },
});
const weights = () =>
  loose(
    new Tensor(
      numbers([2, 3, 8, 8]).data.map((x) => x ** 2),
      [2, 3, 8, 8],
    ),
  );
const file = saveSafetensors({ a: numbers([2, 3]), b: numbers([4]) }, { text: 'of it' });
/** The contents of a loaded file. */
const partsOf = async ({ names, metadata, dtype, shape, read }) => [
  names,
  metadata,
  names.map((name) => [dtype(name), shape(name)]),
  await read(),
];
const npy = saveNpy(numbers([3, 4]));
const half = { type: 'F16', shape: [2], bytes: new Uint8Array(4) };
const { tensor: quantizedTensor } = quantized('Q5_K', [2, 256], new Random(1));
const blocks = ggufFile({ text: 'of it' }, { half, quantizedTensor });

const functions = {
  scaledDotProductAttention: ofNothing(scaledDotProductAttention, () => [
    ...[1, 2, 3].map(heads),
    { ...poolingOptions(2 * 4 * 6 * 6), scale: 0.5, softcap: 3 },
  ]),
  additiveAttention: ofNothing(additiveAttention, () => [
    ...[1, 2, 3].map(rows),
    { W_q: loose(numbers([5, 4])), W_k: loose(numbers([5, 4], 2)), w_v: loose(numbers([1, 5])) },
    poolingOptions(2 * 6 * 6),
  ]),
  maskedSoftmax: ofNothing(maskedSoftmax, () => [
    rows(1),
    { data: Int32Array.of(2, 4), shape: [2] },
    { emptyRows: 'uniform', out: new Float32Array(48) },
  ]),
  ...mapValues({ transposeQkv, transposeOutput, splitHeads }, (call) =>
    ofNothing(call, () => [rows(1), 2]),
  ),
  positionalEncoding: ofNothing(positionalEncoding, () => [40, 50]),
  randn: ofNothing(Tensor.randn, () => [[30, 40], 5]),
  'new Tensor': ofNothing(
    (...given) => new Tensor(...given),
    () => [
      [1, 2, 3, 4, 5, 6],
      [2, 3],
    ],
    { mayNeedNone: true },
  ),
  patternScores: ofNothing(patternScores, () => [weights(), { causal: true }]),
  inductionScores: ofNothing(inductionScores, () => [weights(), looseTokens(tokens)]),
  keyScores: ofNothing(keyScores, () => [weights(), looseTokens(targets)]),
  leastImportantHeads: ofNothing(
    leastImportantHeads,
    () => [[[1, 2], [3]], { fraction: 0.5, measure: 'entropy', groupSize: 1 }],
    { mayNeedNone: true },
  ),
  tasks: ofNothing(
    (...options) =>
      [CopyTask, ReverseTask, SortTask, AssociativeRecallTask, InductionTask].map((Task, i) =>
        new Task(options[i]).batch(1, 30),
      ),
    () => [
      { numSymbols: 4, length: 6, offset: 2 },
      { numSymbols: 4, numItems: 3 },
      { numSymbols: 50, numItems: 20 },
      { numNames: 4, numValues: 3, numPairs: 2, numQuestions: 2 },
      { numSymbols: 4, length: 8, minPeriod: 2, maxPeriod: 3 },
    ],
  ),
  saveSafetensors: ofNothing(saveSafetensors, () => [
    {
      first: loose(numbers([2, 3])),
      ids: { dtype: 'I32', data: Int32Array.of(1, 2, 3), shape: [3] },
      last: loose(numbers([4, 1])),
      mask: { dtype: 'BOOL', data: Uint8Array.of(1, 0), shape: [2] },
    },
    { text: 'of it', other: 'text' },
  ]),
  saveNpy: ofNothing(saveNpy, () => [loose(numbers([3, 4]))]),
  loadSafetensors: ofNothing(
    (bytes) => partsOf(loadSafetensors(bytes)),
    () => [file.slice()],
  ),
  'loadSafetensors from a Blob': ofNothing(
    async (blob) => partsOf(await loadSafetensors(blob)),
    () => {
      const { size, slice } = new Blob([file]);
      return [{ size, slice: (begin, end) => slice.call(new Blob([file]), begin, end) }];
    },
  ),
  'loadSafetensors from a FileHandle': ofNothing(
    async (handle) => partsOf(await loadSafetensors(handle)),
    () => [{ ...handleOn(file) }],
  ),
  'read of a safetensors file': ofNothing(
    (names) => loadSafetensors(file).read(names),
    () => [['a', 'b']],
  ),
  loadShardedSafetensors: ofNothing(
    async (...given) => partsOf(await loadShardedSafetensors(...given)),
    () => [
      { metadata: { total_size: 40 }, weight_map: { a: 'first', b: 'second' } },
      async (name) => (name === 'first' ? file.slice() : new Blob([file])),
    ],
  ),
  loadGguf: ofNothing(
    (bytes) => partsOf(loadGguf(bytes)),
    () => [blocks.slice()],
  ),
  'loadGguf from a FileHandle': ofNothing(
    async (handle) => partsOf(await loadGguf(handle)),
    () => [{ ...handleOn(blocks) }],
  ),
  loadNpy: ofNothing(loadNpy, () => [npy.slice()]),
};

const progress = () => ({
  onProgress: () => undefined,
  signal: { throwIfAborted: () => undefined },
});
const measureLayer = (measure) => ({
  prepare: () => ({ layer: new MultiHeadAttention({ ...sized, numHeads: 2 }).train() }),
  call: ({ layer }, given) => measureHeadImportance(layer, given),
  args: () => [
    {
      measure,
      normalize: measure === 'gradient',
      batches: [
        {
          ...{ queries: loose(queries), keys: loose(keys), values: loose(values) },
          ...{ validLens: lens(length), mask: loose(numbers([length, length])), causal: true },
          window: [9, 9],
          ignoredKeys: { data: new Uint8Array(batchSize * length), shape: [batchSize, length] },
        },
      ],
      loss: {
        value: ({ data }) => data.reduce((sum, number) => sum + number ** 2, 0),
        gradient: (output) => loose(output),
      },
      ...progress(),
    },
  ],
  observe: ({ layer }) => observeLayer(layer),
  actions: {
    'layer.dispose': layerActions['layer.dispose'],
    'layer.pruneHeads': ({ layer }) => layer.pruneHeads([0]),
    'layer.forward': layerActions['layer.forward'],
    ...endThreads,
  },
  isOfCopy: true,
});
const measureModel = (kind, given) =>
  onModel(
    kind,
    ({ model }, options) => measureHeadImportance(model, options),
    () => [
      {
        ...given,
        batches: [{ tokens: looseInput(kind), targets: asked(), ...looseGiven(kind) }],
        ...progress(),
      },
    ],
    { isOfCopy: true },
  );
const measures = {
  ...renamed(
    mapValues({ gradient: 0, ablation: 0, confidence: 0, entropy: 0 }, (_, measure) =>
      measureLayer(measure),
    ),
    (measure) => `measureHeadImportance by ${measure}`,
  ),
  'measureHeadImportance of a model': measureModel(attentionOnly, { measure: 'ablation' }),
};

export const calls = { ...layers, ...made, ...training, ...models, ...functions, ...measures };
