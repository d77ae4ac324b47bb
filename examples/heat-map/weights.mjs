// The weights of four untrained heads for a sentence, with a causal mask. Each word is a random vector.
import { init, MultiHeadAttention, Tensor } from 'headwise';

export const tokens = 'the cat sat on the mat'.split(' ');

export async function sentenceWeights() {
  await init();
  const words = [...new Set(tokens)];
  const vectors = Tensor.randn([words.length, 64], 1);
  const numbers = tokens.flatMap((token) => [...vectors.slice(words.indexOf(token)).data]);
  const X = new Tensor(numbers, [tokens.length, 64]);
  const attention = new MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1, scale: 1 });
  const { attentionWeights } = attention.forward(X, X, X, { causal: true, returnWeights: true });
  attention.dispose();
  return attentionWeights; // (heads, queries, keys), for inputs without a batch axis
}
