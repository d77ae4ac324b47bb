// headwise, as built in dist/. A call copies the inputs in and writes the result to an array that is
// used again, or with `fresh` to a new one.
import {
  init,
  maskedSoftmax,
  MultiHeadAttention,
  ResidentTensor,
  SGD,
} from '../../../dist/index.js';
import { generation, modelTraining } from './headwise-model.mjs';
import { afterAnother, checkedBy, training } from '../timing.mjs';

export async function load({ threads, variant = 'auto', fresh = false, pass = 'forward' }) {
  const chosen = await init({ variant, threads });
  return {
    about: chosen,
    prepare: (problem, models) => {
      if (problem.kind === 'generation') return generation(problem, models);
      if (problem.kind === 'model-training') return modelTraining(problem);
      return problem.kind === 'softmax' ? softmax(problem, fresh) : layer(problem, fresh, pass);
    },
  };
}

function softmax({ batch, queries, keys, validLens, data }, fresh) {
  const scores = { data: data.scores, shape: [batch, queries, keys] };
  const options = fresh ? {} : { out: new Float32Array(data.scores.length) };
  return () => maskedSoftmax(scores, validLens, options).data;
}

/** Whether rows of so many numbers have this sum. */
function expectSums({ data }, size, sum) {
  for (let begin = 0; begin < data.length; begin += size) {
    const found = data.subarray(begin, begin + size).reduce((a, b) => a + b, 0);
    if (!(Math.abs(found - sum) <= 1e-3 * sum)) throw new Error(`weights that sum to ${found}`);
  }
}

const rowsOfWeights = ({ attentionWeights }, { keys }) => expectSums(attentionWeights, keys, 1);

/** Forward passes that also give weights or what is summed of them. */
const lookingPasses = {
  'last-query': { options: { returnWeights: { queries: 'last' } }, check: rowsOfWeights },
  'one-head': { options: { returnWeights: { heads: [0] } }, check: rowsOfWeights },
  'key-mass': {
    options: { keyMass: true },
    check: ({ keyMass }, { keys, queries }) => expectSums(keyMass, keys, queries),
  },
};

function layer(problem, fresh, pass) {
  const { kind, batch, queries, keys, numHiddens, numHeads, validLens, data, weights } = problem;
  const square = [numHiddens, numHiddens];
  const dict = {};
  for (const [name, weight] of Object.entries(weights)) {
    dict[`${name}.weight`] = { data: weight, shape: square };
  }
  const attention = MultiHeadAttention.fromStateDict(dict, { numHeads });
  const x = { data: data.queries, shape: [batch, queries, numHiddens] };
  const y =
    kind === 'self' || kind === 'training'
      ? x
      : { data: data.keys, shape: [batch, keys, numHiddens] };
  const options = {
    ...(validLens && { validLens }),
    ...(!fresh && { out: { output: new Float32Array(data.queries.length) } }),
  };
  const forward = () => attention.forward(x, y, y, options).output.data;
  if (kind === 'training') return train(attention, x, problem);
  if (pass === 'backward') {
    const gradOutput = { data: data.queries, shape: x.shape };
    return afterAnother(
      forward(),
      () => attention.forward(x, y, y, { ...options, requiresGrad: true }),
      () => attention.backward(gradOutput),
    );
  }
  if (pass in lookingPasses) {
    const { options: looking, check } = lookingPasses[pass];
    const look = () => attention.forward(x, y, y, { ...options, ...looking });
    check(look(), problem);
    return checkedBy(forward(), look);
  }
  if (pass === 'resident') {
    const resident = ({ data: numbers, shape }) => {
      const tensor = new ResidentTensor(shape);
      tensor.data.set(numbers);
      return tensor;
    };
    const [ownX, output] = [resident(x), new ResidentTensor(x.shape)];
    const ownY = y === x ? ownX : resident(y);
    const given = { ...options, out: { output } };
    return () => attention.forward(ownX, ownY, ownY, given).output.data;
  }
  if (pass === 'half-pruned') return halfPruned(attention, x, y, options);

  /** What is timed with a layer of these weights. */
  const passOf = (timed, precision) => {
    if (kind !== 'cached') return () => timed.forward(x, y, y, options).output.data;
    // The query attends to what the cache holds and adds nothing to it: two projections and the
    // pooling are timed, as in the peers, whose projected keys and values are constants.
    const cache = timed.createCache({ batchSize: batch, maxLength: keys, precision });
    const last = { data: data.keys.subarray(0, batch * numHiddens), shape: [batch, 1, numHiddens] };
    timed.forward(last, y, y, { cache });
    return () => timed.forward(x, null, null, { cache, ...options }).output.data;
  };
  const whole = passOf(attention, 'float32');
  if (!(pass in roundedPasses)) return whole;
  const { precision, cache, bound } = roundedPasses[pass];
  const run = passOf(
    MultiHeadAttention.fromStateDict(dict, { numHeads, weights: precision }),
    cache,
  );
  const expected = Float32Array.from(whole());
  expectNear(run(), expected, bound);
  return checkedBy(expected, run);
}

/** Passes with weights or a cache of less than 32 bits; how far apart, of the largest number. */
const roundedPasses = {
  float16: { precision: 'float16', cache: 'float16', bound: 2e-3 },
  int8: { precision: 'int8', cache: 'float16', bound: 3e-2 },
  int4: { precision: 'int4', cache: 'float16', bound: 0.3 },
  'int8-cache': { precision: 'float32', cache: 'int8', bound: 3e-2 },
};

function expectNear(found, expected, bound) {
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const apart = found.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0);
  if (!(apart <= bound * largest)) throw new Error(`a difference of ${apart} of ${largest}`);
}

function train(attention, x, { batch, queries, data, learningRate }) {
  const optimizer = new SGD(attention, { learningRate });
  const gradOutput = { data: new Float32Array(x.data.length), shape: x.shape };
  const forward = () => attention.forward(x, x, x).output.data;
  const step = () => {
    optimizer.zeroGradients();
    const { output } = attention.forward(x, x, x, { requiresGrad: true });
    let loss = 0;
    for (let i = 0; i < output.data.length; i++) {
      const apart = output.data[i] - data.target[i];
      loss += apart * apart;
      gradOutput.data[i] = (2 / (batch * queries)) * apart;
    }
    attention.backward(gradOutput);
    optimizer.step();
    return loss / (batch * queries);
  };
  return training(step, forward);
}

/** Every other head goes; what is held against the reference is the whole layer's output. */
function halfPruned(attention, x, y, options) {
  const heads = Array.from({ length: attention.numHeads }, (_, head) => head);
  const first = Float32Array.from(attention.forward(x, y, y, options).output.data);
  const headGate = heads.map((head) => head % 2);
  const gated = Float32Array.from(attention.forward(x, y, y, { ...options, headGate }).output.data);
  attention.pruneHeads(heads.filter((head) => head % 2 === 0));
  const forward = () => attention.forward(x, y, y, options).output.data;
  expectNear(forward(), gated, 1e-4);
  return afterAnother(first, () => {}, forward);
}
