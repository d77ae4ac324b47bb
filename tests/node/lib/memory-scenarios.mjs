// Every public call that allocates, by groups. A scenario prepares a subject with plenty of memory, and makes one call
// with it; `observe` tells all that is seen of the subject, and may change it.
import {
  Adam,
  additiveAttention,
  AssociativeRecallTask,
  AttentionOnlyTransformer,
  clipGradientNorm,
  CopyTask,
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
  positionalEncoding,
  ReverseTask,
  saveNpy,
  saveSafetensors,
  scaledDotProductAttention,
  SGD,
  SortTask,
  splitHeads,
  Tensor,
  Transformer,
  transposeOutput,
  transposeQkv,
} from 'headwise';
// Initializes headwise before anything is made here.
import './memory.mjs';
import { npyFile } from './npy.mjs';
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
import { layouts } from './state-dicts.mjs';
import { kinds as transformerKinds, looseCheckpoint } from './transformer-kinds.mjs';

const nothing = () => undefined;
const disposeAll = (subject) =>
  Object.values(subject)
    .flat()
    .forEach((each) => each?.dispose?.());

/** A call on a subject whose parts are disposed of when all was seen; `needsNone`: it may find memory always. */
const scenario = (prepare, call, observe, { needsNone = false } = {}) => ({
  prepare,
  call: (subject) => call(subject) ?? 'done',
  observe,
  dispose: disposeAll,
  needsNone,
});

/** A call that makes what is then observed. */
const making = (make, observe) =>
  scenario(
    () => ({}),
    (subject) => {
      subject.made = make();
    },
    ({ made }) => made && observe(made),
  );

/** A call that has no subject. */
const plain = (call, options) => scenario(() => ({}), call, nothing, options);

const mapValues = (object, use) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, use(value, name)]));

/** The same scenarios with a word more in their names. */
const named = (word, group) =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [`${name}, ${word}`, value]));

const heads = { numHiddens: 48, numHeads: 4, seed: 3 };
const sizes = { querySize: 12, keySize: 12, valueSize: 12 };

/** Options of layers, with their sizes. */
const kinds = mapValues(
  {
    'linear with bias': { bias: true, ...sizes },
    'shared heads and slots': { numKvHeads: 2, biasKv: true, zeroAttention: true, ...sizes },
    'wide inputs': { querySize: 30, keySize: 300, valueSize: 100 },
    'a wide output': { outputSize: 500, ...sizes },
    'additive without W_o': {
      ...{ pooling: 'additive', attentionHiddens: 100, outputProjection: false, ...sizes },
    },
    convolution: { projection: 'convolution', pooling: 'additive', biasKv: true, ...sizes },
    'no projection': { projection: 'none', zeroAttention: true },
    'no projection, additive': { projection: 'none', pooling: 'additive', attentionHiddens: 300 },
    dropout: { dropout: 0.5, ...sizes },
  },
  (options) => ({ ...heads, ...options }),
);
const linear = kinds['linear with bias'];
const sizeNames = ['querySize', 'keySize', 'valueSize'];
const unsized = (options) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !sizeNames.includes(name)));
const ofKinds = (use) => mapValues(kinds, use);

const layerOf = (options) => {
  const layer = new MultiHeadAttention(options);
  return layer.dropout > 0 ? layer.train() : layer;
};

const validLens = [4, 9];
const lensOfQueries = Array.from({ length: batchSize }, (_, sample) =>
  Array.from({ length }, (__, query) => (query + sample) % (length + 1)),
);
const isEven = (_, i) => i % 3 !== 0;
const booleans = [Array.from({ length }, () => Array.from({ length }, isEven))];
const gates = numbers([batchSize, 4]);

const masks = {
  'with nothing': {},
  'with weights and causal': { returnWeights: true, weightsStage: 'masked', causal: true },
  'with lengths and a window': { validLens: lensOfQueries, window: [5, 1] },
  'with a float mask': { mask: numbers([length, length]), validLens, emptyRows: 'uniform' },
  'with booleans and gates': { mask: booleans, headGate: gates, returnWeights: true },
};

