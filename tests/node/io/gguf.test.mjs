// GGUF files: what is read of them and when, every quantized type by its formula, and malformed files.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadGguf, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { ggufFile, quantized, quantizedTypes, typed } from '../lib/gguf.mjs';
import { memory } from '../lib/memory.mjs';
import { Random } from '../lib/random.mjs';
import { bytesIn, countedBlob, countedHandle, handleOn, openFile } from '../lib/sources.mjs';

await init();

const random = new Random(1);
const values = {
  ...{ u8: 255, i8: -128, u16: 65535, i16: -32768, u32: 2 ** 32 - 1, i32: -(2 ** 31), f32: 0.5 },
  ...{ f64: 0.1, bool: true, u64: 2 ** 53 - 1, i64: -1, string: 'é▁' },
};
const nested = [
  { of: 'bool', values: [true, false] },
  { of: 'f32', values: [] },
];
const metadata = {
  ...Object.fromEntries(Object.entries(values).map(([type, each]) => [type, typed(type, each)])),
  ...{ large: typed('u64', 2n ** 64n - 1n), small: typed('i64', -(2n ** 63n)) },
  ...{ list: ['a', '', 'c'], nested: typed('array', { of: 'array', values: nested }) },
  ['__proto__']: 1,
};
const plain = {
  ...{ ...values, large: 2n ** 64n - 1n, small: -(2n ** 63n), list: ['a', '', 'c'] },
  ...{ nested: [[true, false], []], ['__proto__']: 1 },
};
const of = (type, shape, data) => ({ type, shape, bytes: new Uint8Array(data.buffer) });
const tensors = {
  a: of('F32', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
  half: of('F16', [1, 1, 2], Uint16Array.of(0x3c00, 0xc000)),
  bfloat: of('BF16', [2], Uint16Array.of(0x3f80, 0xc000)),
  double: of('F64', [1], Float64Array.of(0.1)),
  ids: of('I32', [2, 2], Int32Array.of(1, -2, 3, -4)),
  long: of('I64', [2, 1], BigInt64Array.of(1n, -2n)),
  blocks: quantized('Q4_0', [2, 32], random).tensor,
  none: of('F32', [0, 5], new Float32Array()),
  one: of('F32', [], Float32Array.of(7)),
  unread: of('IQ3_S', [256], new Uint8Array(110)),
};
const file = ggufFile(metadata, tensors);
const unread = /^bytes: expected tensor 'unread' of integers or F64, F32, .*Q6_K, got IQ3_S$/;

test('from memory: metadata, names, types and shapes, and tensors when they are accessed', () => {
  const aligned = { 'general.alignment': 64 };
  for (const [keys, replaced] of [
    [metadata],
    [metadata, { version: 2 }],
    [aligned, { alignment: 64 }],
  ]) {
    const gguf = loadGguf(ggufFile(keys, tensors, replaced));
    assert.deepEqual(gguf.metadata, keys === aligned ? keys : plain);
    assert.deepEqual(gguf.names, Object.keys(tensors));
    for (const [name, { type, shape }] of Object.entries(tensors)) {
      assert.deepEqual([gguf.dtype(name), gguf.shape(name)], [type, shape]);
    }
    const { a, half, bfloat, double, ids, long, none, one } = gguf.tensors;
    assert.equal(gguf.tensors.a, a);
    assert.equal(
      JSON.stringify([a, half, bfloat, one].map((each) => each.toArray())),
      '[[[1,2,3],[4,5,6]],[[[1,-2]]],[1,-2],7]',
    );
    assert.deepEqual([[...double.data], none.shape], [[Math.fround(0.1)], [0, 5]]);
    assert.deepEqual(ids, { dtype: 'I32', data: Int32Array.of(1, -2, 3, -4), shape: [2, 2] });
    assert.deepEqual(long.data, BigInt64Array.of(1n, -2n));
    assertFails(() => gguf.tensors.unread, 'invalid-file', unread);
  }
});

test('from a Blob and a file: the header once, then the bytes of each tensor', async (t) => {
  const long = ggufFile({ ...metadata, tokens: Array(30_000).fill('token') }, tensors);
  const whole = loadGguf(long);
  for (const source of [countedBlob(long), countedHandle(await openFile(t, long), 50_000)]) {
    const gguf = await loadGguf(source);
    assert.deepEqual(gguf.metadata, whole.metadata);
    const before = bytesIn(source.parts);
    assert.equal(Math.max(...source.parts.map(([, end]) => end)), before, 'no byte twice');
    for (const name of gguf.names.slice(0, -1)) {
      assert.deepEqual(await gguf.tensors[name], whole.tensors[name], name);
      const [begin, end] = source.parts.at(-1);
      assert.ok(tensors[name].bytes.length === 0 || end - begin === tensors[name].bytes.length);
    }
    await assertRejects(() => gguf.tensors.unread, 'invalid-file', unread);
    await assertRejects(() => gguf.read(), 'invalid-file', unread);
  }
});

for (const type of quantizedTypes) {
  test(`${type}: numbers by the format's formula, in float64`, async () => {
    const made = quantized(type, [3, 512], random);
    const written = ggufFile({}, { a: made.tensor, b: made.tensor });
    const { a, b } = loadGguf(written).tensors;
    assert.deepEqual(a.data, made.values);
    assert.deepEqual(await (await loadGguf(new Blob([written]))).read(), { a, b: a });
    assert.deepEqual(b, a);
  });
}

test('numbers of Q4_0 are exact in int4', () => {
  const weight = new Tensor(quantized('Q4_0', [64, 64], random).values, [64, 64]);
  const dict = Object.fromEntries(['q', 'k', 'v', 'o'].map((x) => [`W_${x}.weight`, weight]));
  const layer = MultiHeadAttention.fromStateDict(dict, { numHeads: 4, weights: 'int4' });
  const rounded = layer.stateDict()['W_q.weight'].data.map((x) => x + 0);
  assert.deepEqual(rounded, weight.data);
});

test('every float16 is read as a scale as it is read as a number', () => {
  const bits = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);
  const blocks = new DataView(new ArrayBuffer(34 * bits.length));
  bits.forEach((each) => {
    blocks.setUint16(34 * each, each, true);
    blocks.setInt8(34 * each + 33, 1);
  });
  const written = { half: of('F16', [2 ** 16], bits), scale: of('Q8_0', [2 ** 16, 32], blocks) };
  const { half, scale } = loadGguf(ggufFile({}, written)).tensors;
  bits.forEach((each) => assert.equal(scale.data[32 * each + 31], half.data[each] + 0));
});

