// Removing heads from JavaScript; tests/native tries every option, and the oracle has the numbers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails, maxDifference } from '../lib/compare.mjs';

await init();

const X = Tensor.randn([2, 5, 7], 1);
const kinds = {
  plain: { numHiddens: 12, numHeads: 4 },
  'with biases and extra slots': {
    numHiddens: 12,
    numHeads: 4,
    bias: true,
    biasKv: true,
    zeroAttention: true,
  },
  'additive pooling': { numHiddens: 12, numHeads: 4, pooling: 'additive', attentionHiddens: 5 },
  'head size 1, an own scale': { numHiddens: 4, numHeads: 4, scale: 0.7, outputSize: 3 },
};

for (const [name, options] of Object.entries(kinds)) {
  test(`the output is that of gating the heads at 0: ${name}`, () => {
    const layer = new MultiHeadAttention({ ...options, seed: 1 });
    const given = { causal: true, returnWeights: true };
    const gated = layer.forward(X, X, X, { ...given, headGate: [1, 0, 1, 0] });
    const sizes = layer.stateDict();
    layer.pruneHeads([3, 1, 3]);
    assert.equal(layer.numHeads, 2);
    assert.equal(layer.numKvHeads, 2);
    assert.equal(layer.numHiddens, options.numHiddens / 2);
    assert.equal(layer.outputSize, options.outputSize ?? options.numHiddens);
    const pruned = layer.forward(X, X, X, given);
    assert.ok(maxDifference(pruned.output.data, gated.output.data) <= 1e-6);
    assert.deepEqual(pruned.attentionWeights.shape.slice(0, 2), [2, 2]);
    const dict = layer.stateDict();
    assert.deepEqual(Object.keys(dict), Object.keys(sizes));
    assert.deepEqual(dict['W_o.weight'].shape, [layer.outputSize, layer.numHiddens]);
    // The state dict is that of a layer of its own.
    const { numHiddens, numHeads } = layer;
    const other = new MultiHeadAttention({
      ...{ ...options, numHiddens, numHeads, outputSize: layer.outputSize },
      ...(options.pooling !== 'additive' && {
        scale: options.scale ?? 1 / Math.sqrt(options.numHiddens / options.numHeads),
      }),
    });
    other.loadStateDict(dict);
    assert.deepEqual(other.forward(X, X, X, given).output, pruned.output);
    [layer, other].forEach((each) => each.dispose());
  });
}

test('whole groups of heads that share a key-value head go', () => {
  const layer = new MultiHeadAttention({ numHiddens: 12, numHeads: 6, numKvHeads: 3, seed: 1 });
  const gated = layer.forward(X, X, X, { headGate: [1, 1, 0, 0, 1, 1] });
  layer.pruneHeads(Uint8Array.of(2, 3));
  assert.deepEqual([layer.numHeads, layer.numKvHeads, layer.numHiddens], [4, 2, 8]);
  assert.deepEqual(layer.stateDict()['W_k.weight'].shape, [4, 7]);
  assert.ok(maxDifference(layer.forward(X, X, X).output.data, gated.output.data) <= 1e-6);
  layer.dispose();
});

test('heads are numbered from 0 again', () => {
  const [steps, once] = [0, 1].map(() => new MultiHeadAttention({ ...kinds.plain, seed: 1 }));
  [steps, once].forEach((layer) => layer.forward(X, X, X));
  steps.pruneHeads([0]);
  steps.pruneHeads([]);
  steps.pruneHeads([1]);
  once.pruneHeads([0, 2]);
  assert.deepEqual(steps.stateDict(), once.stateDict());
  assert.deepEqual(steps.forward(X, X, X).output, once.forward(X, X, X).output);
  [steps, once].forEach((each) => each.dispose());
});

test('gradients of what is left stay, and training goes on', () => {
  const layer = new MultiHeadAttention({ ...kinds.plain, seed: 1 });
  layer.forward(X, X, X, { requiresGrad: true });
  layer.backward(Tensor.ones([2, 5, 12]));
  const rows = layer.gradients()['W_q.weight'].data.slice(3 * 7, 9 * 7);
  layer.pruneHeads([0, 3]);
  assert.deepEqual(layer.gradients()['W_q.weight'], new Tensor(rows, [6, 7]));
  layer.forward(X, X, X, { requiresGrad: true });
  assert.deepEqual(layer.backward(Tensor.ones([2, 5, 12])).headGate.shape, [2, 2]);
  layer.dispose();
});

test('caches made before are refused, new ones taken', () => {
  const layer = new MultiHeadAttention({ ...kinds.plain, seed: 1 });
  layer.forward(X, X, X);
  const older = layer.createCache({ batchSize: 2, maxLength: 9 });
  layer.pruneHeads([2]);
  const message = 'cache: expected one made since heads were pruned, got an older one';
  assertFails(() => layer.forward(X, X, X, { cache: older }), 'invalid-cache', message);
  assert.equal(older.length, 0);
  const cache = layer.createCache({ batchSize: 2, maxLength: 9 });
  const decoded = layer.forward(X, X, X, { cache, causal: true }).output;
  const whole = layer.forward(X, X, X, { causal: true }).output;
  assert.ok(maxDifference(decoded.data, whole.data) <= 1e-6);
  [older, cache, layer].forEach((each) => each.dispose());
});

test('heads that are no integers are errors, and nothing changes', () => {
  const layer = new MultiHeadAttention({ ...kinds.plain, seed: 1 });
  const { output } = layer.forward(X, X, X);
  for (const [heads, code, message] of [
    [[1.5], 'invalid-option', 'heads: expected integers from 0 to 3, got 1.5'],
    [['1'], 'invalid-option', 'heads: expected integers from 0 to 3, got "1"'],
    [[, 1], 'invalid-option', 'heads: expected integers from 0 to 3, got undefined'], // eslint-disable-line no-sparse-arrays
    [[1n], 'invalid-option', 'heads: expected integers from 0 to 3, got 1n'],
    [1, 'invalid-type', 'heads: expected an array of integers, got 1'],
    [undefined, 'invalid-type', 'heads: expected an array of integers, got undefined'],
  ]) {
    assertFails(() => layer.pruneHeads(heads), code, message);
  }
  assert.equal(layer.numHeads, 4);
  assert.deepEqual(layer.forward(X, X, X).output, output);
  layer.dispose();
});
