// Every public call that reads objects of its caller's: how to prepare what it works on, arguments that are objects and
// arrays wherever they may be, what else can be done with the subject meanwhile, and how it looks afterwards.
import {
  Adam,
  additiveAttention,
  AssociativeRecallTask,
  AttentionOnlyTransformer,
  clipGradientNorm,
  CopyTask,
  dispose,
  inductionScores,
  InductionTask,
  keyScores,
  loadNpy,
  loadSafetensors,
  loadShardedSafetensors,
  maskedSoftmax,
  measureHeadImportance,
  MultiHeadAttention,
  patternScores,
  ReverseTask,
  saveNpy,
  saveSafetensors,
  scaledDotProductAttention,
  SGD,
  splitHeads,
  Tensor,
  Transformer,
  transposeOutput,
  transposeQkv,
} from 'headwise';
// Initializes headwise before anything is made here.
import './memory.mjs';
import {
  batchSize,
  gradOf,
  inputs,
  inputsOf,
  length,
  numbers,
  observeCache,
  observeLayer,
  observeModel,
  observeModelCache,
  observeOptimizer,
  observeTransformer,
  runBackAndForth,
  targets,
  tokens,
} from './observe.mjs';
import { handleOn } from './sources.mjs';
import { layouts } from './state-dicts.mjs';
import { kinds, looseCheckpoint } from './transformer-kinds.mjs';

const mapValues = (object, use) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, use(value)]));

/** A tensor as objects that anyone can make. */
const loose = ({ data, shape }) => ({ data: data.slice(), shape: [...shape] });

const sizes = { querySize: 6, keySize: 6, valueSize: 6 };
const layerOptions = { numHiddens: 8, numHeads: 4, bias: true, dropout: 0.5, seed: 3 };
const sized = { ...layerOptions, ...sizes };
const other = new MultiHeadAttention({ ...sized, seed: 8 });
const otherDict = other.stateDict();
/** Other sizes than those that calls infer. */
const otherInputs = [inputs(5, 1), inputs(5, 2), inputs(5, 3)];

/** A layer in training, with all that belongs to it. */
function prepareLayer(options = sized) {
  const layer = new MultiHeadAttention(options).train();
  const optimizer = new Adam(layer, { learningRate: 0.1 });
  const subject = { optimizer, layer };
  if (layer.querySize === undefined) return subject;
  runBackAndForth(layer);
  layer.forward(...inputsOf(layer), { requiresGrad: true });
  const cache = layer.createCache({ batchSize, maxLength: 30 });
  layer.forward(...inputsOf(layer), { cache });
  return { cache, ...subject };
}

const observeAll = ({ layer, cache, optimizer }) => [
  cache && observeCache(layer, cache),
  observeLayer(layer),
  observeOptimizer(optimizer, layer),
];

const known = (layer) => (layer.querySize === undefined ? otherInputs : inputsOf(layer));
const layerActions = {
  'layer.dispose': ({ layer }) => layer.dispose(),
  'layer.pruneHeads': ({ layer }) => layer.pruneHeads([0, 1, 3]),
  'layer.forward': ({ layer }) => layer.forward(...known(layer)),
  'layer.forward with gradients': ({ layer }) =>
    layer.forward(
      ...known(layer).map(
        ({ data, shape: [, , size] }) => new Tensor(data.slice(0, size), [1, 1, size]),
      ),
      {
        requiresGrad: true,
      },
    ),
  'layer.backward': ({ layer }) => layer.backward(gradOf(layer)),
  'layer.loadStateDict': ({ layer }) => layer.loadStateDict(otherDict),
  'layer.eval': ({ layer }) => layer.eval(),
  'layer.zeroGradients': ({ layer }) => layer.zeroGradients(),
  'optimizer.step': ({ optimizer }) => optimizer.step(),
  'threads end': () => dispose(),
};
const cacheActions = {
  'cache.dispose': ({ cache }) => cache.dispose(),
  'cache.truncate': ({ cache }) => cache.truncate(5),
  'cache is filled': ({ layer, cache }) => layer.forward(...inputsOf(layer), { cache }),
};

