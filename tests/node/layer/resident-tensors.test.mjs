// Tensors in WebAssembly memory: read and written where they lie, with the results of any others.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  additiveAttention,
  loadNpy,
  maskedSoftmax,
  MultiHeadAttention,
  ResidentTensor,
  saveNpy,
  scaledDotProductAttention,
  SGD,
  splitHeads,
  Tensor,
} from 'headwise';
import { assertFails } from '../lib/compare.mjs';
import { memory, withoutGrowth } from '../lib/memory.mjs';

/** The same numbers in WebAssembly memory. */
function resident({ data, shape }) {
  const tensor = new ResidentTensor(shape);
  tensor.data.set(data);
  return tensor;
}

const plainOf = ({ data, shape }) => ({ data: new Float32Array(data), shape: [...shape] });
const assertSameTensors = (actual, expected) =>
  assert.deepEqual(actual.map(plainOf), expected.map(plainOf));
const assertSameResult = (actual, expected) => {
  const names = ['output', 'attentionWeights'].filter((name) => name in expected);
  assertSameTensors(
    names.map((name) => actual[name]),
    names.map((name) => expected[name]),
  );
};

const isShared = memory.buffer instanceof SharedArrayBuffer;

/** Has memory grow, so that views of it are gone where it is not shared. */
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
  X.dispose();
  const empty = new ResidentTensor([0, 3]);
  assert.deepEqual(empty.toArray(), []);
  empty.dispose();
});

for (const [batch, queries, keys, numHeads, headSize] of [
  [1, 1, 1, 1, 1],
  [2, 3, 5, 2, 7],
  [3, 7, 1, 3, 5],
  [1, 33, 129, 2, 33],
]) {
  const numHiddens = numHeads * headSize;
  const sizes = `${batch}, ${queries}, ${keys}, ${numHeads} heads of ${headSize}`;

  test(`a forward reads and writes resident tensors where they lie (${sizes})`, () => {
    const layer = new MultiHeadAttention({ numHiddens, numHeads, seed: 1 });
    const plain = [queries, keys, keys].map((length, i) =>
      Tensor.randn([batch, length, numHiddens], i + 1),
    );
    const own = plain.map(resident);
    const out = {
      output: new ResidentTensor([batch, queries, numHiddens]),
      attentionWeights: new ResidentTensor([batch, numHeads, queries, keys]),
    };
    const headGate = Tensor.randn([numHeads], 4);
    const given = { causal: true, returnWeights: true, headGate };
    const expected = layer.forward(...plain, given);
    const result = layer.forward(...own, { ...given, out });
    assert.equal(result.output, out.output);
    assert.equal(result.attentionWeights, out.attentionWeights);
    assertSameResult(result, expected);
    assertSameTensors(own, plain);
    // Some of them.
    assertSameResult(layer.forward(own[0], plain[1], own[2], given), expected);
    // Another shape of the same memory is returned as a tensor of that shape.
    const flat = new ResidentTensor([batch * queries * numHiddens]);
    const reshaped = layer.forward(...own, { ...given, out: { output: flat } });
    assert.deepEqual(reshaped.output.shape, [batch, queries, numHiddens]);
    assert.deepEqual([...flat.data], [...expected.output.data]);
    [layer, ...own, ...Object.values(out), flat].forEach((held) => held.dispose());
  });
}

test('what a call reads is not written before it is read', () => {
  const X = Tensor.randn([2, 5, 6], 1);
  const Y = Tensor.randn([2, 5, 6], 2);
  for (const options of [{}, { outputProjection: false }, { projection: 'none' }]) {
    const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 2, seed: 1, ...options });
    const expected = layer.forward(X, Y, Y);
    for (const target of [0, 1]) {
      const [own, other] = [resident(X), resident(Y)];
      const output = [own, other][target];
      assertSameResult(layer.forward(own, other, other, { out: { output } }), expected);
      assert.deepEqual([...output.data], [...expected.output.data]);
      own.dispose();
      other.dispose();
    }
    // Parts of the same memory, so that what the first queries give would lie where later ones are.
    const long = Tensor.randn([1, 40, 6], 3);
    const both = new ResidentTensor([1, 50, 6]);
    both.data.set(long.data);
    const given = { data: both.data.subarray(0, 240), shape: long.shape };
    assertSameResult(
      layer.forward(given, long, long, { out: { output: both.data.subarray(60) } }),
      layer.forward(long, long, long),
    );
    both.dispose();
    layer.dispose();
  }
});

