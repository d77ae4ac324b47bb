// The attention-only transformer in float64, as the formula has it. tests/native has the same in C++.
import { multiHeadAttention, nested } from './attention-reference.mjs';

const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

/** d2l's sinusoids. */
const sinusoid = (i, j, size) => {
  const angle = i / 10000 ** ((Math.floor(j / 2) * 2) / size);
  return j % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
};

function normalized(parameters, name, rows) {
  const [weight, bias] = ['weight', 'bias'].map((part) => parameters[`${name}.${part}`].data);
  return rows.map((x) => {
    const mean = sum(x) / x.length;
    const variance = sum(x.map((value) => (value - mean) ** 2)) / x.length;
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * weight[i] + bias[i]);
  });
}

/** The parameters of a layer, by the layer's own names. */
function layerParameters(parameters, prefix) {
  const own = Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
}

/** A state dict in float64, whose numbers may be changed. */
export const inFloat64 = (stateDict) =>
  Object.fromEntries(
    Object.entries(stateDict).map(([name, { data, shape }]) => [
      name,
      { data: Float64Array.from(data), shape },
    ]),
  );

/**
 * Logits (batch, length, vocabulary) and the weights of each layer, nested, for nested tokens (batch, length) and gates
 * { data, shape } by layer. `numHeads` are those of each layer, whose heads have `headSize` numbers.
 */
export function forward(model, parameters, tokens, gates = []) {
  const { numHeads, headSize, causal, layerNorm } = model;
  const embedding = nested(parameters['embedding.weight']);
  const positions = parameters['position.weight'] && nested(parameters['position.weight']);
  const size = embedding[0].length;
  let x = tokens.map((sample) =>
    sample.map((token, i) =>
      embedding[token].map((value, j) => value + (positions?.[i][j] ?? sinusoid(i, j, size))),
    ),
  );
  const weights = numHeads.map((heads, layer) => {
    const inputs = layerNorm
      ? x.map((rows) => normalized(parameters, `layers.${layer}.norm`, rows))
      : x;
    const attended = multiHeadAttention(
      { numHiddens: heads * headSize, numHeads: heads },
      layerParameters(parameters, `layers.${layer}.attention.`),
      { queries: inputs, keys: inputs, values: inputs },
      { causal, ...(gates[layer] && { headGate: gates[layer] }) },
    );
    x = x.map((rows, b) => rows.map((row, i) => row.map((v, j) => v + attended.output[b][i][j])));
    return attended.weights;
  });
  const features = layerNorm ? x.map((rows) => normalized(parameters, 'norm', rows)) : x;
  const unembedding = nested(parameters['unembedding.weight']);
  const logits = features.map((rows) =>
    rows.map((row) => unembedding.map((w) => sum(w.map((value, j) => value * row[j])))),
  );
  return { logits, weights };
}

/** The mean over targets that are not −1. */
export function crossEntropy(logits, targets) {
  const losses = targets.flatMap((sample, b) =>
    sample.flatMap((target, i) => {
      if (target === -1) return [];
      const largest = Math.max(...logits[b][i]);
      const total = sum(logits[b][i].map((x) => Math.exp(x - largest)));
      return [Math.log(total) + largest - logits[b][i][target]];
    }),
  );
  return losses.length === 0 ? 0 : sum(losses) / losses.length;
}
