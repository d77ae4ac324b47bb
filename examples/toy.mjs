// The toy example of d2l's chapter "Multi-Head Attention": all keys are equal, so every head
// spreads its attention evenly over the valid ones.
import { init, MultiHeadAttention, Tensor } from 'headwise';

await init();
const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5 });
const X = Tensor.ones([2, 4, 100]); // (batch, queries, numHiddens)
const Y = Tensor.ones([2, 6, 100]); // (batch, key-value pairs, numHiddens)
const validLens = [3, 2]; // of the 6 keys, those each sample may attend to

const { output, attentionWeights } = attention.forward(X, Y, Y, { validLens, returnWeights: true });

console.log(`output: (${output.shape.join(', ')})`);
attentionWeights.toArray().forEach((heads, sample) => {
  console.log(`\nsample ${sample}, ${validLens[sample]} valid keys`);
  heads.forEach((queries, head) => {
    console.log(`  head ${head}`);
    for (const weights of queries) {
      console.log('   ', ...weights.map((weight) => weight.toFixed(3)));
    }
  });
});
attention.dispose();
