// Runs a long forward pass in a worker while this thread goes on. headwise/worker has the same interface, with promises.
import { dispose, init, MultiHeadAttention, Tensor, transferred } from 'headwise/worker';

await init();
const [length, numHiddens, numHeads] = [2048, 256, 8];
const attention = await new MultiHeadAttention({
  numHiddens,
  numHeads,
  seed: 1,
  querySize: numHiddens,
  keySize: numHiddens,
  valueSize: numHiddens,
});
const X = await Tensor.randn([length, numHiddens], 2);

// A page would draw, scroll and answer clicks meanwhile.
let turns = 0;
const timer = setInterval(() => turns++, 1);

// The cache stays in the worker; `cache` is a handle. `transferred` moves X to the worker instead of copying it. The result
// is moved here.
const cache = await attention.createCache({ batchSize: 1, maxLength: length });
const { output, attentionWeights } = await attention.forward(transferred(X), X, X, {
  cache,
  causal: true,
  returnWeights: { heads: [0], queries: [length - 1] },
});
clearInterval(timer);

const row = attentionWeights.data;
console.log(`output ${output.shape.join(' × ')}, ${await cache.length} positions in the cache`);
console.log(`head 0 of the last position looks most at key ${row.indexOf(Math.max(...row))}`);
console.log(turns > 0 ? 'this thread went on meanwhile' : 'this thread had to wait');
dispose();
