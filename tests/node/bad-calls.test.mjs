// Bad calls that only JavaScript can make. Those it shares with C++ are in errors.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from './lib/compare.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2 };
const good = Tensor.ones([2, 4, 5]);
const aTensor = 'a tensor, { data, shape } or nested arrays of numbers';

const circular = [];
circular.push(circular);

// What is no tensor, whichever argument it is given for, and the error without the argument's name.
const noTensors = {
  null: [null, 'invalid-type', `expected ${aTensor}, got null`],
  undefined: [undefined, 'invalid-type', `expected ${aTensor}, got undefined`],
  'a number': [3, 'invalid-type', `expected ${aTensor}, got 3`],
  'a string': ['X', 'invalid-type', `expected ${aTensor}, got "X"`],
  'an object without data': [{ shape: [1] }, 'invalid-type', `expected ${aTensor}, got an object`],
  'a typed array without a shape': [
    new Float32Array(40),
    'invalid-type',
    `expected ${aTensor}, got a typed array without a shape`,
  ],
  'data that is null': [
    { data: null, shape: [2, 4, 5] },
    'invalid-type',
    'expected data of numbers, got null',
  ],
  'a shape that is a number': [
    { data: new Float32Array(40), shape: 40 },
    'invalid-type',
    'expected a shape such as [2, 4, 100], got 40',
  ],
  'a negative shape': [
    { data: new Float32Array(40), shape: [-2, -4, 5] },
    'invalid-shape',
    'expected a shape of integers from 0 on, got -2',
  ],
  'a fractional shape': [
    { data: new Float32Array(40), shape: [2, 4.5, 5] },
    'invalid-shape',
    'expected a shape of integers from 0 on, got 4.5',
  ],
  'a shape with a string': [
    { data: new Float32Array(40), dims: ['2', 4, 5] },
    'invalid-shape',
    'expected a shape of integers from 0 on, got "2"',
  ],
  'a shape with a hole': [
    // eslint-disable-next-line no-sparse-arrays
    { data: new Float32Array(40), shape: [2, , 5] },
    'invalid-shape',
    'expected a shape of integers from 0 on, got undefined',
  ],
  'too few numbers for the shape': [
    { data: new Float32Array(39), shape: [2, 4, 5] },
    'invalid-shape',
    'expected 40 numbers for shape (2, 4, 5), got 39',
  ],
  'too many numbers for the shape': [
    { data: new Array(41).fill(1), dims: [2, 4, 5] },
    'invalid-shape',
    'expected 40 numbers for shape (2, 4, 5), got 41',
  ],
  'a shape beyond all memory': [
    { data: new Float32Array(40), shape: [2 ** 52, 2 ** 52, 2 ** 52] },
    'invalid-shape',
    `expected ${2 ** 156} numbers for shape (${2 ** 52}, ${2 ** 52}, ${2 ** 52}), got 40`,
  ],
  'data of strings': [
    { data: new Array(40).fill('1'), shape: [2, 4, 5] },
    'invalid-type',
    'expected numbers, got "1"',
  ],
  'data of BigInts': [
    { data: new BigInt64Array(40), shape: [2, 4, 5] },
    'invalid-type',
    'expected numbers, got 0n',
  ],
  'data with holes': [
    { data: new Array(40), shape: [2, 4, 5] },
    'invalid-type',
    'expected numbers, got undefined',
  ],
  'nested arrays that are ragged': [
    [[[1, 2], [1]]],
    'invalid-shape',
    'expected arrays of length 2 at axis 2, got one of length 1',
  ],
  'nested arrays that are ragged further out': [
    [[[1], [1]], [[1]]],
    'invalid-shape',
    'expected arrays of length 2 at axis 1, got one of length 1',
  ],
  'nested arrays of differing depth': [
    [[[1], 1]],
    'invalid-type',
    'expected arrays nested 3 deep, got 1',
  ],
  'nested arrays that get deeper': [[[[1, [1]]]], 'invalid-type', 'expected numbers, got an array'],
  // eslint-disable-next-line no-sparse-arrays
  'nested arrays with a hole': [[[[1, , 2]]], 'invalid-type', 'expected numbers, got undefined'],
  'nested arrays with a string': [[[[1, '2']]], 'invalid-type', 'expected numbers, got "2"'],
  'nested arrays with null': [[[[1, null]]], 'invalid-type', 'expected numbers, got null'],
  'nested arrays with booleans': [[[[true]]], 'invalid-type', 'expected numbers, got true'],
  'an array that holds itself': [
    circular,
    'invalid-shape',
    'expected at most 8 axes, got deeper nesting',
  ],
};

