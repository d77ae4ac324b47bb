import { range } from 'd3-array';
import { MultiHeadAttention, Tensor, type StateDict } from 'headwise';

import type { AttentionInput } from '../inputs/attention-input.js';
import { biasOf, weightOf } from './projection.js';
import type { LayerSettings } from './with-layer.js';

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