const ofLayer = (call, args, { options = sized, ...rest } = {}) => ({
  prepare: () => prepareLayer(options),
  call: (subject, given) => call(subject, ...given),
  args,
  observe: observeAll,
  actions: options === sized ? { ...layerActions, ...cacheActions } : layerActions,
  ...rest,
});

const [queries, keys, values] = inputsOf(sizes);
const threeInputs = () => [queries, keys, values].map(loose);
const mask = (numKeys) => loose(numbers([length, numKeys]));
const lens = (numKeys) => ({ data: Float64Array.of(numKeys, 3), shape: [batchSize] });
const out = (numKeys) => ({
  output: new Float32Array(batchSize * length * 8),
  attentionWeights: new Float32Array(batchSize * 4 * length * numKeys),
});
const masks = (numKeys) => ({
  validLens: lens(numKeys),
  mask: mask(numKeys),
  causal: true,
  window: [9, 9],
  emptyRows: 'uniform',
});
const headGate = () => loose(numbers([batchSize, 4]));

const forward = ({ layer }, ...given) => layer.forward(...given);
const list = (tensor) => tensor.toArray();

const forwards = {
  'forward with gradients': ofLayer(
    forward,
    () => [
      ...threeInputs(),
      {
        ...masks(length),
        headGate: headGate(),
        requiresGrad: true,
        returnWeights: true,
        weightsStage: 'softmax',
        out: out(length),
      },
    ],
    { isThorough: true },
  ),
  'forward with a cache': ofLayer(
    forward,
    ({ cache }) => [
      ...threeInputs(),
      {
        ...masks(2 * length),
        headGate: headGate(),
        cache,
        returnWeights: true,
        out: out(2 * length),
      },
    ],
    { isThorough: true },
  ),
  'forward of a rotary layer with all that may be returned': ofLayer(
    forward,
    () => [
      ...threeInputs(),
      {
        positions: { data: Float64Array.from({ length }, (_, i) => 2 * i), shape: [length] },
        returnWeights: { heads: [3, 0], queries: [1, 0] },
        keyMass: true,
        capture: ['queries', 'scores', 'pooled'],
      },
    ],
    { options: { ...sized, rotary: { base: 100, size: 2, interleaved: true } } },
  ),
  'forward from a cache': ofLayer(forward, ({ cache }) => [
    loose(queries),
    null,
    null,
    { ...masks(length), headGate: headGate(), cache, returnWeights: true, out: out(length) },
  ]),
  'forward of lists': ofLayer(forward, () => [
    ...[queries, keys, values].map(list),
    {
      validLens: [[...Array(length).keys()], [...Array(length).keys()]],
      mask: [Array.from({ length }, () => Array.from({ length }, (_, i) => i % 3 !== 0))],
      headGate: [1, 0, 0.5, 2],
      out: { output: Tensor.zeros([batchSize, length, 8]) },
    },
  ]),
  'forward of booleans': ofLayer(forward, () => [
    ...[queries, keys, values].map(({ data, shape }) => ({ data: data.slice(), dims: [...shape] })),
    {
      mask: { data: new Uint8Array(length * length).fill(1), shape: [length, length] },
      headGate: Float64Array.of(1, 0, 0.5, 2),
    },
  ]),
  'forward that infers sizes': ofLayer(
    forward,
    () => [...threeInputs(), { requiresGrad: true, returnWeights: true, out: out(length) }],
    { options: layerOptions },
  ),
  'forward of convolutions': ofLayer(
    forward,
    () => [...[4, 5, 6].map((seed) => loose(inputs(8, seed))), { requiresGrad: true }],
    {
      options: { ...layerOptions, projection: 'convolution', pooling: 'additive' },
    },
  ),
};