test('layers hand tensors on, forward and back', () => {
  const options = { numHiddens: 12, numHeads: 3 };
  const run = (made) => {
    const layers = [1, 2].map((seed) => new MultiHeadAttention({ ...options, seed }));
    const optimizer = new SGD(layers, { learningRate: 0.1 });
    const X = made(Tensor.randn([2, 5, 12], 1));
    const [Y, Z, ofY] = [1, 2, 3].map(() => made(Tensor.zeros([2, 5, 12])));
    const grad = made(Tensor.randn([2, 5, 12], 2));
    for (let step = 0; step < 3; step++) {
      optimizer.zeroGradients();
      layers[0].forward(X, X, X, { requiresGrad: true, out: { output: Y } });
      layers[1].forward(Y, Y, Y, { requiresGrad: true, out: { output: Z } });
      layers[1].backward(grad, { out: { queries: ofY } });
      layers[0].backward(ofY);
      optimizer.step();
    }
    const result = { output: new Tensor(Z.data.slice(), Z.shape), ...layers[0].stateDict() };
    [optimizer, ...layers].forEach((held) => held.dispose());
    return Object.values(result);
  };
  assertSameTensors(
    run(resident),
    run((tensor) => new Tensor(tensor.data.slice(), tensor.shape)),
  );
});

test('a backward writes gradients where they are wanted', () => {
  const X = Tensor.randn([2, 5, 6], 1);
  const Y = Tensor.randn([2, 7, 6], 2);
  const grad = Tensor.randn([2, 5, 6], 3);
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 2, seed: 1 });
  const back = (gradOutput, options) => {
    layer.forward(X, Y, Y, { requiresGrad: true });
    return layer.backward(gradOutput, options);
  };
  const expected = back(grad);
  const names = Object.keys(expected);
  assert.deepEqual(names, ['queries', 'keys', 'values', 'headGate']);
  for (const made of [resident, plainOf]) {
    const zeros = names.map((name) => made(Tensor.zeros(expected[name].shape)));
    const targets = zeros.map((zero) =>
      zero instanceof Tensor ? zero : new Tensor(zero.data, zero.shape),
    );
    const out = Object.fromEntries(names.map((name, i) => [name, targets[i]]));
    const result = back(made(grad), { out });
    assert.deepEqual(Object.values(result), targets);
    names.forEach((name) => assert.equal(result[name], out[name]));
    assertSameTensors(targets, Object.values(expected));
    // Some of them, and numbers alone.
    const keys = new Float32Array(2 * 7 * 6);
    const some = back(grad, { out: { queries: targets[0], keys } });
    assert.equal(some.queries, targets[0]);
    assert.equal(some.keys.data, keys);
    assertSameTensors(Object.values(some), Object.values(expected));
  }

  // Over what is read, and both keys' and values' in the same memory.
  const own = resident(grad);
  assertSameTensors([back(own, { out: { queries: own } }).queries], [expected.queries]);
  const shared = new ResidentTensor([2, 7, 6]);
  const both = back(grad, { out: { keys: shared, values: shared } });
  assert.equal(both.keys, both.values);
  assertSameTensors([shared, both.queries], [expected.values, expected.queries]);

  const wrong = { keys: new ResidentTensor([2, 5, 6]) };
  layer.zeroGradients();
  layer.forward(X, Y, Y, { requiresGrad: true });
  assertFails(
    () => layer.backward(grad, { out: wrong }),
    'invalid-shape',
    'out.keys: expected 84 numbers for shape (2, 7, 6), got 60',
  );
  assertFails(() => layer.backward(grad, { out: { query: own } }), 'unknown-option', /^out: /);
  assertFails(() => layer.backward(grad, { into: {} }), 'unknown-option', /^options: /);
  assertFails(
    () => layer.backward(grad, { out: { values: [1] } }),
    'invalid-type',
    /^out.values: /,
  );
  assert.ok(Object.values(layer.gradients()).every(({ data }) => data.every((g) => g === 0)));
  assertSameTensors(Object.values(layer.backward(grad)), Object.values(expected));
});

