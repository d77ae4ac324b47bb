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
const [, numHeads, numQueries, numKeys] = attentionWeights.shape;
for (const [sample, validLen] of validLens.entries()) {
  console.log(`\nsample ${sample}, ${validLen} valid keys`);
  for (let head = 0; head < numHeads; head++) {
    console.log(`  head ${head}`);
    for (let query = 0; query < numQueries; query++) {
      const weights = Array.from({ length: numKeys }, (_, key) =>
        attentionWeights.at(sample, head, query, key).toFixed(3),
      );
      console.log('   ', ...weights);
    }
  }
}
attention.dispose();