const layers = {
  ...forwards,
  backward: ofLayer(
    ({ layer }, grad) => layer.backward(grad),
    ({ layer }) => [loose(gradOf(layer))],
  ),
  'backward of lists': ofLayer(
    ({ layer }, grad) => layer.backward(grad),
    ({ layer }) => [list(gradOf(layer))],
  ),
  loadStateDict: ofLayer(
    ({ layer }, dict) => layer.loadStateDict(dict),
    () => [mapValues(otherDict, loose)],
  ),
  'loadStateDict that infers sizes': ofLayer(
    ({ layer }, dict) => layer.loadStateDict(dict),
    () => [mapValues(otherDict, loose)],
    {
      options: layerOptions,
    },
  ),
  pruneHeads: ofLayer(
    ({ layer }, heads) => layer.pruneHeads(heads),
    () => [[0, 2]],
  ),
  'pruneHeads of integers': ofLayer(
    ({ layer }, heads) => layer.pruneHeads(heads),
    () => [Uint8Array.of(0, 2)],
  ),
  createCache: ofLayer(
    (subject, options) => {
      subject.made = subject.layer.createCache(options);
    },
    () => [{ batchSize, maxLength: 20 }],
    {
      observe: (subject) => [
        subject.made && observeCache(subject.layer, subject.made),
        observeAll(subject),
      ],
    },
  ),
};

/** What can be done while a call has no subject. */
const elsewhere = {
  'a layer runs': ({ layer }) => layer.forward(...inputsOf(layer), { returnWeights: true }),
  'threads end': () => dispose(),
};

/** A call that makes something of its arguments. */
const making = (make, args, observe) => ({
  prepare: () => ({ layer: new MultiHeadAttention(sized) }),
  call: (subject, given) => {
    subject.made = make(...given);
  },
  args,
  observe: ({ made }) => made && observe(made),
  actions: elsewhere,
});

const modelOptions = {
  vocabularySize: 6,
  maxLength: 8,
  numHiddens: 8,
  numHeads: 4,
  numLayers: 2,
  seed: 4,
};

const made = {
  'new MultiHeadAttention': making(
    (options) => new MultiHeadAttention(options),
    () => [
      {
        ...sized,
        outputSize: 6,
        numKvHeads: 2,
        scale: 0.5,
        softcap: 3,
        biasKv: true,
        zeroAttention: true,
        pooling: 'dot-product',
      },
    ],
    observeLayer,
  ),
  'new MultiHeadAttention, additive': making(
    (options) => new MultiHeadAttention(options),
    () => [
      {
        ...layerOptions,
        bias: false,
        pooling: 'additive',
        projection: 'none',
        attentionHiddens: 5,
      },
    ],
    observeLayer,
  ),
  ...mapValues(
    Object.fromEntries(
      ['d2l', 'nn.MultiheadAttention, packed', 'GPT-2'].map((name) => [
        `fromStateDict, ${name}`,
        layouts[name],
      ]),
    ),
    (layout) => {
      const layer = new MultiHeadAttention({
        ...layerOptions,
        querySize: 8,
        keySize: 8,
        valueSize: 8,
      });
      const dict = mapValues(layout(layer.stateDict()), loose);
      layer.dispose();
      return making(
        (...given) => MultiHeadAttention.fromStateDict(...given),
        () => [mapValues(dict, loose), { numHeads: 4, seed: 1, prefix: '', dropout: 0.5 }],
        observeLayer,
      );
    },
  ),
  'new AttentionOnlyTransformer': making(
    (options) => new AttentionOnlyTransformer(options),
    () => [
      {
        ...modelOptions,
        positions: 'learned',
        layerNorm: true,
        optimizer: { learningRate: 0.1, betas: [0.5, 0.5], epsilon: 1e-3 },
      },
    ],
    observeModel,
  ),
};

/** Two layers that have gradients. */
const prepareTwo = () => {
  const pair = [1, 2].map((seed) => new MultiHeadAttention({ ...sized, dropout: 0, seed }));
  pair.forEach((layer) => runBackAndForth(layer));
  return { pair };
};
const ofTwo = (call, args) => ({
  prepare: prepareTwo,
  call: (subject, given) => call(subject, ...given),
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
});
const training = {
  'new Adam': ofTwo(
    (subject, ...given) => {
      subject.made = new Adam(...given);
    },
    ({ pair }) => [
      [...pair],
      { learningRate: 0.1, betas: [0.5, 0.6], epsilon: 1e-3, weightDecay: 0.1 },
    ],
  ),
  'new SGD': ofTwo(
    (subject, ...given) => {
      subject.made = new SGD(...given);
    },
    ({ pair }) => [[...pair], { learningRate: 0.1, momentum: 0.5, weightDecay: 0.1 }],
  ),
  clipGradientNorm: ofTwo(
    (_, ...given) => clipGradientNorm(...given),
    ({ pair }) => [[...pair], 0.1],
  ),
};

