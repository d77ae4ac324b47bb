// The toy example, as an application has it: nothing is said of where headwise's files are.
import { dispose, init, MultiHeadAttention, Tensor } from 'headwise';

/** What init chose, and the attention weights. */
async function toy(options) {
  const { variant, threads } = await init(options);
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
  const X = Tensor.ones([2, 4, 100]);
  const Y = Tensor.ones([2, 6, 100]);
  const result = attention.forward(X, Y, Y, { validLens: [3, 2], returnWeights: true });
  attention.dispose();
  return { variant, threads, weights: [...result.attentionWeights.data] };
}

/** Where the test finds it. */
export function expose() {
  window.headwise = { dispose, init, toy };
}
