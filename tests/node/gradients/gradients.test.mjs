// Which forward a layer's `backward` belongs to. calls.test.mjs checks the gradients.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 6, numHeads: 3, seed: 1 };
const X = Tensor.randn([2, 3, 4], 1);
const Y = Tensor.randn([2, 5, 4], 2);
const gradOutput = Tensor.randn([2, 3, 6], 3);
const none = 'backward: expected a forward with requiresGrad since the last backward, got none';

/** Gradients of one forward on a layer of its own. */
function gradientsOf(inputs, given) {
  const layer = new MultiHeadAttention(options);
  layer.forward(...inputs, { ...given, requiresGrad: true });
  const result = layer.backward(gradOutput);
  layer.dispose();
  return result;
}

test('a backward serves once; other forwards leave it pending', () => {
  const layer = new MultiHeadAttention(options);
  assertFails(() => layer.backward(gradOutput), 'no-pending-backward', none);
  layer.forward(X, Y, Y, { requiresGrad: true });
  layer.forward(Y, X, X);
  assert.throws(() => layer.forward(X, Y, X, { requiresGrad: true }), { code: 'invalid-shape' });
  const expected = gradientsOf([X, Y, Y], {});
  const gradients = layer.backward(gradOutput);
  for (const [name, gradient] of Object.entries(gradients)) {
    assert.deepEqual(gradient, expected[name], name);
  }
  assertFails(() => layer.backward(gradOutput), 'no-pending-backward', none);
  layer.dispose();
});

test('inputs may be overwritten before the backward', () => {
  const layer = new MultiHeadAttention(options);
  const inputs = [X, Y, Y].map(({ data, shape }) => new Tensor(data.slice(), shape));
  const validLens = Int32Array.of(2, 5);
  const headGate = Float32Array.of(1, 2, 3);
  const mask = { data: new Uint8Array(15).fill(1), shape: [3, 5] };
  layer.forward(...inputs, { validLens, headGate, mask, requiresGrad: true });
  inputs.forEach(({ data }) => data.fill(NaN));
  validLens.fill(0);
  headGate.fill(0);
  mask.data.fill(0);
  // Working memory as well.
  layer.forward(Tensor.full([2, 9, 4], 7), Y, Y);
  const expected = gradientsOf([X, Y, Y], { validLens: [2, 5], headGate: [1, 2, 3] });
  assert.deepEqual(layer.backward(gradOutput).keys, expected.keys);
  layer.dispose();
});

test('pruning, loading and steps of optimizers make a pending backward outdated', () => {
  const outdated = /got one whose parameters have changed since$/;
  const changes = [
    (layer) => layer.pruneHeads([0]),
    (layer) => layer.loadStateDict(layer.stateDict()),
  ];
  for (const change of changes) {
    const layer = new MultiHeadAttention(options);
    layer.forward(X, Y, Y, { requiresGrad: true });
    change(layer);
    assertFails(() => layer.backward(gradOutput), 'no-pending-backward', outdated);
    layer.dispose();
  }
});

test('a disposed layer has no gradients', () => {
  const layer = new MultiHeadAttention(options);
  layer.forward(X, Y, Y, { requiresGrad: true });
  layer.dispose();
  const message = 'layer: expected one in use, got one that was disposed of';
  for (const call of ['backward', 'gradients', 'zeroGradients', 'pruneHeads']) {
    assertFails(() => layer[call]([]), 'disposed', message);
  }
});
