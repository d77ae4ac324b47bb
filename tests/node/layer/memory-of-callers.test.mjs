// The caller's memory: tensors in WebAssembly memory, which may grow, overlap or be freed, and memory for results that
// does not fit. calls.test.mjs passes memory of every kind to every call.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { runModule } from '../lib/child.mjs';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';
import { memory, withoutGrowth } from '../lib/memory.mjs';

const { loadNpy, MultiHeadAttention, ResidentTensor, saveNpy, Tensor } = headwise;

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
  }
  // Copies of inputs alone do not fit.
  const many = Tensor.zeros([1, memory.buffer.byteLength / 128, 64]);
  many.data.fill(1, 0, 64);
  const two = { validLens: [2] };
  const { output: first } = layer.forward(X, many, many, two);
  assertSameTensor(first, layer.forward(plain, many, many, two).output);
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

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 1 };
const inputs = [1, 2, 3].map((seed) => Tensor.randn([2, 4, 5], seed));
const heads = [1, 2, 3].map((seed) => Tensor.randn([2, 1, 4, 5], seed));
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };

const layer = new MultiHeadAttention(options);

/** Calls that take `out`, with the shapes of their results. */
const calls = {
  forward: [
    (given) => layer.forward(...inputs, given),
    { output: [2, 4, 8], attentionWeights: [2, 2, 4, 4] },
  ],
  scaledDotProductAttention: [
    (given) => headwise.scaledDotProductAttention(...heads, given),
    { output: [2, 1, 4, 5], attentionWeights: [2, 1, 4, 4] },
  ],
  additiveAttention: [
    (given) => headwise.additiveAttention(...inputs, parameters, given),
    { output: [2, 4, 5], attentionWeights: [2, 4, 4] },
  ],
};

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);
const showShape = (shape) => `(${shape.join(', ')})`;

/** Memory that does not fit results of this shape, and the errors without its name. */
function unfit(shape) {
  const size = sizeOf(shape);
  const numbers = `expected ${size} numbers for shape ${showShape(shape)}`;
  const kind = 'expected a Float32Array or a Tensor';
  return [
    [new Float32Array(size - 1), 'invalid-shape', `${numbers}, got ${size - 1}`],
    [new Float32Array(size + 1), 'invalid-shape', `${numbers}, got ${size + 1}`],
    [Tensor.ones([2]), 'invalid-shape', `${numbers}, got 2`],
    [new Float64Array(size), 'invalid-type', `${kind}, got a Float64Array`],
    [new Int32Array(size), 'invalid-type', `${kind}, got an Int32Array`],
    [new Array(size).fill(0), 'invalid-type', `${kind}, got an array`],
    [{ data: new Float32Array(size), shape }, 'invalid-type', `${kind}, got an object`],
    [null, 'invalid-type', `${kind}, got null`],
  ];
}

test('memory that does not fit is an error', () => {
  const unsized = { numHiddens: 8, numHeads: 2 };
  for (const [call, shapes] of Object.values(calls)) {
    for (const [name, shape] of Object.entries(shapes)) {
      for (const [memory, code, message] of unfit(shape)) {
        const given = { returnWeights: true, out: { [name]: memory } };
        assertFails(() => call(given), code, `out.${name}: ${message}`);
        if (call === calls.forward[0]) {
          const forward = (layer) => layer.forward(...inputs, given);
          assertFailsAndChangesNothing(unsized, forward, code, `out.${name}: ${message}`);
        }
      }
    }
  }
  for (const [out, code, message] of unfit([2, 4, 5])) {
    const call = () => headwise.maskedSoftmax(inputs[0], undefined, { out });
    assertFails(call, code, `out: ${message}`);
  }
});

test('`out` that is not an object of known results is an error', () => {
  const fails = (out, code, message) => {
    for (const [call] of Object.values(calls)) assertFails(() => call({ out }), code, message);
  };
  const memory = new Float32Array(64);
  fails(memory, 'invalid-type', 'out: expected an object, got a Float32Array');
  fails([memory], 'invalid-type', 'out: expected an object, got an array');
  fails(null, 'invalid-type', 'out: expected an object, got null');
  const only = 'out: expected only output, attentionWeights';
  fails(Tensor.zeros([2, 4, 8]), 'unknown-option', `${only}, got data`);
  fails({ weights: memory }, 'unknown-option', `${only}, got weights`);
});

test('a call that fails writes nothing', () => {
  const output = new Float32Array(64).fill(7);
  for (const given of [
    { out: { output, attentionWeights: new Float32Array(3) }, returnWeights: true },
    { out: { output }, validLens: [9, 9] },
    { out: { output }, headGate: [1, 1, 1] },
  ]) {
    assert.throws(() => calls.forward[0](given), { name: 'HeadwiseError' });
    assert.deepEqual(output, new Float32Array(64).fill(7));
  }
});
