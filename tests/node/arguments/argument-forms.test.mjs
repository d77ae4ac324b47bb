// Every form in which masks, gates and lengths may be given says the same.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  additiveAttention,
  init,
  MultiHeadAttention,
  scaledDotProductAttention,
  Tensor,
} from 'headwise';
import { assertSameResult } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 1 };
const queries = Tensor.randn([2, 3, 5], 1);
const keys = Tensor.randn([2, 4, 5], 2);
const heads = [1, 2, 3].map((seed) => Tensor.randn([2, 2, 4, 5], seed));
const parameters = {
  W_q: Tensor.randn([6, 5], 4),
  W_k: Tensor.randn([6, 5], 5),
  w_v: Tensor.randn([1, 6], 6),
};

const layer = new MultiHeadAttention(options);

const forward = (given) => layer.forward(queries, keys, keys, { returnWeights: true, ...given });

/** Checks that a pass with any of the values given for the option is the same. */
function assertAllSame(name, values, more) {
  const [expected, ...others] = values.map((value) => forward({ ...more, [name]: value }));
  for (const result of others) assertSameResult(result, expected);
  return expected;
}

const bits = [1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1]; // (queries, keys)
const allowed = bits.map(Boolean);

const rowsOf = (flat) => [0, 4, 8].map((begin) => Array.from(flat.slice(begin, begin + 4)));

test('boolean masks', () => {
  const repeated = [rowsOf(allowed), rowsOf(allowed)];
  const { attentionWeights } = assertAllSame('mask', [
    { data: Uint8Array.from(bits), shape: [3, 4] },
    { data: Uint8Array.from(bits), dims: [1, 1, 3, 4], type: 'bool' },
    { data: Buffer.from(bits), shape: [3, 4] },
    { data: allowed, shape: [3, 4] },
    { data: allowed, dims: Int32Array.of(1, 3, 4) },
    rowsOf(allowed),
    [[rowsOf(allowed)]],
    [repeated],
    [repeated, repeated],
    rowsOf(bits).map((row) => Uint8Array.from(row)),
    { data: Uint8Array.of(9, ...bits, 9).subarray(1, 13), shape: [3, 4] },
  ]);
  attentionWeights.data.forEach((weight, i) => assert.equal(weight > 0, allowed[i % 12]));
});

test('masks that are added', () => {
  const numbers = bits.map((bit, i) => (bit === 1 ? i / 8 : -Infinity));
  const result = assertAllSame('mask', [
    new Tensor(numbers, [3, 4]),
    new Tensor(numbers, [1, 1, 3, 4]),
    { data: Float64Array.from(numbers), shape: [3, 4] },
    { data: numbers, dims: [3, 4] },
    rowsOf(numbers),
    [[rowsOf(numbers)]],
    rowsOf(numbers).map((row) => Float32Array.from(row)),
  ]);
  // Ones and zeros in nested arrays are numbers: they are added, they mask nothing.
  const added = assertAllSame('mask', [
    rowsOf(bits),
    { data: bits, shape: [3, 4] },
    { data: Int8Array.from(bits), shape: [3, 4] },
    { data: Int32Array.from(bits), shape: [3, 4] },
  ]);
  assert.ok(added.attentionWeights.data.every((weight) => weight > 0));
  assert.notDeepEqual(added.output, result.output);
});

test('masks are neither modified nor kept', () => {
  const mask = { data: Uint8Array.from(bits), shape: [3, 4] };
  const expected = forward({ mask });
  assert.deepEqual(mask, { data: Uint8Array.from(bits), shape: [3, 4] });
  mask.data.fill(1);
  assertSameResult(forward({ mask: rowsOf(allowed) }), expected);
});

test('masks of the pooling functions', () => {
  const square = [...bits, 1, 1, 1, 1];
  const nested = [0, 4, 8, 12].map((begin) => square.slice(begin, begin + 4).map(Boolean));
  const bytes = { data: Uint8Array.from(square), shape: [4, 4] };
  const four = Tensor.randn([2, 4, 5], 1);
  for (const call of [
    (mask) => scaledDotProductAttention(...heads, { mask, returnWeights: true }),
    (mask) => additiveAttention(four, keys, keys, parameters, { mask, returnWeights: true }),
  ]) {
    assertSameResult(call(nested), call(bytes));
  }
});

