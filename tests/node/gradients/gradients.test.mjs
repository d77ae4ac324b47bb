// What `backward` promises beside the numbers: which forward it goes back from, and what it leaves.
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

/** Gradients of one forward on a layer of its own, and those of its parameters. */
function gradientsOf(inputs, given, grad = gradOutput, more = {}) {
  const layer = new MultiHeadAttention({ ...options, ...more });
  layer.forward(...inputs, { ...given, requiresGrad: true });
  const result = { ...layer.backward(grad), ...layer.gradients() };
  layer.dispose();
  return result;
}

test('gradients have the shapes of what they belong to', () => {
  const gradients = gradientsOf([X, Y, Y], {});
  const shapes = Object.fromEntries(
    Object.entries(gradients).map(([name, { shape }]) => [name, shape]),
  );
  assert.deepEqual(shapes, {
    queries: [2, 3, 4],
    keys: [2, 5, 4],
    values: [2, 5, 4],
    headGate: [2, 3],
    'W_q.weight': [6, 4],
    'W_k.weight': [6, 4],
    'W_v.weight': [6, 4],
    'W_o.weight': [6, 6],
  });
});

test('the output is the same with requiresGrad', () => {
  const layer = new MultiHeadAttention(options);
  const given = { validLens: [2, 0], headGate: [1, 0.5, -2], returnWeights: true };
  const plain = layer.forward(X, Y, Y, given);
  const kept = layer.forward(X, Y, Y, { ...given, requiresGrad: true });
  assert.deepEqual(kept.output, plain.output);
  assert.deepEqual(kept.attentionWeights, plain.attentionWeights);
  layer.dispose();
});

test('inputs without a batch axis have gradients without one', () => {
  const x = Tensor.randn([3, 4], 1);
  const batched = gradientsOf(
    [x, x, x].map(({ data }) => new Tensor(data, [1, 3, 4])),
    {},
    new Tensor(gradOutput.data.slice(0, 18), [1, 3, 6]),
  );
  const plain = gradientsOf([x, x, x], {}, new Tensor(gradOutput.data.slice(0, 18), [3, 6]));
  assert.deepEqual(plain.queries.shape, [3, 4]);
  assert.deepEqual(plain.headGate.shape, [1, 3]);
  for (const name of Object.keys(batched)) {
    assert.deepEqual(plain[name].data, batched[name].data, name);
  }
});

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

test('gradients of parameters add up until they are made zero', () => {
  const layer = new MultiHeadAttention(options);
  layer.forward(X, Y, Y);
  const weight = () => layer.gradients()['W_k.weight'].data;
  assert.deepEqual(new Set(weight()), new Set([0]));
  const once = gradientsOf([X, Y, Y], {})['W_k.weight'].data;
  for (const times of [1, 2]) {
    layer.forward(X, Y, Y, { requiresGrad: true });
    layer.backward(gradOutput);
    weight().forEach((x, i) => assert.ok(Math.abs(x - times * once[i]) <= 1e-6));
  }
  layer.zeroGradients();
  assert.deepEqual(new Set(weight()), new Set([0]));
  layer.dispose();
});

test('what is masked gets gradient 0, whatever it holds; empty rows get none', () => {
  const spoilt = new Tensor(Y.data.slice(), Y.shape);
  // Keys from 2 on of the first sample, all of the second.
  spoilt.data.fill(NaN, 2 * 4, 5 * 4);
  spoilt.data.fill(Infinity, 5 * 4);
  const gradients = gradientsOf([X, spoilt, spoilt], { validLens: [2, 0] });
  for (const name of ['keys', 'values']) {
    const { data } = gradients[name];
    assert.ok(data.subarray(0, 8).every((x) => Number.isFinite(x) && x !== 0));
    assert.ok(data.subarray(8).every((x) => x === 0));
  }
  assert.ok(gradients.queries.data.subarray(12).every((x) => x === 0));
  assert.deepEqual([...gradients.headGate.data.subarray(3)], [0, 0, 0]);
  for (const [name, { data }] of Object.entries(gradients)) {
    assert.ok(data.every(Number.isFinite), name);
  }
});

test('dropout goes back by the very mask it went forward with', () => {
  const layer = new MultiHeadAttention({ ...options, dropout: 0.5 }).train();
  const gradient = (...args) => {
    const { output } = layer.forward(...args, { requiresGrad: true });
    return [output, layer.backward(gradOutput)];
  };
  layer.forward(X, Y, Y, { requiresGrad: true });
  layer.backward(gradOutput);
  // The output is linear in the values for a given mask: ⟨gradOutput, output⟩ = ⟨gradient, values⟩.
  const [output, { values }] = gradient(X, Y, Y);
  const dot = (a, b) => a.data.reduce((sum, x, i) => sum + x * b.data[i], 0);
  assert.ok(Math.abs(dot(gradOutput, output) - dot(values, Y)) <= 1e-4);
  const [other] = gradient(X, Y, Y);
  assert.notDeepEqual(other, output);
  layer.dispose();
});

test('gradients without keys or queries are empty, and 0 where something is', () => {
  const empty = Tensor.zeros([2, 0, 4]);
  const withoutKeys = gradientsOf([X, empty, empty], {});
  assert.deepEqual(withoutKeys.keys.shape, [2, 0, 4]);
  assert.ok(withoutKeys.queries.data.every((x) => x === 0));
  const withoutQueries = gradientsOf([empty, Y, Y], {}, Tensor.zeros([2, 0, 6]));
  assert.deepEqual(withoutQueries.queries.shape, [2, 0, 4]);
  assert.ok(withoutQueries.keys.data.every((x) => x === 0));
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
