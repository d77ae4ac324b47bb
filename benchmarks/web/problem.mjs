// The numbers of a problem: the same for every peer, in Node and in a page.
import { generationProblem, modelTrainingProblem } from './language-model.mjs';
import { uniform } from './uniform.mjs';

const projections = ['W_q', 'W_k', 'W_v', 'W_o'];

/** The shape with `queries`, `keys` and `weights`, or with `scores`; of learning, whose numbers are the task's, as it is. */
export function makeProblem(shape) {
  if (shape.kind === 'learning') return shape;
  if (shape.kind === 'generation') return generationProblem(shape);
  if (shape.kind === 'model-training') return modelTrainingProblem(shape);
  const { kind, batch, queries, keys, numHiddens } = shape;
  if (kind === 'softmax') {
    return { ...shape, data: { scores: uniform(batch * queries * keys, 1, 4) } };
  }
  // Inputs of this size make scores that differ enough for softmax to matter.
  const x = uniform(batch * queries * numHiddens, 1, 2);
  const y = kind === 'self' || kind === 'training' ? x : uniform(batch * keys * numHiddens, 2, 2);
  const weights = {};
  for (const [i, name] of projections.entries()) {
    weights[name] = uniform(numHiddens ** 2, 3 + i, Math.sqrt(3 / numHiddens));
  }
  const target = kind === 'training' && uniform(x.length, 7);
  return { ...shape, data: { queries: x, keys: y, target }, weights };
}

/** (out, in), as state dicts have it, to (in, out), as graphs multiply. */
export function transposed(weight, size) {
  const result = new Float32Array(weight.length);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      result[column * size + row] = weight[row * size + column];
    }
  }
  return result;
}

/**
 * What is added to the scores of each sample, (batch, 1, queries, keys), or one row of it a sample:
 * 0 for valid keys, and for others a number that makes their weight 0.
 */
export function additiveMask({ batch, queries, keys, validLens }, rowsPerSample = queries) {
  const mask = new Float32Array(batch * rowsPerSample * keys);
  for (let b = 0; b < batch; b++) {
    for (let row = 0; row < rowsPerSample; row++) {
      const begin = (b * rowsPerSample + row) * keys;
      mask.fill(-1e30, begin + validLens[b], begin + keys);
    }
  }
  return mask;
}

/**
 * The cached keys or values as a layer keeps them, projected and split: (heads, keys, head size),
 * or with `keysLast` (heads, head size, keys).
 */
export function projectedCache({ keys, numHiddens, numHeads, data, weights }, name, keysLast) {
  const size = numHiddens / numHeads;
  const result = new Float32Array(keys * numHiddens);
  for (let key = 0; key < keys; key++) {
    for (let out = 0; out < numHiddens; out++) {
      let sum = 0;
      for (let i = 0; i < numHiddens; i++) {
        sum += data.keys[key * numHiddens + i] * weights[name][out * numHiddens + i];
      }
      const head = Math.floor(out / size);
      const place = out % size;
      const within = keysLast ? place * keys + key : key * size + place;
      result[head * keys * size + within] = sum;
    }
  }
  return result;
}