const requiresGrad = { requiresGrad: true };
const rotary = { ...linear, rotary: { size: 2 } };
const extras = {
  positions: Array.from({ length }, (_, i) => 3 * i),
  returnWeights: { heads: [1], queries: 'last' },
  keyMass: true,
  capture: ['queries', 'keys', 'values', 'scores', 'pooled', 'droppedWeights'],
};

/** A forward of a layer of these options, `before` which it does something else. */
const forwardOf = (options, given, before = nothing) =>
  scenario(
    () => {
      const layer = layerOf(options);
      before(layer);
      return { layer };
    },
    ({ layer }) => layer.forward(...inputsOf(layer, heads.numHiddens), given),
    ({ layer }) => observeLayer(layer),
  );

/** A forward of a layer that infers its sizes, and one of a layer that knows them. */
const firstAndLater = (options, given) => ({
  'the first forward': forwardOf(unsized(options), given),
  'a later forward': forwardOf(options, given, (layer) => layer.forward(...inputsOf(layer))),
});

/** Forwards of a layer that has another one pending, which must stay so if there is no room. */
const withPending = (options, given) => ({
  'a forward beside a smaller one': forwardOf(options, given, (layer) => {
    const first = ({ data, shape: [, , size] }) => new Tensor(data.slice(0, size), [1, 1, size]);
    layer.forward(...inputsOf(layer).map(first), requiresGrad);
  }),
  'a forward beside an equal one': forwardOf(options, given, (layer) => {
    layer.forward(...inputsOf(layer).map(({ shape: [, , size] }) => inputs(size, 9)), given);
  }),
});

const long = [1, 2, 3].map((seed) => numbers([2, 200, 12], seed));

/** A forward of which several threads do their part, where there are any. */
const longForward = (options, given) =>
  scenario(
    () => ({ layer: layerOf(options) }),
    ({ layer }) => layer.forward(...long, given),
    ({ layer }) => observeLayer(layer),
  );

/** A forward of a layer that had more heads when it last went back. */
const afterPruning = (options, given) =>
  scenario(
    () => {
      const layer = layerOf(options);
      runBackAndForth(layer);
      layer.pruneHeads([0, 1]);
      return { layer };
    },
    ({ layer }) => layer.forward(...inputsOf(layer), given),
    ({ layer }) => observeLayer(layer),
  );

const allMasks = { ...masks['with a float mask'], causal: true, headGate: gates };

const flatten = (groups) =>
  Object.assign({}, ...Object.entries(groups).map(([name, group]) => named(name, group)));

const cacheOptions = { batchSize, maxLength: 2 * length };
const ofCache = (call) =>
  mapValues(
    { 'one head each': linear, 'shared heads': kinds['shared heads and slots'] },
    (options) =>
      scenario(
        () => {
          const layer = new MultiHeadAttention(options);
          const cache = layer.createCache(cacheOptions);
          const inputs = inputsOf(layer);
          layer.forward(...inputs, { cache });
          return { layer, cache };
        },
        ({ layer, cache }) => call(layer, cache),
        ({ layer, cache }) => [observeCache(layer, cache), observeLayer(layer)],
      ),
  );

/** A layer that has learnt something, and an optimizer that has made a step. */
function trained(options, newOptimizer) {
  const layer = layerOf(options);
  const optimizer = newOptimizer?.(layer);
  runBackAndForth(layer);
  optimizer?.step();
  runBackAndForth(layer);
  return { optimizer, layer };
}

const optimizers = {
  Adam: (layers) => new Adam(layers, { learningRate: 0.1, weightDecay: 0.1 }),
  'SGD with momentum': (layers) => new SGD(layers, { learningRate: 0.1, momentum: 0.5 }),
};