const tokensOf = (rows) => ({
  data: Int32Array.from(rows.flat()),
  shape: [rows.length, rows[0].length],
});
const trainOn = (model, ...rest) => model.trainStep(tokens, targets, ...rest);

const prepareModel = () => {
  const model = new AttentionOnlyTransformer({
    ...modelOptions,
    dropout: 0.5,
    positions: 'learned',
  });
  const optimizer = new SGD(model, { learningRate: 0.1, momentum: 0.5 });
  trainOn(model);
  trainOn(model, optimizer);
  return { optimizer, model };
};
const otherModel = new AttentionOnlyTransformer({ ...modelOptions, seed: 9, positions: 'learned' });
const otherModelDict = otherModel.stateDict();
const ofModel = (call, args, rest) => ({
  prepare: prepareModel,
  call: (subject, given) => call(subject, ...given),
  args,
  observe: ({ model, optimizer }) => [observeModel(model), observeOptimizer(optimizer, model)],
  actions: {
    'model.dispose': ({ model }) => model.dispose(),
    'model.pruneHeads': ({ model }) => model.pruneHeads({ 0: [0, 1, 3], 1: [0] }),
    'model.forward': ({ model }) => model.forward([[1, 2]]),
    'model.trainStep': ({ model }) => trainOn(model),
    'model.lossAndGradients': ({ model }) => model.lossAndGradients(tokens, targets),
    'model.loadStateDict': ({ model }) => model.loadStateDict(otherModelDict),
    'model.train': ({ model }) => model.train(),
    'optimizer.dispose': ({ optimizer }) => optimizer.dispose(),
    'optimizer.step': ({ optimizer }) => optimizer.step(),
    'threads end': () => dispose(),
  },
  ...rest,
});
const gates = () => [loose(numbers([batchSize, 4])), [1, 0, 0.5, 2]];
const models = {
  'model.forward': ofModel(
    ({ model }, ...given) => model.forward(...given),
    () => [tokensOf(tokens), { headGates: gates(), returnWeights: true }],
  ),
  'model.loss': ofModel(
    ({ model }, ...given) => model.loss(...given),
    () => [tokensOf(tokens), tokensOf(targets), { headGates: gates() }],
  ),
  'model.lossAndGradients': ofModel(
    ({ model }, ...given) => model.lossAndGradients(...given),
    () => [tokens.map((row) => [...row]), targets.map((row) => [...row]), { headGates: gates() }],
  ),
  'model.trainStep': ofModel(
    ({ model }, ...given) => model.trainStep(...given),
    () => [tokensOf(tokens), tokensOf(targets)],
  ),
  'model.trainStep with an optimizer': ofModel(
    ({ model, optimizer }, ...given) => model.trainStep(...given, optimizer),
    () => [tokensOf(tokens), targets.map((row) => row.map(BigInt))],
  ),
  'model.loadStateDict': ofModel(
    ({ model }, dict) => model.loadStateDict(dict),
    () => [mapValues(otherModelDict, loose)],
  ),
  'model.pruneHeads': ofModel(
    ({ model }, heads) => model.pruneHeads(heads),
    () => [{ 0: [0, 2], 1: [1, 3] }],
  ),
};

/** A call without a subject; others go on meanwhile. */
const ofNothing = (call, args) => ({
  prepare: () => ({ layer: new MultiHeadAttention(sized) }),
  call: (_, given) => call(...given),
  args,
  observe: () => [],
  actions: elsewhere,
});