test('windows, causality and stages left out or undefined', () => {
  const plain = forward();
  for (const given of [
    { mask: undefined, causal: undefined, window: undefined, headGate: undefined, out: undefined },
    { causal: false, window: [Infinity, Infinity], weightsStage: 'softmax', cache: undefined },
    { window: [4, 4], weightsStage: undefined },
    { window: [2 ** 40, Number.MAX_SAFE_INTEGER] },
  ]) {
    assertSameResult(forward(given), plain);
  }
});

test('gates', () => {
  const byHead = [0.5, -2];
  assertAllSame('headGate', [
    byHead,
    Float32Array.from(byHead),
    Float64Array.from(byHead),
    new Tensor(byHead, [2]),
    { data: byHead, dims: [2] },
    [byHead, byHead],
    [Float32Array.from(byHead), byHead],
    new Tensor([...byHead, ...byHead], [2, 2]),
    { data: Float64Array.of(...byHead, ...byHead), shape: [2, 2] },
  ]);
  assertAllSame('headGate', [[1, 1], Int8Array.of(1, 1), Uint8Array.of(1, 1), undefined]);
});

test('lengths beside a cache', () => {
  const cache = layer.createCache({ batchSize: 2, maxLength: 8 });
  layer.forward(queries, keys, keys, { cache });
  const results = [
    [6, 3],
    [6n, 3n],
    BigInt64Array.of(6n, 3n),
    BigUint64Array.of(6n, 3n),
    Int32Array.of(6, 3),
    { data: BigInt64Array.of(6n, 3n), shape: [2] },
    [
      [6, 6, 6],
      [3, 3, 3],
    ],
    [BigInt64Array.of(6n, 6n, 6n), [3n, 3n, 3n]],
  ].map((validLens) => {
    const result = forward({ validLens, cache });
    cache.truncate(4);
    return result;
  });
  assert.deepEqual(results[0].attentionWeights.shape, [2, 2, 3, 8]);
  for (const result of results) assertSameResult(result, results[0]);
  cache.dispose();
});

test('one sample without a batch axis', () => {
  const one = ({ data, shape: [, length, size] }) =>
    new Tensor(data.slice(0, length * size), [length, size]);
  const [q, k] = [one(queries), one(keys)];
  const given = { mask: rowsOf(allowed), headGate: [1, 2], returnWeights: true };
  const expected = layer.forward(q, k, k, given);
  assert.deepEqual(expected.output.shape, [3, 8]);
  assert.deepEqual(expected.attentionWeights.shape, [2, 3, 4]);
  const lists = { ...given, validLens: [[4n, 4n, 4n]], headGate: [[1, 2]] };
  assertSameResult(layer.forward(...[q, k, k].map((each) => each.toArray()), lists), expected);
  const cache = layer.createCache({ batchSize: 1, maxLength: 4 });
  assertSameResult(layer.forward(q, k, k, { ...given, cache }), expected);
  assertSameResult(layer.forward(q, null, null, { ...given, cache }), expected);
  cache.dispose();
  const out = { output: Tensor.zeros([3, 8]), attentionWeights: new Float32Array(24) };
  const into = layer.forward(q, k, k, { ...given, out });
  assert.equal(into.output, out.output);
  assertSameResult(into, expected);
});

test('no samples, no queries, no keys, with masks and gates', () => {
  for (const [[batch, numQueries, numKeys], given] of [
    [
      [0, 3, 4],
      {
        mask: { data: new Uint8Array(0), shape: [0, 1, 3, 4] },
        validLens: [],
        headGate: new Tensor([], [0, 2]),
      },
    ],
    [[2, 0, 4], { mask: [[true, true, false, true]], headGate: [1, 0] }],
    [[2, 3, 0], { validLens: [0, 0], mask: [[true], [false], [true]] }],
  ]) {
    const X = Tensor.ones([batch, numKeys, 5]);
    const options = { returnWeights: true, causal: true, window: [2, 2], ...given };
    assert.deepEqual(layer.forward(Tensor.ones([batch, numQueries, 5]), X, X, options), {
      output: Tensor.zeros([batch, numQueries, 8]),
      attentionWeights: Tensor.zeros([batch, 2, numQueries, numKeys]),
    });
  }
});
