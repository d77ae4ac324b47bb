import { range } from 'd3-array';
import { MultiHeadAttention, type StateDict, Tensor } from 'headwise';

import type { AttentionInput } from './input.js';
import type { LayerSettings } from './layer.js';

/**
 * The weights as dropout leaves them, (batch, head, query, key). The layer returns those before it,
 * as the chapter's does. But a head that pools values of which each is one-hot at its own key
 * pools the very weights it used: so the layer runs once more on such values, as many keys at a
 * time as a head has hidden units. The same seed draws the same dropout.
 */
export function keptWeights(
  { queries, keys }: AttentionInput,
  settings: LayerSettings,
  parameters: StateDict,
): Tensor {
  const { heads, validLens, causal, dropout, seed, scale } = settings;
  const weight = weightOf(parameters, 'W_q');
  const [numHiddens = 0] = weight.shape;
  const size = numHiddens / heads;
  const [batch = 0, numKeys = 0] = keys.shape;
  const [, numQueries = 0] = queries.shape;
  const kept = Tensor.zeros([batch, heads, numQueries, numKeys]);
  const passOn = Tensor.zeros([numHiddens, size]);
  for (const unit of range(numHiddens)) passOn.data[unit * size + (unit % size)] = 1;

  for (const firstKey of range(0, numKeys, size)) {
    const values = Tensor.zeros([batch, numKeys, size]);
    const block = range(Math.min(size, numKeys - firstKey));
    for (const sample of range(batch)) {
      for (const at of block) {
        values.data[(sample * numKeys + firstKey + at) * size + at] = 1;
      }
    }
    const layer = new MultiHeadAttention({
      numHiddens,
      numHeads: heads,
      dropout,
      seed,
      scale: scale / Math.sqrt(size),
      outputProjection: false,
      bias: biasOf(parameters, 'W_q') !== undefined,
    });
    try {
      layer.loadStateDict(withoutOutput(parameters, passOn));
      const { output } = layer.train().forward(queries, keys, values, { validLens, causal });
      for (const sample of range(batch)) {
        for (const head of range(heads)) {
          for (const query of range(numQueries)) {
            for (const at of block) {
              kept.data[((sample * heads + head) * numQueries + query) * numKeys + firstKey + at] =
                output.at(sample, query, head * size + at);
            }
          }
        }
      }
    } finally {
      layer.dispose();
    }
  }
  return kept;
}

function withoutOutput(parameters: StateDict, valueWeight: Tensor): StateDict {
  const kept = Object.entries(parameters).filter(([name]) => /^W_[qk]\./.test(name));
  const valueBias = biasOf(parameters, 'W_v');
  return {
    ...Object.fromEntries(kept),
    'W_v.weight': valueWeight,
    ...(valueBias === undefined ? {} : { 'W_v.bias': Tensor.zeros(valueBias.shape) }),
  };
}

/** A weight of the layer by its short name, `W_q`. */
export function weightOf(parameters: StateDict, name: string): Tensor {
  const found = tensorOf(parameters, `${name}.weight`);
  if (found === undefined) throw new Error(`the layer has no ${name}`);
  return found;
}

/** A bias of the layer by its short name, if it has any. */
export function biasOf(parameters: StateDict, name: string): Tensor | undefined {
  return tensorOf(parameters, `${name}.bias`);
}

function tensorOf(parameters: Partial<StateDict>, name: string): Tensor | undefined {
  return parameters[name];
}

/**
 * X Wᵀ + b, cut into heads. The layer computes the same and does not return it; these are the numbers
 * that its scores and its output come from.
 *
 * @param X (batch, length, in)
 * @param weight (heads · d, in)
 * @param bias (heads · d,), if the layer has any
 * @returns (batch, heads, length, d)
 */
export function projectHeads(
  X: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
  numHeads: number,
): Tensor {
  const [batch = 0, length = 0, inSize = 0] = X.shape;
  const size = (weight.shape[0] ?? 0) / numHeads;
  const projected = Tensor.zeros([batch, numHeads, length, size]);
  let next = 0;
  for (const sample of range(batch)) {
    for (const head of range(numHeads)) {
      for (const position of range(length)) {
        const row = (sample * length + position) * inSize;
        for (let unit = head * size; unit < (head + 1) * size; unit++) {
          let sum = bias?.data[unit] ?? 0;
          for (let at = 0; at < inSize; at++) {
            sum += (X.data[row + at] ?? NaN) * (weight.data[unit * inSize + at] ?? NaN);
          }
          projected.data[next] = sum;
          next++;
        }
      }
    }
  }
  return projected;
}
