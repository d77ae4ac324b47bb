// The toy example, run in a page or a worker. The package lies beside this file.
import { MultiHeadAttention, Tensor, init } from './headwise/index.js';

export async function toy() {
  const { variant } = await init();
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5 });
  const X = Tensor.ones([2, 4, 100]);
  const Y = Tensor.ones([2, 6, 100]);
  const options = { validLens: [3, 2], returnWeights: true };
  const { output, attentionWeights } = attention.forward(X, Y, Y, options);
  attention.dispose();
  return {
    variant,
    outputShape: [...output.shape],
    weightsShape: [...attentionWeights.shape],
    weights: [...attentionWeights.data],
  };
}