/** Checks that a file is refused without much memory, in the same words from a Blob and a file. */
async function fails(bad, message) {
  assertFails(() => loadGguf(bad), 'invalid-file', message);
  await assertRejects(() => loadGguf(new Blob([bad])), 'invalid-file', message);
  await assertRejects(() => loadGguf(handleOn(bad)), 'invalid-file', message);
  assert.ok(memory.buffer.byteLength < 150e6);
}

/** What a file with one tensor has instead, as JSON, and the error's end. */
const bad = `
{ "magic": "GGML" } a GGUF file, got one that begins with 47 47 4d 4c 03 00 00 00
{ "magic": "<!doctype" } a GGUF file, got text that begins with '<!doctyp'
{ "version": 1 } a little-endian GGUF file of version 2 or 3, got version 1
{ "version": 50331648 } a little-endian GGUF file of version 2 or 3, got a big-endian one
{ "count": "18446744073709551615" } at most 4 tensors, for which the file has room, got 18446744073709551615
{ "keys": 1099511627776 } at most 8 keys, for which the file has room, got 1099511627776
{ "count": 2 } tensors that do not overlap, got 'a' and ''
{ "metadata": { "a": { "type": 13 } } } 'a' of a type from 0 to 12, got 13
{ "metadata": { "a": { "type": "bool", "value": 2 } } } 'a' of 0 or 1, got 2
{ "metadata": { "general.alignment": 20 } } 'general.alignment' of a multiple of 8, got 20
{ "metadata": { "general.alignment": "32" } } 'general.alignment' of a multiple of 8, got "32"
{ "tensor": { "type": 99 } } tensor 'a' of a known type, got 99
{ "tensor": { "shape": [1, 1, 1, 2, 3] } } tensor 'a' of at most 4 axes, got 5
{ "tensor": { "shape": [4294967296, 0] } } tensor 'a' of a shape that memory can hold, got 4294967296
{ "tensor": { "shape": [2147483648, 2147483648] } } tensor 'a' of a shape that memory can hold, got 2147483648
{ "tensor": { "type": "Q8_0" } } tensor 'a' with rows of a multiple of 32 numbers, got 3
{ "tensor": { "shape": [3, 3] } } tensor 'a' to lie within 32 bytes, got 0 to 36
{ "offsets": { "a": "9223372036854775808" } } tensor 'a' to lie within 32 bytes, got 9223372036854776000 to 9223372036854776000
{ "offsets": { "a": 8 } } tensor 'a' to begin at a multiple of 32 bytes, got 8
{ "offsets": { "b": 0 }, "others": ["b"] } tensors that do not overlap, got 'a' and 'b'
`;

test('the error names the rule that a file breaks', async () => {
  for (const line of bad.trim().split('\n')) {
    const [, json, message] = /^(\{.*\}) (.*)$/.exec(line);
    const { metadata: keys = {}, tensor, others = [], ...replaced } = JSON.parse(json);
    const more = Object.fromEntries(others.map((name) => [name, tensors.a]));
    const written = ggufFile(keys, { a: { ...tensors.a, ...tensor }, ...more }, replaced);
    await fails(written, `bytes: expected ${message}`);
  }
  const deep = (depth) => ({
    of: depth === 0 ? 'u8' : 'array',
    values: depth ? [deep(depth - 1)] : [],
  });
  loadGguf(ggufFile({ a: typed('array', deep(7)) }));
  await fails(
    ggufFile({ a: typed('array', deep(8)) }),
    /'a' with arrays at most 8 deep, got deeper ones$/,
  );
  const twice = Buffer.from(ggufFile({ same: 1, samf: 2 }));
  twice[twice.indexOf('samf') + 3] -= 1;
  await fails(Uint8Array.from(twice), /every name once, got 'same' twice$/);
  twice[twice.indexOf('same')] = 0xff;
  await fails(Uint8Array.from(twice), /texts in UTF-8, got others at byte \d+$/);
});

test('every truncation is an error, and random changes are an error or a file', async () => {
  // Behind the last tensor there are 18 bytes of padding.
  for (let length = 0; length < file.length - 18; length++) {
    await fails(file.slice(0, length), /^bytes: expected /);
  }
  const check = (call) => {
    try {
      return call();
    } catch ({ code, stack }) {
      return assert.match(code, /^(invalid-file|unsupported)$/, stack);
    }
  };
  for (let i = 0; i < 3000; i++) {
    const changed = file.slice();
    for (let n = random.below(3); n >= 0; n--) {
      changed[random.below(file.length - 300)] = random.pick(0, 1, 255, 127, random.below(256));
    }
    const gguf = check(() => loadGguf(changed));
    gguf?.names.forEach((name) => check(() => gguf.tensors[name]));
  }
});
