// The observable state of layers, models, caches and optimizers, to compare two of them, or one before and after a
// call, bit for bit.
import assert from 'node:assert/strict';
import { HeadwiseError, Tensor } from 'headwise';

const made = new Map();

/** The same tensor for the same shape and seed, made without headwise. */
export function numbers(shape, seed = 1) {
  const key = `${shape} ${seed}`;
  if (!made.has(key)) {
    const length = shape.reduce((a, b) => a * b, 1);
    const numberAt = (_, i) => Math.sin(12.9898 * (i + 1) + 78.233 * seed);
    made.set(key, new Tensor(Float32Array.from({ length }, numberAt), shape));
  }
  return made.get(key);
}

/** What a call gives, or the code of its HeadwiseError. No other error may come. */
export function outcome(call) {
  try {
    return { value: call() };
  } catch (error) {
    if (!(error instanceof HeadwiseError)) throw error;
    return { code: error.code };
  }
}

export const batchSize = 2;
export const length = 12;
/** Inputs of a size, (batchSize, length, size). */
export const inputs = (size, seed) => numbers([batchSize, length, size], seed);

/** Three inputs that fit a layer; sizes that are not known yet are `size`. */
export const inputsOf = ({ querySize, keySize, valueSize }, size = 12) =>
  [querySize, keySize, valueSize].map((known, i) => inputs(known ?? size, i + 1));

export const gradOf = ({ outputSize }) => inputs(outputSize, 4);

/** A forward and a backward, which leave gradients. */
export function runBackAndForth(layer, options) {
  layer.forward(...inputsOf(layer), { ...options, requiresGrad: true });
  layer.backward(gradOf(layer));
}

/** The state of a layer, which this changes. */
export function observeLayer(layer) {
  const { numHeads, numHiddens, numKvHeads, querySize, keySize, valueSize, training, disposed } =
    layer;
  return [
    { numHeads, numHiddens, numKvHeads, querySize, keySize, valueSize, training, disposed },
    outcome(() => layer.stateDict()),
    outcome(() => layer.gradients()),
    // What was pending, then what is left of it.
    outcome(() => layer.backward(gradOf(layer))),
    outcome(() => layer.gradients()),
    outcome(() => layer.forward(...inputsOf(layer), { returnWeights: true })),
    outcome(() => layer.stateDict()),
  ];
}

/** The state of a layer's cache, which this changes. */
export function observeCache(layer, cache) {
  assert.ok(cache.length <= cache.maxLength, `${cache.length} of ${cache.maxLength} positions`);
  const { length } = cache;
  const [X] = inputsOf(layer);
  const attend = () => layer.forward(X, null, null, { cache, returnWeights: true });
  return [length, outcome(attend), outcome(() => cache.truncate(length)), outcome(attend)];
}

/** What an optimizer makes of layers or models that have gradients: two steps of it. */
export function observeOptimizer(optimizer, ...trainables) {
  const states = () => trainables.map((each) => outcome(() => each.stateDict()));
  const step = () => [outcome(() => optimizer.step()), states()];
  return [optimizer.learningRate, optimizer.disposed, step(), step()];
}

export const tokens = [
  [1, 2, 3, 4, 1, 2, 3, 4],
  [0, 5, 0, 5, 0, 5, 0, 5],
];
export const targets = [
  [-1, -1, -1, -1, 2, 3, 4, 1],
  [-1, -1, 5, 0, 5, 0, 5, 0],
];

/** The state of a `Transformer`, given inputs of its passes, which this changes. */
export function observeTransformer(model, { input, length = 8, given = {} }) {
  const { numHeads, numLayers, numEncoderLayers, training, disposed, learningRate } = model;
  const trains = () => outcome(() => model.trainStep(input, targets, undefined, given));
  return [
    { numHeads, numLayers, numEncoderLayers, training, disposed, learningRate },
    outcome(() => model.stateDict()),
    outcome(() => model.gradients()),
    // What was pending, then what is left of it.
    outcome(() => model.backward(numbers([batchSize, length, model.numHiddens], 5))),
    outcome(() => model.gradients()),
    outcome(() => model.forward(input, { ...given, returnWeights: true })),
    // What its own optimizer keeps shows in steps.
    ...(model.vocabularySize > 0 ? [trains(), trains()] : []),
    outcome(() => model.stateDict()),
    outcome(() => model.config()),
  ];
}

/** The state of a `Transformer`'s cache, which this changes. */
export function observeModelCache(model, cache) {
  assert.ok(cache.length <= cache.maxLength, `${cache.length} of ${cache.maxLength} positions`);
  const { length, batchSize, disposed } = cache;
  const attend = () => outcome(() => model.forward(tokens, { cache, returnWeights: true }));
  const truncated = outcome(() => cache.truncate(Math.min(length, 5)));
  return [{ length, batchSize, disposed }, truncated, attend(), cache.length];
}