const positions = {
  queries: (bad) => [bad, good, good],
  keys: (bad) => [good, bad, good],
  values: (bad) => [good, good, bad],
};

for (const [name, [bad, code, message]] of Object.entries(noTensors)) {
  test(`no tensor: ${name}`, () => {
    for (const [argument, inputs] of Object.entries(positions)) {
      const call = (layer) => layer.forward(...inputs(bad));
      assertFailsAndChangesNothing(options, call, code, `${argument}: ${message}`);
      assertFails(
        () => headwise.scaledDotProductAttention(...inputs(bad)),
        code,
        `${argument}: ${message}`,
      );
    }
    assertFails(() => headwise.maskedSoftmax(bad), code, `scores: ${message}`);
    assertFails(() => headwise.transposeQkv(bad, 1), code, `X: ${message}`);
    assertFails(() => headwise.transposeOutput(bad, 1), code, `X: ${message}`);
    const load = (layer) => layer.loadStateDict({ 'W_q.weight': bad });
    assertFailsAndChangesNothing(options, load, code, `W_q.weight: ${message}`);
  });
}

test('tensors of another rank', () => {
  const flat = Tensor.ones([4, 5]);
  const deep = Tensor.ones([1, 2, 4, 5]);
  const fails = (inputs, message) =>
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.forward(...inputs),
      'invalid-shape',
      message,
    );
  fails([flat, good, good], 'queries: expected (batch, queries, querySize), got (4, 5)');
  fails([good, deep, good], 'keys: expected (2, keys, keySize), got (1, 2, 4, 5)');
  fails([good, good, flat], 'values: expected (2, 4, valueSize), got (4, 5)');
  fails([[], good, good], 'queries: expected (batch, queries, querySize), got (0,)');
  assertFails(
    () => headwise.maskedSoftmax(flat),
    'invalid-shape',
    'scores: expected (batch, queries, keys), got (4, 5)',
  );
  assertFails(
    () => headwise.scaledDotProductAttention(good, good, good),
    'invalid-shape',
    'queries: expected (batch, heads, queries, headSize), got (2, 4, 5)',
  );
  assertFails(
    () => headwise.transposeQkv(deep, 1),
    'invalid-shape',
    'X: expected (batch, length, numHiddens), got (1, 2, 4, 5)',
  );
  assertFails(
    () => headwise.transposeOutput(flat, 1),
    'invalid-shape',
    'X: expected (batch · numHeads, length, headSize), got (4, 5)',
  );
});