const small = { numHiddens: 2, numHeads: 1, seed: 1, querySize: 2, keySize: 2, valueSize: 2 };
const many = (count) => Array.from({ length: count }, () => new MultiHeadAttention(small));
/** Layers that no call changes, since they have no gradients. */
const idle = many(999);

const observeTrained = ({ optimizer, layer }) => [
  observeOptimizer(optimizer, layer),
  observeLayer(layer),
];

const modelKinds = {
  'a plain model': { vocabularySize: 50, numHiddens: 64 },
  'a model with all': {
    ...{ vocabularySize: 6, positions: 'learned', layerNorm: true, bias: true, dropout: 0.5 },
  },
  'a deep model': { vocabularySize: 6, numHiddens: 8, numLayers: 8 },
};
const modelOptions = { maxLength: 8, numHiddens: 32, numHeads: 4, numLayers: 2, seed: 4 };
const ofModels = (use) => mapValues(modelKinds, (kind) => use({ ...modelOptions, ...kind }));
const onModel = (call, before = nothing, options = {}) =>
  ofModels((given) =>
    scenario(
      () => {
        const model = new AttentionOnlyTransformer(given);
        const optimizer = new SGD(model, { momentum: 0.5 });
        before(model, optimizer);
        return { optimizer, model };
      },
      ({ model, optimizer }) => call(model, optimizer),
      ({ model, optimizer }) => [observeModel(model), observeOptimizer(optimizer, model)],
      options,
    ),
  );
const train = (model) => model.trainStep(tokens, targets);
const headGates = (model) => model.numHeads.map((count) => numbers([count]));

const measured = (make, options) =>
  mapValues({ gradient: {}, ablation: {}, confidence: {}, entropy: {} }, (_, measure) =>
    scenario(
      () => ({ made: make() }),
      ({ made }) => measureHeadImportance(made, { measure, ...options }),
      ({ made }) => (made instanceof MultiHeadAttention ? observeLayer : observeModel)(made),
    ),
  );

