// Attention in float64, one step at a time, and comparison with it.
import assert from 'node:assert/strict';

export const range = (end) => Array.from({ length: end }, (_none, at) => at);
export const sum = (values) => values.reduce((total, value) => total + value, 0);
export const dot = (a, b) => sum(a.map((value, at) => value * b[at]));
export const transposed = (rows) => rows[0].map((_value, column) => rows.map((row) => row[column]));
export const times = (a, b) => a.map((row) => transposed(b).map((column) => dot(row, column)));
export const entropyOf = (weights) => -sum(weights.map((p) => (p > 0 ? p * Math.log(p) : 0)));

/** Weights of one query; all 0 where every score is −∞. */
export function softmax(scores) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return scores.map(() => 0);
  const powers = scores.map((score) => Math.exp(score - largest));
  return powers.map((power) => power / sum(powers));
}

/** Rows of a tensor's last axis. */
export function rowsOf({ data, shape }) {
  const size = shape.at(-1);
  return range(data.length / size).map((row) =>
    Array.from(data.subarray(row * size, (row + 1) * size)),
  );
}

/** The rows of one sample of a tensor (batch, length, size). */
export const sampleOf = (tensor, sample) =>
  rowsOf(tensor).slice(sample * tensor.shape[1], (sample + 1) * tensor.shape[1]);

/**
 * One sample of multi-head attention, step by step: what every head has of its own in `heads`.
 * `W` has the rows of W_q, W_k, W_v and W_o; `scale` multiplies q · k.
 */
export function attention({ X, keys = X, values = keys, W, numHeads, scale, isMasked, gates }) {
  const size = W.q.length / numHeads;
  const project = (rows, weight) => times(rows, transposed(weight));
  const [Q, K, V] = [project(X, W.q), project(keys, W.k), project(values, W.v)];
  const cut = (rows, head) => rows.map((row) => row.slice(head * size, (head + 1) * size));
  const heads = range(numHeads).map((head) => {
    const [q, k, v] = [Q, K, V].map((rows) => cut(rows, head));
    const scores = times(q, transposed(k));
    const scaled = scores.map((row) => row.map((score) => score * scale));
    const masked = scaled.map((row, query) =>
      row.map((score, key) => (isMasked(query, key) ? -Infinity : score)),
    );
    const weights = masked.map(softmax);
    return { q, k, v, scores, scaled, masked, weights, pooled: times(weights, v) };
  });
  const concat = X.map((_row, query) =>
    heads.flatMap(({ pooled }, head) => pooled[query].map((value) => value * (gates?.[head] ?? 1))),
  );
  return { queries: Q, keys: K, values: V, heads, concat, output: times(concat, transposed(W.o)) };
}

/** Numbers, in rows or not, that differ by at most `tolerance`, relative to those beyond 1. */
export function near(found, expected, tolerance, what = '') {
  const [all, wanted] = [found, expected].map((values) => [values].flat(3));
  assert.equal(all.length, wanted.length, `${what}: how many`);
  all.forEach((value, at) => {
    const allowed = tolerance * Math.max(1, Math.abs(wanted[at]));
    const isNear = value === wanted[at] || Math.abs(value - wanted[at]) <= allowed;
    assert.ok(isNear, `${what} ${at}: ${value}, not ${wanted[at]}`);
  });
}