// Of two samples with four keys.
const badLens = {
  null: [null, 'invalid-type', /^validLens: expected .*, got null$/],
  'a number': [3, 'invalid-type', /^validLens: expected .*, got 3$/],
  'a string': ['32', 'invalid-type', /^validLens: expected .*, got "32"$/],
  'strings in an array': [['3', '2'], 'invalid-type', 'validLens: expected integers, got "3"'],
  'null in an array': [[3, null], 'invalid-type', 'validLens: expected integers, got null'],
  booleans: [[true, false], 'invalid-type', 'validLens: expected integers, got true'],
  // eslint-disable-next-line no-sparse-arrays
  'a hole': [[, 3], 'invalid-type', 'validLens: expected integers, got undefined'],
  'a fraction': [[3, 2.5], 'invalid-value', 'validLens: expected integers from 0 to 4, got 2.5'],
  NaN: [[NaN, 2], 'invalid-value', 'validLens: expected integers from 0 to 4, got NaN'],
  infinity: [
    [3, Infinity],
    'invalid-value',
    'validLens: expected integers from 0 to 4, got Infinity',
  ],
  'a negative number': [
    Int32Array.of(3, -1),
    'invalid-value',
    'validLens: expected integers from 0 to 4, got -1',
  ],
  'a BigInt too large': [
    BigInt64Array.of(3n, 5n),
    'invalid-value',
    'validLens: expected integers from 0 to 4, got 5',
  ],
  'a BigInt that wraps around to 3 in 64 bits': [
    [3n, 2n ** 64n + 3n],
    'invalid-value',
    /^validLens: expected integers from 0 to 4, got 18446744073709/,
  ],
  'ragged arrays': [
    [[1, 2, 3, 4], [1]],
    'invalid-shape',
    'validLens: expected arrays of length 4 at axis 1, got one of length 1',
  ],
  'three axes': [
    [[[1]], [[1]]],
    'invalid-shape',
    'validLens: expected (2,) or (2, 4), got (2, 1, 1)',
  ],
  'data that does not fill its shape': [
    { data: [1, 2, 3], shape: [2] },
    'invalid-shape',
    'validLens: expected 2 integers for shape (2,), got 3',
  ],
};

for (const [name, [validLens, code, message]] of Object.entries(badLens)) {
  test(`no validLens: ${name}`, () => {
    const call = (layer) => layer.forward(good, good, good, { validLens });
    assertFailsAndChangesNothing(options, call, code, message);
    const scores = Tensor.ones([2, 4, 4]);
    assertFails(() => headwise.maskedSoftmax(scores, validLens), code, message);
    const heads = Tensor.ones([2, 1, 4, 5]);
    assertFails(
      () => headwise.scaledDotProductAttention(heads, heads, heads, { validLens }),
      code,
      message,
    );
  });
}

test('options of the constructor', () => {
  const fails = (given, code, message) =>
    assertFails(() => new MultiHeadAttention(given), code, message);
  const size = 'expected an integer from 1 to 2147483647';
  fails(undefined, 'invalid-option', `numHiddens: ${size}, got undefined`);
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails(8, 'invalid-type', 'options: expected an object, got 8');
  fails([8, 2], 'invalid-type', 'options: expected an object, got an array');
  for (const value of [2.5, NaN, Infinity, '8', null, 8n, true, [8]]) {
    for (const name of ['numHiddens', 'numHeads', 'querySize', 'keySize', 'valueSize']) {
      fails({ ...options, [name]: value }, 'invalid-option', new RegExp(`^${name}: ${size}, got`));
    }
  }
  for (const dropout of ['0.5', null, 1n, true]) {
    fails(
      { ...options, dropout },
      'invalid-option',
      /^dropout: expected a number from 0 to 1, got/,
    );
  }
  for (const bias of [1, 'true', null]) {
    fails({ ...options, bias }, 'invalid-option', /^bias: expected true or false, got/);
  }
  for (const seed of [-1, 0.5, NaN, '1', null, 1n]) {
    fails(
      { ...options, seed },
      'invalid-option',
      /^seed: expected an integer from 0 to 9007199254740991, got/,
    );
  }
});

test('options that headwise does not know, or not yet, are named', () => {
  const known = 'numHiddens, numHeads, dropout, bias, querySize, keySize, valueSize, seed';
  for (const name of ['numheads', 'num_heads', 'numKvHeads', 'pooling', 'scale', 'biasKv', 'x']) {
    const construct = () => new MultiHeadAttention({ ...options, [name]: undefined });
    assertFails(construct, 'unknown-option', `options: expected only ${known}, got ${name}`);
  }
  for (const name of ['causal', 'mask', 'window', 'headGate', 'cache', 'requiresGrad', 'out']) {
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.forward(good, good, good, { [name]: true }),
      'unknown-option',
      `options: expected only validLens, emptyRows, returnWeights, got ${name}`,
    );
  }
  const heads = Tensor.ones([2, 1, 4, 5]);
  for (const name of ['causal', 'scale', 'softcap', 'weightsStage']) {
    assertFails(
      () => headwise.scaledDotProductAttention(heads, heads, heads, { [name]: 1 }),
      'unknown-option',
      `options: expected only validLens, emptyRows, returnWeights, got ${name}`,
    );
  }
  assertFails(
    () => headwise.maskedSoftmax(good, [1, 1], { axis: 1 }),
    'unknown-option',
    'options: expected only emptyRows, out, got axis',
  );
});

