// Forms of masks, gates and lengths that say the same, beside those in which lib/replay.mjs passes them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertSameResult } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 1 };
const queries = Tensor.randn([2, 3, 5], 1);
const keys = Tensor.randn([2, 4, 5], 2);
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

test('lengths', () => {
  assertAllSame('validLens', [
    [3, 2],
    [3n, 2n],
    BigUint64Array.of(3n, 2n),
    { data: BigInt64Array.of(3n, 2n), shape: [2] },
    [
      [3, 3, 3],
      [2, 2, 2],
    ],
    [BigInt64Array.of(3n, 3n, 3n), [2n, 2n, 2n]],
  ]);
});