const separate = (seed) => numbers([batchSize, 4, 30, 8], seed);
const rows = (seed) => numbers([batchSize, 30, 16], seed);
const additive = { W_q: numbers([40, 16]), W_k: numbers([40, 16], 2), w_v: numbers([1, 40], 3) };
const weights = new Tensor(
  numbers([2, 30, 8, 8]).data.map((number) => number ** 2),
  [2, 30, 8, 8],
);
const [Q, K, V] = [1, 2, 3].map(separate);
const [q, k, v] = [1, 2, 3].map(rows);
const lens = [7, 30];
const bytesOf = (count) => Array.from({ length: count }, (_, i) => i % 60);
const manyTensors = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`tensor number ${i}`, numbers([i, 3], i)]),
);
const metadata = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`text ${i}`, 'of some length']),
);
const dictionary = (descr, order) =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (20, 30), }`;

/** As the kinds of hostile calls, but larger than the holes that they are to miss. */
const transformers = mapValues(transformerKinds, ({ options, ...kind }) => ({
  ...kind,
  options: { ...options, numHiddens: 32 },
}));
const isTrained = ({ options }) => options.vocabularySize !== undefined;
const isCausal = (kind) => isTrained(kind) && kind.options.causal !== false;

/** A call on a transformer in training, `before` which it does something else. */
const onTransformer = (call, { before = nothing, isFor = () => true, ...options } = {}) =>
  Object.fromEntries(
    Object.entries(transformers)
      .filter(([, kind]) => isFor(kind))
      .map(([name, kind]) => [
        name,
        scenario(
          () => {
            const model = new Transformer(kind.options).train();
            const optimizer = new SGD(model, { momentum: 0.5 });
            const subject = { optimizer, model };
            before(subject, kind);
            return subject;
          },
          (subject) => call(subject, kind),
          ({ model, optimizer, cache, made: other }) => [
            cache && observeModelCache(model, cache),
            other && observeModelCache(model, other),
            observeTransformer(model, kind),
            observeOptimizer(optimizer, model),
          ],
          options,
        ),
      ]),
  );
const goForward = ({ model }, { input, given }) =>
  model.forward(input, { ...given, requiresGrad: true });
const goSmaller = ({ model }, { input, given }) => {
  const first = (value) => (Array.isArray(value) ? value.slice(0, 1) : undefined);
  const one = Array.isArray(input) ? [[1, 2]] : numbers([1, 1, 4, 4], 3);
  const { source } = given ?? {};
  model.forward(one, { source: first(source), requiresGrad: true });
};
const trainTransformer = ({ model, optimizer }, { input, given }) => {
  model.trainStep(input, targets, undefined, given);
  model.trainStep(input, targets, optimizer, given);
};
const fillCache = (subject, { given }) => {
  subject.cache = subject.model.createCache({ batchSize, maxLength: 24 });
  subject.model.forward(tokens, { cache: subject.cache, source: given.source });
};
const lossAndGradients = ({ model }, { input, given }) =>
  model.lossAndGradients(input, targets, given);
const pruneSome = ({ model }) => model.pruneHeads({ 0: [0, 1] });
const checkpoint = looseCheckpoint('gpt2-a');
const pretrained = () => Transformer.fromPretrained(checkpoint);
const observePretrained = (model) =>
  observeTransformer(model, { input: tokens.map((row) => row.slice(0, 5)) });

export const scenarios = {
  'new layers': {
    ...ofKinds((options) => making(() => layerOf(options), observeLayer)),
    ...named(
      'unknown sizes',
      ofKinds((options) => making(() => layerOf(unsized(options)), observeLayer)),
    ),
  },
  forward: {
    ...flatten(mapValues(masks, (given) => firstAndLater(linear, given))),
    ...ofKinds((options) => forwardOf(unsized(options), {})),
    'after pruning': afterPruning(linear, {}),
    'of long inputs': longForward(unsized(linear), { returnWeights: true }),
    ...named('with all that may be returned', firstAndLater(rotary, extras)),
    'of long inputs with all that may be returned': longForward(rotary, {
      ...extras,
      positions: undefined,
    }),
  },
  'forward with requiresGrad': {
    ...flatten(
      ofKinds((options) => ({
        ...firstAndLater(options, requiresGrad),
        ...withPending(options, requiresGrad),
      })),
    ),
    ...named('with masks', firstAndLater(linear, { ...allMasks, ...requiresGrad })),
    ...named('with masks', withPending(linear, { ...allMasks, ...requiresGrad })),
    'of long inputs': longForward(linear, { ...requiresGrad, window: [50, 0] }),
    'after pruning': afterPruning(linear, requiresGrad),
    'after pruning shared heads': afterPruning(kinds['shared heads and slots'], requiresGrad),
    'after pruning, with masks': afterPruning(linear, {
      ...allMasks,
      headGate: undefined,
      ...requiresGrad,
    }),
  },
  backward: {
    ...ofKinds((options) =>
      scenario(
        () => {
          const layer = layerOf(options);
          layer.forward(...inputsOf(layer), { ...allMasks, ...requiresGrad });
          return { layer };
        },
        ({ layer }) => layer.backward(gradOf(layer)),
        ({ layer }) => observeLayer(layer),
      ),
    ),
  },
  caches: {
    ...named(
      'createCache',
      ofKinds((options) =>
        scenario(
          () => ({ layer: new MultiHeadAttention(options) }),
          (subject) => {
            subject.cache = subject.layer.createCache({ batchSize, maxLength: 200 });
          },
          ({ layer, cache }) => [cache && observeCache(layer, cache), observeLayer(layer)],
        ),
      ),
    ),
    ...named(
      'forward',
      ofCache((layer, cache) =>
        layer.forward(...inputsOf(layer), { cache, returnWeights: true, causal: true }),
      ),
    ),
    ...named(
      'null keys',
      ofCache((layer, cache) => {
        const [X] = inputsOf(layer);
        return layer.forward(X, null, null, { cache, returnWeights: true });
      }),
    ),
  },
  'state dicts': {
    ...named(
      'loadStateDict that infers sizes',
      ofKinds((options) => {
        const dict = new MultiHeadAttention({ ...options, seed: 9 }).stateDict();
        return scenario(
          () => ({ layer: layerOf(unsized(options)) }),
          ({ layer }) => layer.loadStateDict(dict),
          ({ layer }) => observeLayer(layer),
          { needsNone: options.projection === 'none' },
        );
      }),
    ),
    ...mapValues(
      {
        stateDict: (layer) => layer.stateDict(),
        gradients: (layer) => layer.gradients(),
        zeroGradients: (layer) => layer.zeroGradients(),
        loadStateDict: (layer) => layer.loadStateDict(layer.gradients()),
        'train and eval': (layer) => layer.eval().train().numHeads,
      },
      (call) =>
        scenario(
          () => trained(linear),
          ({ layer }) => call(layer),
          ({ layer }) => observeLayer(layer),
          { needsNone: true },
        ),
    ),
    ...mapValues(layouts, (layout) => {
      const { numHiddens } = heads;
      const equal = { querySize: numHiddens, keySize: numHiddens, valueSize: numHiddens };
      const layer = new MultiHeadAttention({ ...linear, ...equal });
      const dict = layout(layer.stateDict());
      layer.dispose();
      return making(
        () => MultiHeadAttention.fromStateDict(dict, { numHeads: 4, seed: 1 }),
        observeLayer,
      );
    }),
  },
  pruning: {
    ...flatten(
      mapValues(optimizers, (newOptimizer) =>
        mapValues(
          {
            pruneHeads: linear,
            'pruneHeads of shared heads': kinds['shared heads and slots'],
            'pruneHeads with a wide output': kinds['a wide output'],
            'pruneHeads with wide inputs': kinds['wide inputs'],
            'pruneHeads of additive pooling': { ...heads, ...sizes, pooling: 'additive' },
          },
          (options) =>
            scenario(
              () => trained(options, newOptimizer),
              ({ layer }) => layer.pruneHeads([0, 1]),
              observeTrained,
            ),
        ),
      ),
    ),
    'pruneHeads without gradients': scenario(
      () => ({ layer: layerOf(linear) }),
      ({ layer }) => layer.pruneHeads([2]),
      ({ layer }) => observeLayer(layer),
    ),
  },
  optimizers: flatten(
    mapValues(optimizers, (newOptimizer) => ({
      'a new one': scenario(
        () => trained(linear),
        (subject) => {
          subject.optimizer = newOptimizer(subject.layer);
        },
        ({ layer, optimizer }) => [
          optimizer && observeOptimizer(optimizer, layer),
          observeLayer(layer),
        ],
        { needsNone: true },
      ),
      'a new one of 400 layers': scenario(
        () => trained(linear),
        (subject) => {
          subject.optimizer = newOptimizer([subject.layer, ...idle.slice(1, 400)]);
        },
        ({ layer, optimizer }) => [
          optimizer && observeOptimizer(optimizer, layer),
          observeLayer(layer),
        ],
      ),
      'a first step': scenario(
        () => {
          const { layer } = trained(linear);
          return { optimizer: newOptimizer(layer), layer };
        },
        ({ optimizer }) => optimizer.step(),
        observeTrained,
      ),
      'a first step of 60 layers': scenario(
        () => {
          const layers = many(60);
          layers.forEach((layer) => runBackAndForth(layer));
          return { optimizer: newOptimizer(layers), layers };
        },
        ({ optimizer }) => optimizer.step(),
        ({ optimizer, layers }) => observeOptimizer(optimizer, layers[0], layers[59]),
      ),
      'a later step': scenario(
        () => trained(linear, newOptimizer),
        ({ optimizer }) => optimizer.step(),
        observeTrained,
        { needsNone: true },
      ),
      'a step after pruning': scenario(
        () => {
          const { optimizer, layer } = trained(linear, newOptimizer);
          layer.pruneHeads([1]);
          return { optimizer, layer };
        },
        ({ optimizer }) => optimizer.step(),
        observeTrained,
        { needsNone: true },
      ),
      'a step after pruning in 60 layers': scenario(
        () => {
          const layers = Array.from(
            { length: 60 },
            () => new MultiHeadAttention({ ...small, numHeads: 2 }),
          );
          const optimizer = newOptimizer(layers);
          layers.forEach((layer) => runBackAndForth(layer));
          optimizer.step();
          layers.forEach((layer) => layer.pruneHeads([1]));
          return { optimizer, layers };
        },
        ({ optimizer }) => optimizer.step(),
        ({ optimizer, layers }) => observeOptimizer(optimizer, layers[0], layers[59]),
        { needsNone: true },
      ),
      zeroGradients: scenario(
        () => trained(linear, newOptimizer),
        ({ optimizer }) => optimizer.zeroGradients(),
        observeTrained,
        { needsNone: true },
      ),
    })),
  ),
  clipGradientNorm: mapValues({ 'one layer': 0, '1000 layers': 999 }, (count) =>
    scenario(
      () => trained(linear),
      ({ layer }) => clipGradientNorm([layer, ...idle.slice(0, count)], 0.5),
      ({ layer }) => observeLayer(layer),
      { needsNone: count === 0 },
    ),
  ),
  models: {
    ...named(
      'new',
      ofModels((options) => making(() => new AttentionOnlyTransformer(options), observeModel)),
    ),
    ...named(
      'forward',
      onModel((model) =>
        model.forward(tokens, { returnWeights: true, headGates: headGates(model) }),
      ),
    ),
    ...named(
      'loss',
      onModel((model) => model.loss(tokens, targets, { headGates: headGates(model) })),
    ),
    ...named(
      'stateDict',
      onModel((model) => model.stateDict(), train, { needsNone: true }),
    ),
    ...named(
      'gradients',
      onModel((model) => model.gradients(), train, { needsNone: true }),
    ),
    ...named(
      'zeroGradients',
      onModel((model) => model.zeroGradients(), train, { needsNone: true }),
    ),
    ...named(
      'loadStateDict',
      onModel((model) => model.loadStateDict(model.gradients()), train, { needsNone: true }),
    ),
  },
  'training models': {
    ...named(
      'lossAndGradients',
      onModel((model) => model.lossAndGradients(tokens, targets)),
    ),
    ...named(
      'lossAndGradients with gates',
      onModel(
        (model) => model.lossAndGradients(tokens, targets, { headGates: headGates(model) }),
        train,
      ),
    ),
    ...named('the first trainStep', onModel(train)),
    ...named('a later trainStep', onModel(train, train)),
    ...named(
      'trainStep with SGD',
      onModel((model, optimizer) => model.trainStep(tokens, targets, optimizer), train),
    ),
    ...named(
      'trainStep after pruning',
      onModel(train, (model) => {
        train(model);
        model.pruneHeads({ 0: [1], 1: [0, 2] });
      }),
    ),
    ...named(
      'lossAndGradients after pruning',
      onModel(
        (model) => model.lossAndGradients(tokens, targets),
        (model) => {
          train(model);
          model.pruneHeads({ 0: [1], 1: [0, 2] });
        },
      ),
    ),
    ...named(
      'pruneHeads',
      onModel((model) => model.pruneHeads({ 0: [1], 1: [0, 2] })),
    ),
    ...named(
      'pruneHeads of a trained one',
      onModel(
        (model) => model.pruneHeads({ 0: [1], 1: [0, 2] }),
        (model, optimizer) => {
          train(model);
          model.trainStep(tokens, targets, optimizer);
        },
      ),
    ),
  },
  transformers: {
    ...named(
      'new',
      mapValues(transformers, (kind) =>
        making(
          () => new Transformer(kind.options),
          (model) => observeTransformer(model, kind),
        ),
      ),
    ),
    fromPretrained: making(pretrained, observePretrained),
    ...mapValues(
      {
        'stateDict of a checkpoint': (model) => model.stateDict({ names: 'pretrained' }),
        'gradients of a checkpoint': (model) => model.gradients({ names: 'pretrained' }),
        'config of a checkpoint': (model) => model.config(),
      },
      (call) =>
        scenario(
          () => ({ made: pretrained() }),
          ({ made: model }) => call(model),
          ({ made: model }) => observePretrained(model),
          { needsNone: true },
        ),
    ),
    ...named(
      'loadStateDict',
      onTransformer(({ model }) => model.loadStateDict(model.gradients()), {
        ...{ before: goForward, needsNone: true },
      }),
    ),
    ...named(
      'pruneHeads',
      onTransformer(pruneSome, {
        before: (subject, kind) =>
          isTrained(kind) ? trainTransformer(subject, kind) : goForward(subject, kind),
      }),
    ),
    ...named(
      'measureHeadImportance',
      onTransformer(
        ({ model }, { input, given }) =>
          measureHeadImportance(model, { batches: [{ tokens: input, targets, ...given }] }),
        { isFor: isTrained },
      ),
    ),
  },
  'passes of transformers': {
    ...named(
      'forward',
      onTransformer(
        ({ model }, { input, given }) =>
          model.forward(input, { ...given, returnWeights: true, capture: ['scores', 'pooled'] }),
        { before: goSmaller },
      ),
    ),
    ...named('forward with requiresGrad', onTransformer(goForward)),
    ...named('forward beside a smaller one', onTransformer(goForward, { before: goSmaller })),
    ...named('forward beside a larger one', onTransformer(goSmaller, { before: goForward })),
    ...named(
      'backward',
      onTransformer(
        ({ model }, { length = 8 }) => model.backward(numbers([batchSize, length, 32], 5)),
        { before: goForward },
      ),
    ),
    ...named(
      'createCache',
      onTransformer(
        (subject) => {
          subject.made = subject.model.createCache({ batchSize, maxLength: 20 });
        },
        { isFor: isCausal },
      ),
    ),
    ...named(
      'forward with a new cache',
      onTransformer(
        ({ model, cache }, { given }) => model.forward(tokens, { cache, source: given.source }),
        {
          isFor: isCausal,
          before: (subject) => {
            subject.cache = subject.model.createCache({ batchSize, maxLength: 24 });
          },
        },
      ),
    ),
    ...named(
      'forward with a cache',
      onTransformer(({ model, cache }) => model.forward(tokens, { cache, returnWeights: true }), {
        ...{ isFor: isCausal, before: fillCache },
      }),
    ),
    ...named(
      'generate',
      onTransformer(
        ({ model }, { given }) =>
          model.generate([1, 2], {
            ...{ maxNewTokens: 3, temperature: 1, seed: 1 },
            ...(given.source && { source: given.source[0] }),
          }),
        { isFor: isCausal, before: goForward },
      ),
    ),
  },
  'training transformers': {
    ...named(
      'loss',
      onTransformer(({ model }, { input, given }) => model.loss(input, targets, given), {
        ...{ isFor: isTrained, before: goForward },
      }),
    ),
    ...named(
      'lossAndGradients',
      onTransformer(lossAndGradients, { isFor: isTrained, before: goSmaller }),
    ),
    ...named(
      'lossAndGradients after pruning',
      onTransformer(lossAndGradients, {
        isFor: isTrained,
        before: (subject, kind) => {
          trainTransformer(subject, kind);
          pruneSome(subject);
        },
      }),
    ),
    ...named(
      'the first trainStep',
      onTransformer(
        ({ model }, { input, given }) => model.trainStep(input, targets, undefined, given),
        { isFor: isTrained },
      ),
    ),
    ...named(
      'trainStep with SGD',
      onTransformer(
        ({ model, optimizer }, { input, given }) =>
          model.trainStep(input, targets, optimizer, given),
        { isFor: isTrained, before: goForward },
      ),
    ),
  },
  measureHeadImportance: {
    ...named(
      'of a layer',
      measured(() => layerOf(linear), {
        batches: [
          { queries: inputs(12, 1), keys: inputs(12, 2), values: inputs(12, 3), validLens },
        ],
        loss: { value: ({ data }) => data[0], gradient: (output) => output },
      }),
    ),
    ...named(
      'of a model',
      measured(() => new AttentionOnlyTransformer({ ...modelOptions, vocabularySize: 6 }), {
        batches: [{ tokens, targets }],
      }),
    ),
  },
  functions: {
    scaledDotProductAttention: plain(() => scaledDotProductAttention(Q, K, V)),
    'scaledDotProductAttention with all': plain(() =>
      scaledDotProductAttention(Q, K, V, {
        validLens: lens,
        mask: numbers([30, 30]),
        returnWeights: true,
        softcap: 3,
      }),
    ),
    additiveAttention: plain(() => additiveAttention(q, k, v, additive)),
    'additiveAttention with all': plain(() =>
      additiveAttention(q, k, v, additive, { validLens: lens, causal: true, returnWeights: true }),
    ),
    maskedSoftmax: plain(() => maskedSoftmax(q, [7, 16])),
    transposeQkv: plain(() => transposeQkv(q, 4)),
    transposeOutput: plain(() => transposeOutput(q, 2)),
    splitHeads: plain(() => splitHeads(q, 4)),
    randn: plain(() => Tensor.randn([40, 50], 3)),
    positionalEncoding: plain(() => positionalEncoding(40, 50), { needsNone: true }),
    'other tensors': plain(() => [Tensor.zeros([9]), Tensor.ones([9]), Tensor.full([9], 2)], {
      needsNone: true,
    }),
  },
  scores: {
    patternScores: plain(() => patternScores(weights, { causal: true })),
    inductionScores: plain(() => inductionScores(weights, tokens)),
    keyScores: plain(() => keyScores(weights, targets)),
  },
  tasks: mapValues(
    {
      copy: () => new CopyTask({ numSymbols: 5, length: 30 }),
      reverse: () => new ReverseTask({ numSymbols: 5, numItems: 20 }),
      sort: () => new SortTask({ numSymbols: 50, numItems: 20 }),
      recall: () =>
        new AssociativeRecallTask({ numNames: 9, numValues: 5, numPairs: 9, numQuestions: 3 }),
      induction: () => new InductionTask({ numSymbols: 9, length: 20, minPeriod: 3, maxPeriod: 9 }),
    },
    (make) => plain(() => make().batch(3, 50, 7)),
  ),
  files: {
    saveSafetensors: plain(() => saveSafetensors(manyTensors, metadata)),
    loadSafetensors: plain(() => ({ ...loadSafetensors(file).tensors })),
    'loadSafetensors, all read': plain(() => loadSafetensors(file).read()),
    'loadSafetensors from a Blob': plain(async () => (await loadSafetensors(blob)).read()),
    loadShardedSafetensors: plain(async () =>
      (await loadShardedSafetensors(index, () => blob)).read(),
    ),
    saveNpy: plain(() => saveNpy(numbers([20, 30]))),
    loadNpy: plain(() => loadNpy(npyFile(dictionary('<f8', 'False'), bytesOf(4800)))),
    'loadNpy in Fortran order': plain(() =>
      loadNpy(npyFile(dictionary('>i2', 'True'), bytesOf(1200))),
    ),
  },
};

const file = saveSafetensors(manyTensors, metadata);
const blob = new Blob([file]);
const index = { weight_map: mapValues(manyTensors, () => 'file') };