const heads = (seed) => loose(numbers([2, 4, 6, 5], seed));
const rows = (seed) => loose(numbers([2, 6, 4], seed));
const poolingOptions = (weights) => ({
  ...{
    validLens: Int32Array.of(6, 3),
    mask: loose(numbers([6, 6])),
    window: [3, 3],
    emptyRows: 'uniform',
  },
  ...{ queryOffset: 1, returnWeights: true, weightsStage: 'softmax' },
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
/** What can be compared of what was loaded. */
const partsOf = async ({ names, metadata, dtype, shape, read }) => [
  names,
  metadata,
  names.map((name) => [dtype(name), shape(name)]),
  await read(),
];
const npy = saveNpy(numbers([3, 4]));
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
  transposeQkv: ofNothing(transposeQkv, () => [rows(1), 2]),
  transposeOutput: ofNothing(transposeOutput, () => [rows(1), 2]),
  splitHeads: ofNothing(splitHeads, () => [rows(1), 2]),
  randn: ofNothing(Tensor.randn, () => [[3, 4], 5]),
  'new Tensor': ofNothing(
    (...given) => new Tensor(...given),
    () => [
      [1, 2, 3, 4, 5, 6],
      [2, 3],
    ],
  ),
  zeros: ofNothing(Tensor.zeros, () => [[2, 3]]),
  full: ofNothing(Tensor.full, () => [[2, 3], 2]),
  patternScores: ofNothing(patternScores, () => [weights(), { causal: true }]),
  inductionScores: ofNothing(inductionScores, () => [weights(), tokensOf(tokens)]),
  keyScores: ofNothing(keyScores, () => [weights(), tokensOf(targets)]),
  tasks: ofNothing(
    (...options) =>
      [CopyTask, ReverseTask, AssociativeRecallTask, InductionTask].map((Task, i) =>
        new Task(options[i]).batch(1, 3),
      ),
    () => [
      { numSymbols: 4, length: 6, offset: 2 },
      { numSymbols: 4, numItems: 3 },
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
  loadNpy: ofNothing(loadNpy, () => [npy.slice()]),
};

const measuring = (measure) => ({
  prepare: () => ({ layer: new MultiHeadAttention({ ...sized, numHeads: 2 }).train() }),
  call: ({ layer }, given) => measureHeadImportance(layer, ...given),
  args: () => [
    {
      measure,
      normalize: measure === 'gradient',
      batches: [
        {
          ...{ queries: loose(queries), keys: loose(keys), values: loose(values) },
          ...{ validLens: lens(length), mask: mask(length), causal: true, window: [9, 9] },
          ignoredKeys: { data: new Uint8Array(batchSize * length), shape: [batchSize, length] },
        },
      ],
      loss: {
        value: ({ data }) => data.reduce((sum, number) => sum + number ** 2, 0),
        gradient: (output) => loose(output),
      },
      onProgress: () => undefined,
      signal: { throwIfAborted: () => undefined },
    },
  ],
  observe: ({ layer }) => observeLayer(layer),
  actions: {
    'layer.dispose': layerActions['layer.dispose'],
    'layer.pruneHeads': ({ layer }) => layer.pruneHeads([0]),
    'layer.forward': layerActions['layer.forward'],
    'threads end': () => dispose(),
  },
  isOfCopy: true,
});

const measures = {
  'measureHeadImportance by gradient': measuring('gradient'),
  'measureHeadImportance by ablation': measuring('ablation'),
  'measureHeadImportance by confidence': measuring('confidence'),
  'measureHeadImportance of a model': ofModel(
    ({ model }, options) => measureHeadImportance(model, options),
    () => [
      {
        measure: 'gradient',
        batches: [{ tokens: tokensOf(tokens), targets: tokensOf(targets) }],
        onProgress: () => undefined,
        signal: { throwIfAborted: () => undefined },
      },
    ],
    { isOfCopy: true },
  ),
};

/** Objects of the caller's own in place of what a kind's passes take. */
const looseInput = ({ input }) => (Array.isArray(input) ? tokensOf(input) : loose(input));
const looseGiven = ({ given = {} }) =>
  mapValues(given, (value) =>
    Array.isArray(value[0]) ? tokensOf(value) : { data: Int32Array.from(value), shape: [2] },
  );

/** A transformer in training with all that belongs to it, and a pass to go back from. */
function prepareTransformer(kind) {
  const { options, input, given } = kind;
  const model = new Transformer(options).train();
  const optimizer = new SGD(model, { learningRate: 0.1, momentum: 0.5 });
  const subject = { optimizer, model };
  if (!model.vocabularySize) {
    model.forward(input, { requiresGrad: true });
    return subject;
  }
  model.trainStep(input, targets, undefined, given);
  model.trainStep(input, targets, optimizer, given);
  if (model.causal) {
    subject.cache = model.createCache({ batchSize, maxLength: 24 });
    model.forward(input, { source: given.source, cache: subject.cache });
  }
  model.forward(input, { ...given, requiresGrad: true });
  return subject;
}

const transformerActions = ({ options, input, given }) => ({
  'model.dispose': ({ model }) => model.dispose(),
  'model.pruneHeads': ({ model }) => model.pruneHeads({ 0: [0, 1] }),
  'model.forward with gradients': ({ model }) =>
    model.vocabularySize
      ? model.forward([[1, 2]], {
          ...(options.encoder && { source: [[3]] }),
          requiresGrad: true,
        })
      : model.forward(numbers([1, 1, 4, 4], 3), { requiresGrad: true }),
  'layer.forward with gradients': ({ model }) => {
    const X = numbers([3, 9, 8], 2);
    model.attention(0).forward(X, X, X, { requiresGrad: true });
  },
  'layer.pruneHeads': ({ model }) => model.attention(0).pruneHeads([0, 1]),
  'model.loadStateDict': ({ model }) => model.loadStateDict(model.gradients()),
  'model.eval': ({ model }) => model.eval(),
  'optimizer.dispose': ({ optimizer }) => optimizer.dispose(),
  ...(options.vocabularySize && {
    'model.trainStep': ({ model }) => model.trainStep(input, targets, undefined, given),
  }),
  ...(options.encoder && {
    'pruneHeads of the encoder': ({ model }) => model.pruneHeads({ 0: [1] }, { side: 'encoder' }),
  }),
  'threads end': () => dispose(),
});
const modelCacheActions = {
  'cache.dispose': ({ cache }) => cache.dispose(),
  'cache.truncate': ({ cache }) => cache.truncate(3),
  'cache.reset': ({ cache }) => cache.reset(),
  'cache is filled': ({ model, cache }) => {
    while (cache.length < 24) model.forward(tokens, { cache });
  },
};

const ofTransformer = (name, call, args, rest) => ({
  prepare: () => prepareTransformer(kinds[name]),
  call: (subject, given) => call(subject, ...given),
  args: (subject) => args(kinds[name], subject),
  observe: ({ model, optimizer, cache, made: other }) => [
    cache && observeModelCache(model, cache),
    other && observeModelCache(model, other),
    observeTransformer(model, kinds[name]),
    observeOptimizer(optimizer, model),
  ],
  actions: transformerActions(kinds[name]),
  ...rest,
});
const withCache = (name) => ({
  actions: { ...transformerActions(kinds[name]), ...modelCacheActions },
});

const onTransformer =
  (call) =>
  ({ model }, ...given) =>
    model[call](...given);
const headLists = (heads, count) => Array.from({ length: count }, () => loose(numbers([heads])));
const inside = {
  returnWeights: { heads: [1, 0], queries: [2, 0] },
  capture: ['scores', 'keys'],
};
const translation = 'encoder and decoder';
const sided = (kind) => ({
  ...looseGiven(kind),
  headGates: headLists(4, 1),
  crossHeadGates: headLists(4, 1),
  encoderHeadGates: headLists(2, 1),
});

const ofKinds = (use) =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => use(name, kind)));

const transformers = {
  ...ofKinds((name, kind) => [
    `new Transformer, ${name}`,
    making(
      (options) => new Transformer(options),
      () => [{ ...structuredClone(kind.options), optimizer: { betas: [0.5, 0.5] } }],
      (model) => observeTransformer(model, kind),
    ),
  ]),
  ...ofKinds((name, kind) => [
    `forward of a transformer, ${name}`,
    ofTransformer(name, onTransformer('forward'), () => [
      looseInput(kind),
      {
        ...(name === translation ? sided(kind) : looseGiven(kind)),
        ...(name === 'decoder' && { headGates: gates() }),
        ...inside,
        requiresGrad: true,
      },
    ]),
  ]),
  ...ofKinds((name) => [
    `backward of a transformer, ${name}`,
    ofTransformer(name, onTransformer('backward'), ({ length: rows = 8, options }) => [
      options.vocabularySize
        ? { hidden: loose(numbers([2, rows, 8])), logits: loose(numbers([2, rows, 6])) }
        : loose(numbers([2, rows, 8])),
    ]),
  ]),
  'forward of a transformer with a cache': ofTransformer(
    'decoder',
    onTransformer('forward'),
    (kind, { cache }) => [
      looseInput(kind),
      { validLens: lens(16), headGates: gates(), returnWeights: true, cache },
    ],
    withCache('decoder'),
  ),
  'forward of a transformer with a source in a cache': ofTransformer(
    translation,
    onTransformer('forward'),
    (kind, { cache }) => [
      tokens.map((row) => [...row]),
      { crossHeadGates: headLists(4, 1), returnWeights: true, cache },
    ],
    withCache(translation),
  ),
  'loss of a transformer': ofTransformer(translation, onTransformer('loss'), (kind) => [
    looseInput(kind),
    tokensOf(targets),
    sided(kind),
  ]),
  'lossAndGradients of a transformer': ofTransformer(
    translation,
    onTransformer('lossAndGradients'),
    (kind) => [looseInput(kind), tokensOf(targets), sided(kind)],
  ),
  'trainStep of a transformer': ofTransformer(
    'encoder',
    ({ model, optimizer }, input, asked, given) => model.trainStep(input, asked, optimizer, given),
    (kind) => [looseInput(kind), tokensOf(targets), looseGiven(kind)],
  ),
  'trainStep of a transformer with its own optimizer': ofTransformer(
    translation,
    ({ model }, input, asked, given) => model.trainStep(input, asked, undefined, given),
    (kind) => [looseInput(kind), tokensOf(targets), sided(kind)],
  ),
  'createCache of a transformer': ofTransformer(
    'decoder',
    (subject, options) => {
      subject.made = subject.model.createCache(options);
    },
    () => [{ batchSize, maxLength: 9 }],
  ),
  'stateDict of a transformer': ofTransformer('decoder', onTransformer('stateDict'), () => [
    { names: 'headwise' },
  ]),
  'gradients of a transformer': ofTransformer('decoder', onTransformer('gradients'), () => [
    { names: 'headwise' },
  ]),
  'loadStateDict of a transformer': ofTransformer(
    'patches',
    onTransformer('loadStateDict'),
    (kind) => {
      const model = new Transformer({ ...kind.options, seed: 9 });
      const dict = mapValues(model.stateDict(), loose);
      model.dispose();
      return [dict];
    },
  ),
  ...Object.fromEntries(
    [
      ['decoder', 'self', { 0: [0, 1], 1: [2, 3] }],
      [translation, 'cross', { 0: [1, 3] }],
      [translation, 'encoder', { 0: [1] }],
    ].map(([name, side, removed]) => [
      `pruneHeads of a transformer, ${side}`,
      ofTransformer(name, onTransformer('pruneHeads'), () => [structuredClone(removed), { side }]),
    ]),
  ),
  fromPretrained: making(
    (options) => Transformer.fromPretrained(options),
    () => [
      {
        ...looseCheckpoint('nanogpt-a'),
        ...{ dropout: 0.5, seed: 3, optimizer: { learningRate: 0.1 } },
      },
    ],
    (model) => observeTransformer(model, { input: tokens.map((row) => row.slice(0, 5)) }),
  ),
  'measureHeadImportance of a transformer': ofTransformer(
    translation,
    ({ model }, options) => measureHeadImportance(model, options),
    (kind) => [
      {
        measure: 'gradient',
        side: 'cross',
        batches: [{ tokens: looseInput(kind), targets: tokensOf(targets), ...looseGiven(kind) }],
        onProgress: () => undefined,
        signal: { throwIfAborted: () => undefined },
      },
    ],
    { isOfCopy: true },
  ),
};

export const calls = {
  ...{ ...layers, ...made, ...training, ...models, ...functions, ...measures, ...transformers },
};
