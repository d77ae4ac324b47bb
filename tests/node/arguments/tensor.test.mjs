import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import * as headwise from 'headwise';
import { assertFails } from '../lib/compare.mjs';

const { CopyTask, init, measureHeadImportance, MultiHeadAttention, SGD, splitHeads } = headwise;
const { Tensor, Transformer, transposeOutput } = headwise;
await init();

test('a tensor keeps a Float32Array and converts everything else', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  assert.equal(new Tensor(data, [2, 3]).data, data);
  for (const other of [[1, 2, 3, 4, 5, 6], Float64Array.from(data), Uint8Array.from(data)]) {
    const tensor = new Tensor(other, [2, 3]);
    assert.deepEqual(tensor.data, data);
    assert.notEqual(tensor.data, other);
  }
  assert.deepEqual(new Tensor([0.1], [1]).data, Float32Array.of(0.1));
});

test('a shape is a copy that cannot be changed', () => {
  const shape = [2, 3];
  const tensor = new Tensor(new Float32Array(6), shape);
  shape[0] = 5;
  assert.deepEqual(tensor.shape, [2, 3]);
  assert.throws(() => tensor.shape.push(1), TypeError);
});

test('zeros, ones and full', () => {
  assert.deepEqual(Tensor.zeros([2, 2]).data, new Float32Array(4));
  assert.deepEqual(Tensor.ones([3]).data, Float32Array.of(1, 1, 1));
  assert.deepEqual(Tensor.full([1, 2], 0.5).toArray(), [[0.5, 0.5]]);
  assert.deepEqual(Tensor.full([], 7).data, Float32Array.of(7));
  assert.deepEqual(Tensor.zeros([2, 0, 3]).data, new Float32Array(0));
  const shape = [...new Array(40).fill(2 ** 32), 0];
  assert.deepEqual(Tensor.zeros(shape).data, new Float32Array(0));
});

test('samples without elements take no time, however many there are', async () => {
  const X = Tensor.zeros([2 ** 32 - 2, 0, 4]);
  const options = { numHiddens: 4, numHeads: 2, seed: 1 };
  assert.deepEqual(splitHeads(X, 2).shape, [2 ** 32 - 2, 2, 0, 2]);
  assert.deepEqual(transposeOutput(X, 2).shape, [2 ** 31 - 1, 0, 8]);
  for (const layer of [{}, { projection: 'none' }, { rotary: {} }]) {
    const attention = new MultiHeadAttention({ ...options, ...layer });
    const { output } = attention.forward(X, X, X, { headGate: [1, 0.5], causal: true });
    assert.deepEqual(output.shape, X.shape);
    const batches = [{ queries: X, keys: X, values: X }];
    await measureHeadImportance(attention, { measure: 'entropy', batches });
  }
});

test('randn gives the same for the same seed', () => {
  const { data, shape } = Tensor.randn([100, 200], 1);
  assert.deepEqual(shape, [100, 200]);
  assert.deepEqual(Tensor.randn([100, 200], 1).data, data);
  assert.notDeepEqual(Tensor.randn([100, 200], 2).data, data);
  assert.notDeepEqual(Tensor.randn([10]).data, Tensor.randn([10]).data);
  assert.deepEqual(Tensor.randn([0, 2], 1).data, new Float32Array(0));
});

test('at and toArray read in row-major order', () => {
  const tensor = new Tensor([1, 2, 3, 4, 5, 6], [1, 3, 2]);
  assert.equal(JSON.stringify(tensor.toArray()), '[[[1,2],[3,4],[5,6]]]');
  assert.equal(tensor.at(0, 2, 1), 6);
  assert.equal(tensor.at(0, 1, 0), 3);
  const scalar = new Tensor([5], []);
  assert.equal(scalar.at(), 5);
  assert.equal(scalar.toArray(), 5);
  assert.deepEqual(Tensor.zeros([2, 0]).toArray(), [[], []]);
});

