import { init, MultiHeadAttention, Tensor } from 'headwise';

export async function GET() {
  const { threads } = await init({ threads: 2 });
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
  const X = Tensor.ones([2, 4, 100]);
  const { attentionWeights } = attention.forward(X, X, X, {
    validLens: [3, 2],
    returnWeights: true,
  });
  attention.dispose();
  return Response.json({ threads, weights: attentionWeights });
}
