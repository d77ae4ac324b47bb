// The layer's gradients as a plain program computes them, with every operation rounded by `round`: Math.fround tells how
// exact float32 is without any care, the identity what is exact. tests/native has the same in C++.
import { sees } from './attention-reference.mjs';

/**
 * Of dot products with linear projections of one size, without extra slots and with empty rows zero.
 *
 * @param problem queries, keys, values and gradOutput as (batch, length, size) tensors; `parameters` as a state dict;
 *   `numHeads`, `scale` and `softcap`; `options` of `forward`, masks among them as tensors and `headGate` as a list;
 *   `dropoutFactors` (batch, heads, queries, keys), flat
 * @returns {Record<string, Float64Array>} by name
 */
export function plainGradients(problem, round) {
  const { parameters, numHeads, scale, softcap = 0, options, dropoutFactors } = problem;
  const [batch, length, size] = problem.queries.shape;
  const headSize = size / numHeads;
  const result = {};

  /** Σ x(i) · y(i), one after the other. */
  const dot = (count, x, y) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum = round(sum + round(x(i) * y(i)));
    return sum;
  };

  /** x Wᵀ + b */
  const project = (name, x) => {
    const W = parameters[`${name}.weight`].data;
    const bias = parameters[`${name}.bias`]?.data;
    return Float64Array.from({ length: x.length }, (_, at) => {
      const [row, o] = [Math.floor(at / size) * size, at % size];
      const y = dot(
        size,
        (e) => W[o * size + e],
        (e) => x[row + e],
      );
      return bias ? round(y + bias[o]) : y;
    });
  };

  /** The gradient of x from that of x Wᵀ + b; keeps those of W and b. */
  const projectBackward = (name, x, dy) => {
    const W = parameters[`${name}.weight`].data;
    const rows = batch * length;
    result[`${name}.weight`] = Float64Array.from({ length: size * size }, (_, at) =>
      dot(
        rows,
        (row) => dy[row * size + Math.floor(at / size)],
        (row) => x[row * size + (at % size)],
      ),
    );
    if (parameters[`${name}.bias`]) {
      result[`${name}.bias`] = Float64Array.from({ length: size }, (_, o) =>
        dot(
          rows,
          (row) => dy[row * size + o],
          () => 1,
        ),
      );
    }
    return Float64Array.from({ length: x.length }, (_, at) => {
      const [row, e] = [Math.floor(at / size) * size, at % size];
      return dot(
        size,
        (o) => dy[row + o],
        (o) => W[o * size + e],
      );
    });
  };

  const Q = project('W_q', problem.queries.data);
  const K = project('W_k', problem.keys.data);
  const V = project('W_v', problem.values.data);
  const zeros = () => new Float64Array(Q.length);
  const [pooled, gated, dQ, dK, dV] = [zeros(), zeros(), zeros(), zeros(), zeros()];
  const weights = new Float64Array(batch * numHeads * length * length);
  const capped = weights.slice();
  const factor = (at) => round(dropoutFactors?.[at] ?? 1);
  const gate = (head) => options.headGate?.[head] ?? 1;

  const eachRow = (work) => {
    for (let b = 0; b < batch; b++) {
      for (let h = 0; h < numHeads; h++) {
        for (let i = 0; i < length; i++) {
          work({
            ...{ b, h, i },
            row: ((b * numHeads + h) * length + i) * length,
            query: (b * length + i) * size + h * headSize,
            key: (j) => (b * length + j) * size + h * headSize,
          });
        }
      }
    }
  };

  eachRow(({ b, h, i, row, query, key }) => {
    const seen = (j) => sees(options, length, length, [b, h, i, j]);
    let largest = -Infinity;
    for (let j = 0; j < length; j++) {
      const product = dot(
        headSize,
        (e) => Q[query + e],
        (e) => K[key(j) + e],
      );
      const score = round(scale * product);
      capped[row + j] = softcap ? round(softcap * round(Math.tanh(round(score / softcap)))) : score;
      if (seen(j)) largest = Math.max(largest, capped[row + j]);
    }
    let sum = 0;
    for (let j = 0; j < length; j++) {
      weights[row + j] = seen(j) ? round(Math.exp(round(capped[row + j] - largest))) : 0;
      sum = round(sum + weights[row + j]);
    }
    for (let j = 0; sum > 0 && j < length; j++) weights[row + j] = round(weights[row + j] / sum);
    for (let e = 0; e < headSize; e++) {
      pooled[query + e] = dot(
        length,
        (j) => round(weights[row + j] * factor(row + j)),
        (j) => V[key(j) + e],
      );
      gated[query + e] = round(gate(h) * pooled[query + e]);
    }
  });

  const dO = projectBackward('W_o', gated, problem.gradOutput.data);
  result.headGate = new Float64Array(batch * numHeads);
  eachRow(({ b, h, row, query, key }) => {
    const at = b * numHeads + h;
    const ofGate = dot(
      headSize,
      (e) => dO[query + e],
      (e) => pooled[query + e],
    );
    result.headGate[at] = round(result.headGate[at] + ofGate);
    const gradient = (e) => round(gate(h) * dO[query + e]);
    const ofWeight = Float64Array.from({ length }, (_, j) =>
      round(factor(row + j) * dot(headSize, gradient, (e) => V[key(j) + e])),
    );
    const mean = dot(
      length,
      (j) => weights[row + j],
      (j) => ofWeight[j],
    );
    const ofScore = ofWeight.map((x, j) => {
      const tangent = softcap ? round(capped[row + j] / softcap) : 0;
      const ofCapped = round(weights[row + j] * round(x - mean));
      return round(ofCapped * round(1 - round(tangent * tangent)));
    });
    for (let e = 0; e < headSize; e++) {
      const ofQuery = dot(
        length,
        (j) => ofScore[j],
        (j) => K[key(j) + e],
      );
      dQ[query + e] = round(scale * ofQuery);
      for (let j = 0; j < length; j++) {
        const ofKey = round(round(scale * ofScore[j]) * Q[query + e]);
        dK[key(j) + e] = round(dK[key(j) + e] + ofKey);
        const ofValue = round(round(weights[row + j] * factor(row + j)) * gradient(e));
        dV[key(j) + e] = round(dV[key(j) + e] + ofValue);
      }
    }
  });
  result.queries = projectBackward('W_q', problem.queries.data, dQ);
  result.keys = projectBackward('W_k', problem.keys.data, dK);
  result.values = projectBackward('W_v', problem.values.data, dV);
  return result;
}