test('indices outside the tensor are errors', () => {
  const tensor = Tensor.ones([2, 3]);
  const fails = (index, code, message) => assertFails(() => tensor.at(...index), code, message);
  fails([1], 'invalid-shape', 'index: expected 2 integers, got 1');
  fails([1, 1, 1], 'invalid-shape', 'index: expected 2 integers, got 3');
  for (const bad of [3, -1, 0.5, '0']) {
    fails([0, bad], 'invalid-value', /^index: expected an index into \(2, 3\), got \(/);
  }
});

test('bad data and shapes are errors', () => {
  const sizes = 'shape: expected a shape of integers from 0 on';
  const anyShape = 'expected a shape such as [2, 4, 100]';
  const [type, shape] = ['invalid-type', 'invalid-shape'];
  for (const [make, code, message] of [
    [
      () => new Tensor([1, 2, 3], [2, 2]),
      shape,
      'data: expected 4 numbers for shape (2, 2), got 3',
    ],
    [() => new Tensor('1234', [4]), type, 'data: expected data of numbers, got "1234"'],
    [() => new Tensor([1]), type, `data: ${anyShape}, got undefined`],
    [() => Tensor.zeros(4), type, `shape: ${anyShape}, got 4`],
    [() => Tensor.ones([-1]), shape, `${sizes}, got -1`],
    [() => Tensor.ones([1.5]), shape, `${sizes}, got 1.5`],
    [() => Tensor.randn([NaN], 1), shape, `${sizes}, got NaN`],
    [() => Tensor.full([1], '1'), type, 'value: expected a number, got "1"'],
    [() => Tensor.randn([1], -1), 'invalid-option', /^seed: expected an integer from 0 to/],
  ]) {
    assertFails(make, code, message);
  }
});

test('from copies whatever is taken as a tensor', () => {
  const tensor = new Tensor([1, 2, 3, 4], [2, 2]);
  const inputs = [tensor, { data: [1, 2, 3, 4], dims: [2, 2] }, [Float32Array.of(1, 2), [3, 4]]];
  for (const input of inputs) {
    const copy = Tensor.from(input);
    assert.ok(copy instanceof Tensor);
    assert.deepEqual(copy, tensor);
    assert.notEqual(copy.data, tensor.data);
  }
});

test('JSON keeps every number', () => {
  const numbers = [0.1, -0, NaN, Infinity, -Infinity, 3.4028235e38, 1e-45];
  const tensor = new Tensor(numbers, [7]);
  assert.deepEqual(tensor.toJSON().data.slice(2, 5), ['NaN', 'Infinity', '-Infinity']);
  const back = Tensor.from(JSON.parse(JSON.stringify(tensor)));
  // JSON has no −0.
  assert.deepEqual(
    [...back.data],
    [...tensor.data].map((number) => number || number + 0),
  );
});

test('reshape shares the numbers', () => {
  const tensor = new Tensor([1, 2, 3, 4, 5, 6], [2, 3]);
  const others = [[6], [3, -1], [-1, 1, 6]].map((shape) => tensor.reshape(shape));
  const shapes = others.map(({ shape }) => shape);
  assert.deepEqual(shapes, [[6], [3, 2], [1, 1, 6]]);
  for (const { data } of others) assert.equal(data, tensor.data);
  const wrong = /^shape: expected /;
  for (const shape of [[5], [-1, 4], [-1, -1], [-1, 0], [-2, 3], '6']) {
    assert.throws(() => tensor.reshape(shape), { name: 'HeadwiseError', message: wrong });
  }
  assertFails(
    () => tensor.reshape([4, -1]),
    'invalid-shape',
    'shape: expected one of 6 numbers, got (4, -1)',
  );
});

test('slice copies parts as NumPy does', () => {
  const tensor = new Tensor(
    Array.from({ length: 24 }, (_, i) => i),
    [2, 3, 4],
  );
  assert.deepEqual(tensor.slice(), tensor);
  assert.deepEqual(tensor.slice(1, 2).toArray(), [20, 21, 22, 23]);
  assert.deepEqual(tensor.slice(1, 2, 3), new Tensor([23], []));
  assert.deepEqual(tensor.slice(-1, undefined, -4).toArray(), [12, 16, 20]);
  const middle = new Tensor([4, 5, 8, 9, 16, 17, 20, 21], [2, 2, 2]);
  assert.deepEqual(tensor.slice([], [1, 3], [0, 2]), middle);
  assert.deepEqual(tensor.slice([1], [-1], [-3, -1]).toArray(), [[[21, 22]]]);
  assert.deepEqual(tensor.slice([2, 1]).shape, [0, 3, 4]);
  assert.deepEqual(tensor.slice([-9, 9]), tensor);
  const copy = tensor.slice(0);
  copy.data[0] = 7;
  assert.equal(tensor.data[0], 0);
  const fails = (parts, code, message) => assertFails(() => tensor.slice(...parts), code, message);
  fails([0, 0, 0, 0], 'invalid-shape', 'slice: expected at most 3 parts, got 4');
  fails([2], 'invalid-value', 'slice: expected an index into an axis of 2, got 2');
  fails([0.5], 'invalid-value', 'slice: expected an index into an axis of 2, got 0.5');
  fails([[0.5]], 'invalid-value', 'slice: expected integers, got 0.5');
  fails(['0'], 'invalid-type', 'slice: expected an index or [begin, end], got "0"');
});

test('sums, products and comparisons', () => {
  const X = new Tensor([1, 2, 3, 4], [2, 2]);
  assert.deepEqual(X.add([10, 20]), new Tensor([11, 22, 13, 24], [2, 2]));
  assert.deepEqual(X.mul(X).add(1), new Tensor([2, 5, 10, 17], [2, 2]));
  const Y = new Tensor([1, 0, 1, 0, 1, 1], [2, 3]);
  assert.deepEqual(X.reshape([1, 2, 2]).matmul(Y).data, Float32Array.of(1, 2, 3, 3, 4, 7));
  assert.ok(X.allClose(new Tensor([1, 2, 3, 4.00001], [2, 2])));
  assert.ok(!X.allClose(X.add(0.001)) && X.allClose(X.add(0.001), 0, 0.01));
  assert.ok(!Tensor.full([1], NaN).allClose([NaN]) && !Tensor.ones([1]).allClose([Infinity]));
  const fails = (call, message) => assertFails(call, 'invalid-shape', message);
  fails(() => X.add([1, 2, 3]), 'other: expected (2,), got (3,)');
  fails(() => X.mul(Y), 'other: expected (2, 2), got (2, 3)');
  fails(() => Y.matmul(X), 'other: expected (3, columns), got (2, 2)');
  fails(() => X.allClose(Y), 'other: expected (2, 2), got (2, 3)');
  fails(() => Tensor.zeros([]).matmul(X), 'matmul: expected at least one axis, got ()');
});

test('a tensor prints its shape and its first and last numbers', () => {
  assert.equal(String(new Tensor([1, 1 / 3, -2], [1, 3])), 'Tensor (1, 3) [1, 0.3333, -2]');
  const long = new Tensor(
    Array.from({ length: 48 }, (_, i) => i),
    [2, 24],
  );
  assert.equal(`${long}`, 'Tensor (2, 24) [0, 1, 2, …, 45, 46, 47]');
  assert.equal(inspect({ long }), '{ long: Tensor (2, 24) [0, 1, 2, …, 45, 46, 47] }');
  assert.equal(String(Tensor.zeros([0, 3])), 'Tensor (0, 3) []');
  assert.equal(String(new Tensor([NaN], [])), 'Tensor () [NaN]');
});

test('layers and models print as in PyTorch, and have tags, which Vue does not make reactive', () => {
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, outputBias: true });
  const ofInputs = ['W_q', 'W_k', 'W_v'].map((name, i) => {
    const size = `${['query', 'key', 'value'][i]}Size`;
    return `  (${name}): Linear(in_features=${size}, out_features=4, bias=false)`;
  });
  const end = '\n  (W_o): Linear(in_features=4, out_features=4, bias=true)\n)';
  const text = `MultiHeadAttention(\n  numHiddens=4, numHeads=2\n${ofInputs.join('\n')}${end}`;
  assert.equal(inspect(layer), text);
  const sizes = { vocabularySize: 5, maxLength: 6, numHiddens: 4 };
  const model = new Transformer({ ...sizes, numHeads: 2, numLayers: 3, seed: 1 });
  assert.match(inspect(model), /^Transformer\(\n.*numLayers=3\n {2}\(attention 0-2\): 3 x Multi/);
  const task = new CopyTask({ numSymbols: 2, length: 2 });
  const cache = model.createCache({ batchSize: 1, maxLength: 1 });
  const others = [Tensor.ones([1]), new SGD(layer, { learningRate: 1 }), task, cache];
  const tags = [layer, model, ...others].map((each) => each[Symbol.toStringTag]);
  const names = 'MultiHeadAttention Transformer Tensor SGD CopyTask ModelCache';
  assert.equal(tags.join(' '), names);
});
