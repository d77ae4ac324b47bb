// One array given for several arguments.
import assert from 'node:assert/strict';
import test from 'node:test';
import { additiveAttention, MultiHeadAttention, scaledDotProductAttention, Tensor } from 'headwise';
import { runModule } from '../lib/child.mjs';
import '../lib/memory.mjs';

const copyOf = (tensor) => new Tensor(tensor.data.slice(), tensor.shape);

test('the layer gives for one tensor what it gives for copies of it', () => {
  const X = Tensor.randn([2, 5, 12], 1);
  const layer = new MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 1 });
  const expected = layer.forward(X, copyOf(X), copyOf(X)).output;
  assert.deepEqual(layer.forward(X, X, X).output, expected);
  assert.deepEqual(layer.forward(X, X, copyOf(X)).output, expected);
  assert.deepEqual(layer.forward(X, copyOf(X), X).output, expected);
  const Y = Tensor.randn([2, 5, 12], 2);
  assert.deepEqual(layer.forward(X, Y, Y).output, layer.forward(X, Y, copyOf(Y)).output);
});

test('so do the pooling functions', () => {
  const X = Tensor.randn([1, 2, 5, 4], 1);
  assert.deepEqual(
    scaledDotProductAttention(X, X, X).output,
    scaledDotProductAttention(X, copyOf(X), copyOf(X)).output,
  );
  const Y = Tensor.randn([1, 4, 4], 3);
  const W = new Tensor(Y.data, [4, 4]);
  const w_v = Tensor.randn([1, 4], 4);
  assert.deepEqual(
    additiveAttention(Y, Y, Y, { W_q: W, W_k: W, w_v }).output,
    additiveAttention(copyOf(Y), copyOf(Y), copyOf(Y), { W_q: copyOf(W), W_k: copyOf(W), w_v })
      .output,
  );
});

test('an output may be written over its input', () => {
  const X = Tensor.randn([2, 5, 12], 1);
  const layer = new MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 1 });
  const expected = layer.forward(X, X, X).output;
  const { output } = layer.forward(X, X, X, { out: { output: X } });
  assert.equal(output.data, X.data);
  assert.deepEqual(X.data, expected.data);
});

test('one tensor given three times takes memory once', () => {
  const memoryWith = (inputs) =>
    Number(
      runModule(`
        import { memory } from './tests/node/lib/memory.mjs';
        import { MultiHeadAttention, Tensor } from 'headwise';
        const X = Tensor.ones([1, 100000, 64]);
        const [Y, Z] = [Tensor.ones([1, 100000, 64]), Tensor.ones([1, 100000, 64])];
        const layer = new MultiHeadAttention({ numHiddens: 64, numHeads: 1 });
        layer.forward(${inputs}, { validLens: [1] });
        console.log(memory.buffer.byteLength);
      `),
    );
  const bytesOfOne = 4 * 100000 * 64;
  assert.ok(memoryWith('X, Y, Z') - memoryWith('X, X, X') >= 2 * bytesOfOne);
});
