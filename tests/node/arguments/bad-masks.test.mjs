// Masks and gates that only JavaScript can get wrong. What it shares with C++ is in errors.test.mjs.
import test from 'node:test';
import { additiveAttention, init, scaledDotProductAttention, Tensor } from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2 };
const good = Tensor.ones([2, 4, 5]);
const heads = Tensor.ones([2, 2, 4, 5]);
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };

const circular = [];
circular.push(circular);

const notMasks = (of) => `expected a tensor, { data, shape } or nested arrays of ${of}`;

const badMasks = {
  null: [null, 'invalid-type', `${notMasks('numbers')}, got null`],
  'a word': ['causal', 'invalid-type', `${notMasks('numbers')}, got "causal"`],
  'a number': [0, 'invalid-type', `${notMasks('numbers')}, got 0`],
  'a boolean': [true, 'invalid-type', `${notMasks('booleans')}, got true`],
  'a function': [() => true, 'invalid-type', `${notMasks('numbers')}, got a function`],
  'bytes without a shape': [
    Uint8Array.of(1, 1, 1, 1),
    'invalid-type',
    `${notMasks('booleans')}, got a typed array without a shape`,
  ],
  'numbers without a shape': [
    Float32Array.of(0, 0, 0, 0),
    'invalid-type',
    `${notMasks('numbers')}, got a typed array without a shape`,
  ],
  strings: [['1', '1', '1', '1'], 'invalid-type', 'expected numbers, got "1"'],
  BigInts: [[1n, 1n, 1n, 1n], 'invalid-type', 'expected numbers, got 1n'],
  'a word among booleans': [
    [[true, 'false', true, true]],
    'invalid-type',
    'expected booleans, got "false"',
  ],
  'null among booleans': [
    [[true, null, true, true]],
    'invalid-type',
    'expected booleans, got null',
  ],
  'a hole among booleans': [
    // eslint-disable-next-line no-sparse-arrays
    [true, , true, true],
    'invalid-type',
    'expected booleans, got undefined',
  ],
  'a number among booleans': [[true, 1, true, true], 'invalid-type', 'expected booleans, got 1'],
  'a boolean among numbers': [[0, true, 0, 0], 'invalid-type', 'expected numbers, got true'],
  'a row of numbers after rows of booleans': [
    [[true], [true], [true], [1]],
    'invalid-type',
    'expected booleans, got 1',
  ],
  'a byte that is neither 0 nor 1': [
    { data: Uint8Array.of(0, 1, 2, 1), shape: [4] },
    'invalid-type',
    'expected booleans, got 2',
  ],
  'a byte in a row that is neither 0 nor 1': [
    [Uint8Array.of(1, 1, 1, 255)],
    'invalid-type',
    'expected booleans, got 255',
  ],
  'data of booleans and numbers': [
    { data: [true, false, 0, 1], shape: [4] },
    'invalid-type',
    'expected booleans, got 0',
  ],
  'data of numbers and booleans': [
    { data: [0, 0, false, 0], dims: [4] },
    'invalid-type',
    'expected numbers, got false',
  ],
  'too few booleans for the shape': [
    { data: [true, true, true], shape: [4] },
    'invalid-shape',
    'expected 4 booleans for shape (4,), got 3',
  ],
  'ragged booleans': [
    [[true, true, true, true], [true]],
    'invalid-shape',
    'expected arrays of length 4 at axis 1, got one of length 1',
  ],
  'booleans of differing depth': [
    [[true, true, true, true], true],
    'invalid-type',
    'expected arrays nested 2 deep, got true',
  ],
  'an array that holds itself': [
    circular,
    'invalid-shape',
    'expected at most 8 axes, got deeper nesting',
  ],
  NaN: [[0, NaN, 0, 0], 'invalid-value', 'expected numbers below infinity, got NaN'],
  'a number that float32 holds as infinity': [
    { data: Float64Array.of(0, 0, 1e39, 0), shape: [4] },
    'invalid-value',
    'expected numbers below infinity, got Infinity',
  ],
};

for (const [name, [mask, code, message]] of Object.entries(badMasks)) {
  test(`no mask: ${name}`, () => {
    const text = `mask: ${message}`;
    const forward = (layer) => layer.forward(good, good, good, { mask });
    assertFailsAndChangesNothing(options, forward, code, text);
    assertFails(() => scaledDotProductAttention(heads, heads, heads, { mask }), code, text);
    assertFails(() => additiveAttention(good, good, good, parameters, { mask }), code, text);
  });
}

const noGates = 'expected a tensor, { data, shape } or nested arrays of numbers';

const badGates = {
  null: [null, 'invalid-type', `${noGates}, got null`],
  'a number': [1, 'invalid-type', `${noGates}, got 1`],
  'a word': ['1', 'invalid-type', `${noGates}, got "1"`],
  strings: [['1', '0'], 'invalid-type', 'expected numbers, got "1"'],
  booleans: [[true, false], 'invalid-type', 'expected numbers, got true'],
  'a string in a row': [
    [
      [1, 1],
      [1, '0'],
    ],
    'invalid-type',
    'expected numbers, got "0"',
  ],
  BigInts: [BigInt64Array.of(1n, 1n), 'invalid-type', 'expected numbers, got 1n'],
  // eslint-disable-next-line no-sparse-arrays
  'a hole': [[, 1], 'invalid-type', 'expected numbers, got undefined'],
  ragged: [
    [[1, 1], [1]],
    'invalid-shape',
    'expected arrays of length 2 at axis 1, got one of length 1',
  ],
  'three axes': [[[[1, 1]], [[1, 1]]], 'invalid-shape', 'expected (2,) or (2, 2), got (2, 1, 2)'],
  'no gates': [[], 'invalid-shape', 'expected (2,) or (2, 2), got (0,)'],
  'data that does not fill its shape': [
    { data: [1, 1, 1], shape: [2, 2] },
    'invalid-shape',
    'expected 4 numbers for shape (2, 2), got 3',
  ],
};

for (const [name, [headGate, code, message]] of Object.entries(badGates)) {
  test(`no gates: ${name}`, () => {
    const forward = (layer) => layer.forward(good, good, good, { headGate });
    assertFailsAndChangesNothing(options, forward, code, `headGate: ${message}`);
  });
}