test('every function takes resident tensors', () => {
  const heads = [1, 2, 3].map((seed) => Tensor.randn([2, 2, 4, 3], seed));
  const rows = [1, 2, 3].map((seed) => Tensor.randn([2, 4, 3], seed));
  const parameters = {
    W_q: Tensor.randn([5, 3], 4),
    W_k: Tensor.randn([5, 3], 5),
    w_v: Tensor.randn([1, 5], 6),
  };
  const mask = Tensor.randn([4, 4], 7);
  const own = Object.fromEntries(Object.entries(parameters).map(([n, t]) => [n, resident(t)]));
  const given = { mask, returnWeights: true };
  const ownGiven = { mask: resident(mask), returnWeights: true };
  assertSameResult(
    scaledDotProductAttention(...heads.map(resident), ownGiven),
    scaledDotProductAttention(...heads, given),
  );
  assertSameResult(
    additiveAttention(...rows.map(resident), own, ownGiven),
    additiveAttention(...rows, parameters, given),
  );
  const out = new ResidentTensor([2, 4, 3]);
  assert.equal(maskedSoftmax(resident(rows[0]), [2, 0], { out }), out);
  assertSameTensors([out], [maskedSoftmax(rows[0], [2, 0])]);
  const inPlace = resident(rows[0]);
  maskedSoftmax(inPlace, [2, 0], { out: inPlace });
  assertSameTensors([inPlace], [out]);
  assertSameTensors([splitHeads(resident(rows[0]), 3)], [splitHeads(rows[0], 3)]);
  assertSameTensors([loadNpy(saveNpy(resident(rows[0])))], [rows[0]]);
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
  layer.forward(Tensor.ones([1, 1, 4]), Tensor.ones([1, 1, 4]), Tensor.ones([1, 1, 4]));
  const state = layer.stateDict();
  const loaded = new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
  loaded.loadStateDict(Object.fromEntries(Object.entries(state).map(([n, t]) => [n, resident(t)])));
  assertSameTensors(Object.values(loaded.stateDict()), Object.values(state));
});

test('memory may grow between calls and within them', () => {
  const layer = new MultiHeadAttention({ numHiddens: 64, numHeads: 2, seed: 1 });
  const plain = Tensor.randn([1, 9, 64], 1);
  const X = resident(plain);
  const before = X.data;
  grow();
  if (!isShared) assert.equal(before.length, 0);
  assert.equal(X.data.buffer, memory.buffer);
  assertSameTensors([X], [plain]);

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
    assertSameTensors([output], [layer.forward(input, input, input, given).output]);
    assertSameTensors([own], [input]);
    own.dispose();
    output.dispose();
  }
  X.dispose();
  layer.dispose();
});

test('a view of which memory has grown since is not taken for numbers', { skip: isShared }, () => {
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

test('after dispose a resident tensor is an error, again and again', () => {
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
  const X = new ResidentTensor([1, 2, 4]);
  X.dispose();
  X.dispose();
  const input = Tensor.ones([1, 2, 4]);
  const disposed = 'tensor: expected one in use, got one that was disposed of';
  assertFails(() => X.data, 'disposed', disposed);
  assertFails(() => X.at(0, 0, 0), 'disposed', disposed);
  assertFails(() => layer.forward(X, input, input), 'disposed', disposed);
  assertFails(
    () => layer.forward(input, input, input, { out: { output: X } }),
    'disposed',
    disposed,
  );
  const Y = new ResidentTensor([1]);
  Y[Symbol.dispose]?.();
  if (Symbol.dispose !== undefined) assertFails(() => Y.data, 'disposed', disposed);
  layer.dispose();
});

test('sizes that cannot be had are errors', () => {
  const wanting = 'memory: not enough for tensors of these sizes';
  assertFails(() => new ResidentTensor([2 ** 31, 4]), 'out-of-memory', wanting);
  withoutGrowth(() => assertFails(() => new ResidentTensor([2 ** 28]), 'out-of-memory', wanting));
  assertFails(() => new ResidentTensor([-1]), 'invalid-shape', /^shape: expected /);
  assertFails(() => new ResidentTensor('2'), 'invalid-type', /^shape: expected /);
});