test('values of options', () => {
  const fails = (given, code, message) =>
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.forward(good, good, good, given),
      code,
      message,
    );
  fails([3, 2], 'invalid-type', 'options: expected an object, got an array');
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails('zero', 'invalid-type', 'options: expected an object, got "zero"');
  fails(
    { emptyRows: 'ones' },
    'invalid-option',
    `emptyRows: expected 'zero' or 'uniform', got "ones"`,
  );
  fails({ emptyRows: null }, 'invalid-option', `emptyRows: expected 'zero' or 'uniform', got null`);
  fails({ returnWeights: 1 }, 'invalid-option', 'returnWeights: expected true or false, got 1');
});

test('heads of the transposes that are no integers', () => {
  const heads = (call, what) => {
    for (const value of [undefined, null, 1.5, NaN, '1', 1n]) {
      assertFails(
        () => call(Tensor.ones([2, 2, 2]), value),
        'invalid-option',
        new RegExp(`^numHeads: expected a divisor of the ${what} axis of X \\(2\\), got`),
      );
    }
  };
  heads(headwise.transposeQkv, 'last');
  heads(headwise.transposeOutput, 'first');
});

test('memory to write to that does not fit', () => {
  const fails = (out, code, message) => {
    const scores = Tensor.ones([1, 2, 3]);
    assertFails(() => headwise.maskedSoftmax(scores, undefined, { out }), code, message);
  };
  const size = 'out: expected 6 numbers for shape (1, 2, 3)';
  fails(new Float32Array(5), 'invalid-shape', `${size}, got 5`);
  fails(new Float32Array(7), 'invalid-shape', `${size}, got 7`);
  fails(Tensor.ones([2]), 'invalid-shape', `${size}, got 2`);
  const kind = 'out: expected a Float32Array or a Tensor';
  fails(new Float64Array(6), 'invalid-type', `${kind}, got an object`);
  fails([0, 0, 0, 0, 0, 0], 'invalid-type', `${kind}, got an array`);
  fails(null, 'invalid-type', `${kind}, got null`);
});

test('state dicts that are none', () => {
  for (const [bad, text] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['W_q', '"W_q"'],
    [[good], 'an array'],
  ]) {
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.loadStateDict(bad),
      'invalid-type',
      `stateDict: expected an object of tensors by name, got ${text}`,
    );
  }
});

test('a disposed layer', () => {
  const layer = new MultiHeadAttention(options);
  assert.equal(layer.disposed, false);
  layer.forward(good, good, good);
  layer.dispose();
  layer.dispose();
  layer[Symbol.dispose]();
  assert.equal(layer.disposed, true);
  assert.equal(layer.numHeads, 2);
  const message = 'layer: expected one in use, got one that was disposed of';
  assertFails(() => layer.forward(good, good, good), 'disposed', message);
  assertFails(() => layer.forward(), 'disposed', message);
  assertFails(() => layer.train(), 'disposed', message);
  assertFails(() => layer.eval(), 'disposed', message);
  assertFails(() => layer.stateDict(), 'disposed', message);
  assertFails(() => layer.loadStateDict({}), 'disposed', message);
});

test('properties of a layer cannot be set', () => {
  // The size of results is reckoned from them: one that could be changed would spoil memory.
  const layer = new MultiHeadAttention({ ...options, seed: 1 });
  for (const name of [
    'numHiddens',
    'numHeads',
    'dropout',
    'bias',
    'seed',
    'querySize',
    'training',
  ]) {
    const before = layer[name];
    try {
      layer[name] = 1;
    } catch (error) {
      assert.ok(error instanceof TypeError);
    }
    assert.equal(layer[name], before, name);
  }
  layer.dispose();
});
