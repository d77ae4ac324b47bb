import * as reference from './attention-reference.mjs';

const unitRoundoff = 2 ** -24;

/** The largest magnitude in nested arrays, of what is finite. */
function largest(numbers) {
  let result = 0;
  for (const number of numbers) {
    const magnitude = Array.isArray(number) ? largest(number) : Math.abs(number);
    if (Number.isFinite(magnitude)) result = Math.max(result, magnitude);
  }
  return result;
}

const magnitudes = ({ data, shape }) => ({ data: data.map(Math.abs), shape });

/** What the rounding errors of a score are relative to. */
function scoreMagnitude({ configuration: c, layer }, parameters, { Q, K }) {
  if (c.call === 'additiveAttention' || layer?.pooling === 'additive') {
    const [W_q, W_k, w_v] = ['W_q', 'W_k', 'w_v'].map(
      (name) => parameters[layer ? `attention.${name}.weight` : name],
    );
    // tanh grows no faster than its argument, and is at most 1.
    const argument = largest(reference.features(W_q, Q)) + largest(reference.features(W_k, K));
    return w_v.data.reduce((sum, weight) => sum + weight, 0) * (1 + argument);
  }
  const scale = c.scale ?? 1 / Math.sqrt(c.headSize);
  return largest(reference.dotProductScores(Q, K, scale));
}

/**
 * How far a call's results in float32 may lie from those in float64: bounds from the formula run on
 * absolute values, which is what rounding errors are relative to. A sum of n products strays by at
 * most n · 2⁻²⁴ of the sum of their magnitudes (Higham 2002, §3.1). Inputs must be finite.
 */
export function roundingOf(problem) {
  const { configuration: c, layer, options } = problem;
  // Operations beside those of the sums: scale, softcap, exponential, division, gate, bias.
  const others = 20;
  if (c.call === 'maskedSoftmax') {
    const bound = (2 * largest(problem.queries.data) + c.keys + others) * unitRoundoff;
    return { weights: bound, output: bound };
  }
  const parameters = Object.fromEntries(
    Object.entries(problem.parameters).map(([name, tensor]) => [name, magnitudes(tensor)]),
  );
  const [queries, keys, values] = [problem.queries, problem.keys, problem.values].map((tensor) =>
    reference.nested(magnitudes(tensor)),
  );
  const byHead = (X) => (c.call === 'additiveAttention' ? X.map((rows) => [rows]) : X);
  const heads = layer
    ? reference.projectHeads(layer, parameters, queries, keys, values)
    : { Q: byHead(queries), K: byHead(keys), V: byHead(values) };

  const terms = c.querySize + c.keySize + c.headSize + c.attentionHiddens + others;
  const bias = c.mask === 'added' ? largest(options.mask.data) : 0;
  const scoreError = unitRoundoff * (terms * scoreMagnitude(problem, parameters, heads) + bias);
  const columns = c.cached + c.keys + Number(c.biasKv) + Number(c.zeroAttention);
  // A weight is exp(score) over the sum of such: relative errors of 2 · scoreError.
  const weightError = 2 * scoreError + (columns + others) * unitRoundoff;

  const gate = options.headGate ? largest(options.headGate.data) : 1;
  const pooled = largest(heads.V) * gate;
  const concatSize = c.heads * (layer ? c.headSize : c.valueSize);
  const concat = Array(concatSize).fill(pooled);
  const outputMagnitude = layer
    ? largest(reference.project(parameters, 'W_o', [[concat]]))
    : pooled;
  const outputError = weightError + unitRoundoff * (columns + c.valueSize + concatSize + others);
  return {
    weights: c.stage === 'softmax' ? weightError : scoreError,
    output: outputMagnitude * outputError,
  };
}
