// Answers in float64, by the formula. Peers are held against some rows of it: all of them where
// they are few, evenly spread ones, with the first and the last, where they are many.

import { withFloats } from './quantized-model.mjs';
import { greedyTokens, lossOf } from './reference-model.mjs';
import { changeOfOutput } from './reference-training.mjs';

const mostRows = 384;

/** Numbers of the result's rows that are checked; a row is one query of one sample. */
export function checkedRows({ batch, queries }) {
  const rows = batch * queries;
  if (rows <= mostRows) return Array.from({ length: rows }, (_, i) => i);
  return Array.from({ length: mostRows }, (_, i) => Math.round((i * (rows - 1)) / (mostRows - 1)));
}

/** The checked rows of a whole result. */
export function pickRows(shape, result) {
  if (shape.kind === 'generation' || shape.kind === 'model-training') return result.slice();
  const rows = checkedRows(shape);
  const width = result.length / (shape.batch * shape.queries);
  const picked = new result.constructor(rows.length * width);
  rows.forEach((row, i) => {
    picked.set(result.subarray(row * width, (row + 1) * width), i * width);
  });
  return picked;
}

function project(row, weight, size) {
  const result = new Float64Array(size);
  for (let out = 0; out < size; out++) {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += row[i] * weight[out * size + i];
    result[out] = sum;
  }
  return result;
}

function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const exponents = scores.map((score) => Math.exp(score - largest));
  const sum = exponents.reduce((a, b) => a + b, 0);
  return exponents.map((exponent) => exponent / sum);
}

function softmaxRows({ queries, keys, validLens, data: { scores } }, rows) {
  return rows.map((row) => {
    const valid = validLens[Math.floor(row / queries)];
    const result = new Float64Array(keys);
    result.set(softmax(Float64Array.from(scores.subarray(row * keys, row * keys + valid))));
    return result;
  });
}

function attentionRows(problem, rows) {
  const { batch, queries, keys, numHiddens: D, numHeads, validLens, data, weights } = problem;
  const size = D / numHeads;
  const projectAll = (name) =>
    Array.from({ length: batch * keys }, (_, i) =>
      project(data.keys.subarray(i * D, (i + 1) * D), weights[name], D),
    );
  const k = projectAll('W_k');
  const v = projectAll('W_v');
  return rows.map((row) => {
    const b = Math.floor(row / queries);
    const valid = validLens?.[b] ?? keys;
    const q = project(data.queries.subarray(row * D, (row + 1) * D), weights.W_q, D);
    const pooled = new Float64Array(D);
    for (let begin = 0; begin < D; begin += size) {
      const scores = new Float64Array(valid);
      for (let key = 0; key < valid; key++) {
        const kRow = k[b * keys + key];
        let sum = 0;
        for (let i = begin; i < begin + size; i++) sum += q[i] * kRow[i];
        scores[key] = sum / Math.sqrt(size);
      }
      softmax(scores).forEach((weight, key) => {
        const vRow = v[b * keys + key];
        for (let i = begin; i < begin + size; i++) pooled[i] += weight * vRow[i];
      });
    }
    return project(pooled, weights.W_o, D);
  });
}

/**
 * The checked rows, one after another; of generation the tokens, then the last one's logits; of a
 * model's training the loss before the first step.
 */
export function reference(problem) {
  if (problem.kind === 'generation') {
    return greedyTokens(problem.weightType ? withFloats(problem) : problem);
  }
  if (problem.kind === 'model-training') return Float64Array.of(lossOf(problem));
  if (problem.kind === 'training') return pickRows(problem, changeOfOutput(problem));
  const rows = checkedRows(problem);
  const answers = (problem.kind === 'softmax' ? softmaxRows : attentionRows)(problem, rows);
  return Float64Array.from(answers.flatMap((row) => Array.from(row)));
}

/** How far an answer may be from the reference; see `errorOf`. */
export function toleranceOf({ kind, weightType }) {
  // Most peers round activations to 8 bits, too.
  if (weightType) return 0.05;
  return kind === 'generation' ? 1e-4 : 1e-3;
}

/**
 * How far an answer is from the reference: infinitely if it generated other tokens; losses by the
 * worst of them, as many as the reference has; quantized models by their ten largest logits.
 */
export function errorOf({ kind, newTokens, weightType }, expected, got) {
  if (weightType) return errorOfLargest(expected.subarray(newTokens), got.subarray(newTokens));
  if (kind === 'generation') {
    const isSame = expected.subarray(0, newTokens).every((token, i) => token === got[i]);
    return isSame ? relativeError(expected.subarray(newTokens), got.subarray(newTokens)) : Infinity;
  }
  if (kind === 'model-training') {
    return Math.max(
      ...Array.from(expected, (loss, i) => relativeError([loss], got.subarray(i, i + 1))),
    );
  }
  return relativeError(expected, got);
}

/** How many tokens equal the reference's, up to the first that differs. */
export function countSame({ newTokens }, expected, got) {
  const other = expected.subarray(0, newTokens).findIndex((token, i) => token !== got[i]);
  return other < 0 ? newTokens : other;
}

/**
 * The error of the ten largest logits. The largest is subtracted from all, so logarithms of probabilities
 * may stand for logits.
 */
function errorOfLargest(expected, got) {
  const largest = Array.from(expected.keys())
    .sort((a, b) => expected[b] - expected[a])
    .slice(0, 10);
  const apart = largest.map((i) => expected[i] - expected[largest[0]] - got[i] + got[largest[0]]);
  const error = apart.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / expected[largest[0]];
  return Number.isNaN(error) ? Infinity : error;
}

/** The largest difference in parts of the largest reference value. */
export function relativeError(expected, got) {
  if (expected.length !== got.length) return Infinity;
  let difference = 0;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const apart = Math.abs(expected[i] - got[i]);
    if (Number.isNaN(apart)) return Infinity;
    difference = Math.max(difference, apart);
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return difference / largest;
}
