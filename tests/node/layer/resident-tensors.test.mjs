// Tensors in WebAssembly memory, which may grow, overlap or be freed. calls.test.mjs passes them to every call.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadNpy, MultiHeadAttention, ResidentTensor, saveNpy, Tensor } from 'headwise';
import { runModule } from '../lib/child.mjs';
import { assertFails } from '../lib/compare.mjs';
import { memory, withoutGrowth } from '../lib/memory.mjs';

/** The same numbers in WebAssembly memory. */
function resident({ data, shape }) {
  const tensor = new ResidentTensor(shape);
  tensor.data.set(data);
  return tensor;
}

const bytesOf = ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
const assertSameTensor = (actual, expected) => {
  assert.deepEqual([...actual.shape], [...expected.shape]);
  assert.ok(bytesOf(actual).equals(bytesOf(expected)));
};

const isShared = memory.buffer instanceof SharedArrayBuffer;

/** Grows memory, which detaches views of it unless it is shared. */
function grow() {
  const before = memory.buffer.byteLength;
  const held = [];
  while (memory.buffer.byteLength === before) held.push(new ResidentTensor([1 << 20]));
  held.forEach((tensor) => tensor.dispose());
}

test('a resident tensor is a tensor of zeros that can be written', () => {
  const X = new ResidentTensor([2, 3]);
  assert.ok(X instanceof Tensor);
  assert.deepEqual([...X.data], [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(X.shape, [2, 3]);
  X.data.set([1, 2, 3, 4, 5, 6]);
  assert.equal(X.at(1, 2), 6);
  assert.deepEqual(X.toArray(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.equal(X.data.buffer, memory.buffer);
  assert.equal(X.data, X.data);
  assertSameTensor(loadNpy(saveNpy(X)), X);
  X.dispose();
  const empty = new ResidentTensor([0, 3]);
  assert.deepEqual(empty.toArray(), []);
  empty.dispose();
});

test('inputs are read before overlapping results are written', () => {
  const X = Tensor.randn([2, 5, 6], 1);
  const Y = Tensor.randn([2, 5, 6], 2);
  for (const options of [{}, { outputProjection: false }, { projection: 'none' }]) {
    const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 2, seed: 1, ...options });
    const expected = layer.forward(X, Y, Y);
    for (const copy of [resident, Tensor.from]) {
      for (const target of [0, 1]) {
        const [own, other] = [copy(X), copy(Y)];
        const output = [own, other][target];
        assert.equal(layer.forward(own, other, other, { out: { output } }).output, output);
        assertSameTensor(output, expected.output);
        own.dispose?.();
        other.dispose?.();
      }
    }
    // Parts of the same memory: results of the first queries would overwrite later queries.
    const long = Tensor.randn([1, 40, 6], 3);
    const both = new ResidentTensor([1, 50, 6]);
    both.data.set(long.data);
    const given = { data: both.data.subarray(0, 240), shape: long.shape };
    const out = { output: both.data.subarray(60) };
    assertSameTensor(
      layer.forward(given, long, long, { out }).output,
      layer.forward(long, long, long).output,
    );
    both.dispose();
    layer.dispose();
  }
});

test('gradients may overwrite inputs, and share memory', () => {
  const X = Tensor.randn([2, 5, 6], 1);
  const Y = Tensor.randn([2, 7, 6], 2);
  const grad = Tensor.randn([2, 5, 6], 3);
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 2, seed: 1 });
  const back = (gradOutput, options) => {
    layer.forward(X, Y, Y, { requiresGrad: true });
    return layer.backward(gradOutput, options);
  };
  const expected = back(grad);
  const own = resident(grad);
  assertSameTensor(back(own, { out: { queries: own } }).queries, expected.queries);
  const shared = new ResidentTensor([2, 7, 6]);
  const both = back(grad, { out: { keys: shared, values: shared } });
  assert.equal(both.keys, both.values);
  assertSameTensor(shared, expected.values);
  assertSameTensor(both.queries, expected.queries);

  layer.zeroGradients();
  layer.forward(X, Y, Y, { requiresGrad: true });
  const fails = (options, code, message) =>
    assertFails(() => layer.backward(grad, options), code, message);
  fails(
    { out: { keys: new ResidentTensor([2, 5, 6]) } },
    'invalid-shape',
    'out.keys: expected 84 numbers for shape (2, 7, 6), got 60',
  );
  fails({ out: { query: own } }, 'unknown-option', /^out: /);
  fails({ into: {} }, 'unknown-option', /^options: /);
  fails({ out: { values: [1] } }, 'invalid-type', /^out.values: /);
  assert.ok(Object.values(layer.gradients()).every(({ data }) => data.every((g) => g === 0)));
  assertSameTensor(layer.backward(grad).keys, expected.keys);
});

test('memory may grow between calls and within them', () => {
  const layer = new MultiHeadAttention({ numHiddens: 64, numHeads: 2, seed: 1 });
  const plain = Tensor.randn([1, 9, 64], 1);
  const X = resident(plain);
  const before = X.data;
  grow();
  if (!isShared) assert.equal(before.length, 0);
  assert.equal(X.data.buffer, memory.buffer);
  assertSameTensor(X, plain);

  // Longer and longer, until a call itself has to grow memory.
  for (let length = 512, grown = 0; grown < 2; length *= 2) {
    assert.ok(length < 1 << 18, 'no call grew memory');
    const input = Tensor.randn([1, length, 64], 2);
    const own = resident(input);
    const output = new ResidentTensor([1, length, 64]);
    const size = memory.buffer.byteLength;
    const given = { window: [1, 0], headGate: resident(Tensor.ones([2])) };
    const result = layer.forward(own, own, own, { ...given, out: { output } });
    if (memory.buffer.byteLength > size) grown++;
    assert.equal(result.output, output);
    assertSameTensor(output, layer.forward(input, input, input, given).output);
    assertSameTensor(own, input);
    own.dispose();
    output.dispose();
  }
  X.dispose();
  layer.dispose();
});

test('a view from before memory grew is an error', { skip: isShared }, () => {
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
  const X = new ResidentTensor([1, 2, 4]);
  const gone = { data: X.data, shape: X.shape };
  const target = X.data;
  grow();
  assertFails(
    () => layer.forward(gone, gone, gone),
    'invalid-shape',
    /^queries: expected 8 numbers/,
  );
  const input = Tensor.ones([1, 2, 4]);
  assertFails(
    () => layer.forward(input, input, input, { out: { output: target } }),
    'invalid-shape',
    /^out.output: expected 8 numbers/,
  );
  X.dispose();
  layer.dispose();
});

test('sizes that cannot be allocated are errors', () => {
  const wanting = 'memory: not enough for tensors of these sizes';
  assertFails(() => new ResidentTensor([2 ** 31, 4]), 'out-of-memory', wanting);
  withoutGrowth(() => assertFails(() => new ResidentTensor([2 ** 28]), 'out-of-memory', wanting));
  assertFails(() => new ResidentTensor([-1]), 'invalid-shape', /^shape: expected /);
  assertFails(() => new ResidentTensor('2'), 'invalid-type', /^shape: expected /);
});

test('one tensor passed three times is copied once', () => {
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
