// Feeds a sequence token by token through a key-value cache. The outputs equal those of one causal pass over all of it.
import { init, MultiHeadAttention, Tensor } from 'headwise';

await init();
const length = 12;
const size = 64;
// A cache needs the input sizes. A first forward would infer them, too.
const attention = new MultiHeadAttention({
  numHiddens: size,
  numHeads: 8,
  numKvHeads: 2,
  rotary: {},
  seed: 1,
  querySize: size,
  keySize: size,
  valueSize: size,
});
const X = Tensor.randn([1, length, size], 2); // (batch, tokens, size)
const whole = attention.forward(X, X, X, { causal: true }).output;

const cache = attention.createCache({ batchSize: 1, maxLength: length });
let difference = 0;
for (let token = 0; token < length; token++) {
  const x = X.slice([], [token, token + 1]);
  // The keys are those in the cache and the new one, which is appended.
  const { output, attentionWeights } = attention.forward(x, x, x, {
    causal: true,
    cache,
    returnWeights: true,
  });
  const expected = whole.slice([], [token, token + 1]).data;
  output.data.forEach((y, i) => (difference = Math.max(difference, Math.abs(y - expected[i]))));
  console.log(`token ${token}: weights of each head on ${attentionWeights.shape[3]} keys`);
}
console.log(`largest difference from the causal pass: ${difference.toExponential(1)}`);

// Keep the first half and continue differently.
cache.truncate(length / 2);
const others = Tensor.randn([1, 3, size], 3);
attention.forward(others, others, others, { causal: true, cache });
console.log(`the cache holds ${cache.length} of ${cache.maxLength} tokens`);
cache.dispose();
attention.dispose();
