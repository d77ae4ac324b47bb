// Boolean masks and key masks in every form in which programs hold them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';

await init();

const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
const [queries, keys] = [Tensor.randn([2, 3, 4], 2), Tensor.randn([2, 4, 4], 3)];

/** A mask in every kind of integer array, with its shape or dims and as rows. */
const integersOf = (flat, rank2, shape) =>
  [
    ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
    ...[BigInt64Array, BigUint64Array],
  ]
    .map((Kind) => Kind.from(flat, Kind.name.startsWith('Big') ? BigInt : Number))
    .flatMap((data) => [
      { data, shape },
      { data, dims: rank2, type: 'int64' },
      Array.from({ length: rank2[0] }, (_, row) => data.subarray(row * 4, row * 4 + 4)),
    ]);

/** Weights under each of the masks, which are the same; of each key, whether it is attended to. */
function seenUnder(name, masks) {
  const [first, ...others] = masks.map(
    (mask) =>
      layer.forward(queries, keys, keys, { [name]: mask, returnWeights: true }).attentionWeights,
  );
  others.forEach(({ data }, i) => assert.deepEqual(data, first.data, `form ${i + 1}`));
  return Array.from(first.data, (weight) => weight > 0);
}

test('a boolean mask', () => {
  const bits = [1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1]; // (queries, keys)
  const allowed = bits.map(Boolean);
  const seen = seenUnder('mask', [
    [0, 4, 8].map((begin) => allowed.slice(begin, begin + 4)),
    ...integersOf(bits, [3, 4], [1, 3, 4]),
  ]);
  assert.deepEqual(seen, new Array(4).fill(allowed).flat());
});

test('a key mask', () => {
  const bits = [0, 1, 1, 1, 1, 0, 1, 0]; // (batch, keys)
  const rows = [bits.slice(0, 4), bits.slice(4)];
  const seen = seenUnder('keyMask', [
    rows,
    rows.map((row) => row.map(Boolean)),
    rows.map((row) => row.map(BigInt)),
    new Tensor(bits, [2, 4]),
    { data: Float64Array.from(bits), dims: [2, 4] },
    ...integersOf(bits, [2, 4], [2, 4]),
  ]);
  const six = (row) => new Array(6).fill(row.map(Boolean)).flat();
  assert.deepEqual(seen, rows.flatMap(six));
  const alone = (keyMask) =>
    layer.forward(queries.slice(0), keys.slice(0), keys.slice(0), { keyMask }).output;
  for (const own of [Int32Array.from(rows[0]), [[false, true, true, true]]])
    assert.deepEqual(alone(own), alone([rows[0]]));
});
