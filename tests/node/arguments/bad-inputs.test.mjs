// Arguments that only JavaScript can pass. Those it shares with C++ are in errors.test.mjs.
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

const { init, Tensor } = headwise;

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

const parameters = {
  W_q: Tensor.ones([3, 5]),
  W_k: Tensor.ones([3, 5]),
  w_v: Tensor.ones([1, 3]),
};

const additive = (queries, keys, values, given = parameters, more) =>
  headwise.additiveAttention(queries, keys, values, given, more);

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
      for (const pool of [headwise.scaledDotProductAttention, additive]) {
        assertFails(() => pool(...inputs(bad)), code, `${argument}: ${message}`);
      }
    }
    for (const name of Object.keys(parameters)) {
      const call = () => additive(good, good, good, { ...parameters, [name]: bad });
      assertFails(call, code, `${name}: ${message}`);
    }
    assertFails(() => headwise.maskedSoftmax(bad), code, `scores: ${message}`);
    assertFails(() => headwise.transposeQkv(bad, 1), code, `X: ${message}`);
    assertFails(() => headwise.transposeOutput(bad, 1), code, `X: ${message}`);
    assertFails(() => headwise.splitHeads(bad, 1), code, `X: ${message}`);
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
  fails([good, deep, good], 'keys: expected (2, keys, keySize), got (1, 2, 4, 5)');
  fails([good, good, flat], 'values: expected (2, 4, valueSize), got (4, 5)');
  fails([[], good, good], 'queries: expected (batch, queries, querySize), got (0,)');
  // Queries without a batch axis ask for keys and values without one.
  fails([flat, good, good], 'keys: expected (keys, keySize), got (2, 4, 5)');
  fails([flat, flat, good], 'values: expected (4, valueSize), got (2, 4, 5)');
  fails([good, flat, flat], 'keys: expected (2, keys, keySize), got (4, 5)');
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
    () => additive(deep, good, good),
    'invalid-shape',
    'queries: expected (batch, queries, querySize), got (1, 2, 4, 5)',
  );
  assertFails(
    () => additive(good, flat, good),
    'invalid-shape',
    'keys: expected (2, keys, keySize), got (4, 5)',
  );
  assertFails(
    () => headwise.splitHeads(flat, 1),
    'invalid-shape',
    'X: expected (batch, length, numHiddens), got (4, 5)',
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
    assertFails(() => additive(good, good, good, parameters, { validLens }), code, message);
  });
}

test('parameters of additive scores that are none', () => {
  for (const [bad, text] of [
    [null, 'null'],
    [3, '3'],
    ['W_q', '"W_q"'],
  ]) {
    assertFails(
      () => additive(good, good, good, bad),
      'invalid-type',
      `parameters: expected { W_q, W_k, w_v }, got ${text}`,
    );
  }
});
