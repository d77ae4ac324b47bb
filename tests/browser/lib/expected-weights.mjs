// What act `equal-keys` draws for random input, computed in Node.
import { init, MultiHeadAttention, Tensor } from 'headwise';

/** The weights in the order (head, query, key). */
export async function expectedWeights({ seed = 1, validLen = 3, causal = false } = {}) {
  await init({ threads: 1 });
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed });
  const queries = Tensor.randn([1, 4, 100], 2 * seed);
  const keys = Tensor.randn([1, 6, 100], 2 * seed + 1);
  const options = { validLens: [validLen], causal, returnWeights: true };
  const { attentionWeights } = layer.forward(queries, keys, keys, options);
  return [...attentionWeights.data];
}
