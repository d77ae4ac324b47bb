// Layers, models and caches that other calls must not change.
import assert from 'node:assert/strict';
import { AttentionOnlyTransformer, MultiHeadAttention } from 'headwise';
import { memory } from './memory.mjs';
import { inputs, outcome, runBackAndForth, tokens } from './observe.mjs';

const sizes = { querySize: 6, keySize: 6, valueSize: 6 };
const layers = [
  { bias: true },
  { projection: 'convolution', biasKv: true },
  { pooling: 'additive', numKvHeads: 1 },
].map((kind) => new MultiHeadAttention({ numHiddens: 8, numHeads: 2, seed: 5, ...sizes, ...kind }));
layers.forEach((layer) => runBackAndForth(layer));
const X = inputs(6, 7);
const [first] = layers;
const cache = first.createCache({ batchSize: 2, maxLength: 20 });
first.forward(X, X, X, { cache });
const model = new AttentionOnlyTransformer({
  ...{ vocabularySize: 6, maxLength: 8, numHiddens: 8, numHeads: 2, numLayers: 2, seed: 6 },
});

const calls = [
  ...layers.flatMap((layer) => [
    () => layer.forward(X, X, X, { returnWeights: true, causal: true }),
    () => layer.stateDict(),
    () => layer.gradients(),
  ]),
  () => first.forward(X, null, null, { cache, returnWeights: true }),
  () => model.forward(tokens, { returnWeights: true }),
  () => model.stateDict(),
];
const expected = calls.map(outcome);

/** Bytes below all data of the module, from address 0, which nothing may write. */
const lowest = 1024;

const checkLowest = () =>
  assert.ok(
    new Uint8Array(memory.buffer, 0, lowest).every((byte) => byte === 0),
    `something was written below address ${lowest}`,
  );
checkLowest();

/** Checks that they are unchanged, and that the lowest bytes are 0. */
export function checkBystanders() {
  checkLowest();
  assert.deepEqual(calls.map(outcome), expected, 'bystanders have changed');
}
