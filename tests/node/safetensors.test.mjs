// What is loaded and saved. Files that break the format's rules are in bad-safetensors.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, saveSafetensors, Tensor } from 'headwise';
import { assertFails } from './lib/compare.mjs';
import { assertTakesBytesOnly, bitsOf, kindsOfBytes, specialNumbers } from './lib/files.mjs';
import { safetensorsFile } from './lib/safetensors.mjs';

await init();

function assertSameTensors(actual, expected) {
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const [name, tensor] of Object.entries(expected)) {
    assert.ok(actual[name] instanceof Tensor);
    assert.deepEqual(actual[name].shape, tensor.shape, name);
    assert.deepEqual(bitsOf(actual[name]), bitsOf(tensor), name);
  }
}

function assertRoundTrip(tensors, metadata) {
  const file = saveSafetensors(tensors, metadata);
  const loaded = loadSafetensors(file);
  assertSameTensors(loaded.tensors, tensors);
  assert.deepEqual(Object.entries(loaded.metadata).sort(), Object.entries(metadata ?? {}).sort());
  assert.deepEqual(saveSafetensors(loaded.tensors, loaded.metadata), file);
}

const oddNames = [
  ...['', ' ', '.', 'W_q.weight', 'a"b', "a'b", '\\', 'a\\"b', '/', '\u007f', '\u0000', '\u0000b'],
  ...[
    '\b\f\n\r\t',
    '\u001f',
    '\u2028',
    '\ufeff',
    '\ufeffa',
    '\uffff',
    'é',
    'Zürich 漢字',
    '👩‍🚀',
    '𝔘',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '17', '__metadata', 'dtype'],
  ...['{"a":1}', 'a,b', '\\u0041', 'x'.repeat(10_000)],
];

/** An object of these names; unlike an assignment, this takes '__proto__' for a name. */
const named = (names, valueOf) => Object.fromEntries(names.map((name, i) => [name, valueOf(i)]));

test('tensors of every shape come back bit for bit', () => {
  const shapes = [
    ...[[], [1], [7], [0], [2, 3], [0, 3], [3, 0], [2, 0, 5], [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]],
    ...[new Array(100).fill(1), [2 ** 32 - 1, 0], [0, 2 ** 31, 2 ** 29 - 1], [70_000]],
  ];
  for (const shape of shapes) assertRoundTrip({ a: specialNumbers(shape) });
  assertRoundTrip(named(shapes, (i) => specialNumbers(shapes[i])));
  assertRoundTrip({});
});

test('tensors and metadata of every name come back', () => {
  const tensors = named(oddNames, (i) => Tensor.full([i % 3], i));
  assertRoundTrip(
    tensors,
    named(oddNames, (i) => oddNames[oddNames.length - 1 - i]),
  );
  for (const name of oddNames) {
    assertRoundTrip({}, Object.fromEntries([[name, name]]));
    const { tensors } = loadSafetensors(
      saveSafetensors(Object.fromEntries([[name, [Int32Array.of(7)]]])),
    );
    assert.deepEqual(Object.keys(tensors), [name]);
    assert.equal(Object.getPrototypeOf(tensors), Object.prototype);
  }
  assertRoundTrip({}, { __metadata__: 'a text of this name is one like others' });
});

test('whatever is taken for a tensor is saved', () => {
  const [data, shape] = [Float32Array.of(1, 2, 3, 4), [2, 2]];
  const expected = saveSafetensors({ a: new Tensor(data, shape) });
  for (const a of [
    { data, shape },
    { data, dims: shape, type: 'float32' },
    { data: [1, 2, 3, 4], shape },
    { data: Float64Array.from(data), shape },
    [[1, 2], Int8Array.of(3, 4)],
  ]) {
    assert.deepEqual(saveSafetensors({ a }), expected);
  }
  assert.deepEqual(saveSafetensors({ a: new Tensor(data, shape) }, undefined), expected);
  assert.deepEqual(saveSafetensors({ a: new Tensor(data, shape) }, {}), expected);
});

test('the file is laid out as the format’s description says', () => {
  const tensors = {
    z: new Tensor([1.5, -2], [2, 1]),
    'b"': Tensor.full([], 0.1),
    ß: Tensor.zeros([0, 4]),
    B: Tensor.full([3], -1),
  };
  const file = saveSafetensors(tensors, { format: 'pt', about: 'a\\"é' });
  const header = {
    __metadata__: { about: 'a\\"é', format: 'pt' },
    B: { dtype: 'F32', shape: [3], data_offsets: [0, 12] },
    'b"': { dtype: 'F32', shape: [], data_offsets: [12, 16] },
    z: { dtype: 'F32', shape: [2, 1], data_offsets: [16, 24] },
    ß: { dtype: 'F32', shape: [0, 4], data_offsets: [24, 24] },
  };
  let json = JSON.stringify(header);
  while (Buffer.byteLength(json) % 8 !== 0) json += ' ';
  const numbers = Buffer.alloc(24);
  [-1, -1, -1, 0.1, 1.5, -2].forEach((x, i) => numbers.writeFloatLE(x, 4 * i));
  assert.deepEqual(Buffer.from(file), Buffer.from(safetensorsFile(json, numbers)));
  assert.deepEqual(Buffer.from(saveSafetensors({})), Buffer.from(safetensorsFile('{}      ')));
  const control = Buffer.from(saveSafetensors({ '\n\u0001': [1] })).subarray(8, -4);
  assert.equal(
    String(control).trimEnd(),
    '{"\\u000a\\u0001":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
  );
});

test('half precision becomes float32 exactly', () => {
  const widened = (dtype, halves) => {
    const numbers = new Uint8Array(Uint16Array.from(halves).buffer);
    const entry = { dtype, shape: [halves.length], data_offsets: [0, numbers.length] };
    return loadSafetensors(safetensorsFile({ a: entry }, numbers)).tensors.a;
  };
  const all = Array.from({ length: 65536 }, (_, i) => i);
  assert.deepEqual(
    bitsOf(widened('BF16', all)),
    Uint32Array.from(all, (half) => half << 16),
  );
  const { data } = widened('F16', all);
  for (const half of all) {
    const [sign, exponent, fraction] = [half >> 15 ? -1 : 1, (half >> 10) & 31, half & 1023];
    const expected =
      exponent === 31
        ? fraction > 0
          ? NaN
          : sign * Infinity
        : exponent === 0
          ? sign * fraction * 2 ** -24
          : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
    assert.ok(Object.is(data[half], expected), `${half}: ${data[half]}, not ${expected}`);
  }
});

test('tensors of several kinds lie in any order, the JSON in any style', () => {
  const header = `{"c" :{ "data_offsets":[ 6,10 ] ,\r\n\t"shape":[ 1 ],"dtype":"\\u0046\\u00332"},
    "\\u0061": {"dtype":"BF16","shape":[1,1],"data_offsets":[4,6]}, "none":
    {"shape":[3,0],"dtype":"F16","data_offsets":[6,6]},
    "\\ud83d\\ude00\\/\\b": {"shape":[2],"dtype":"F16","data_offsets":[0,4]} , "__metadata__": {} }  \n `;
  const numbers = Uint8Array.of(0, 0x3c, 0, 0xc0, 0x40, 0x40, 0, 0, 0x80, 0x3f);
  const { tensors, metadata } = loadSafetensors(safetensorsFile(header, numbers));
  const a = new Tensor([3], [1, 1]);
  const expected = { a, c: Tensor.ones([1]), none: Tensor.zeros([3, 0]) };
  assertSameTensors(tensors, { ...expected, '😀/\b': new Tensor([1, -2], [2]) });
  assert.deepEqual(metadata, {});
});

test('bytes of every kind are taken, left as they are and not kept', () => {
  const expected = { a: specialNumbers([3, 5]), b: Tensor.randn([70_001], 1) };
  const file = saveSafetensors(expected, { a: 'b' });
  for (const [kind, convert] of Object.entries(kindsOfBytes)) {
    const given = convert(file);
    const { tensors, metadata } = loadSafetensors(given);
    assertSameTensors(tensors, expected);
    assert.deepEqual(metadata, { a: 'b' }, kind);
    assert.deepEqual(given, convert(file), kind);
    new Uint8Array(given.buffer ?? given).fill(0xff);
    assertSameTensors(tensors, expected);
    for (const { data } of Object.values(tensors)) {
      assert.equal(data.byteLength, data.buffer.byteLength, 'a view of something else');
    }
  }
});

test('what is saved is left as it is and not kept', () => {
  const larger = Float32Array.of(0, 1, 2, 3, 4);
  const tensors = { a: { data: larger.subarray(1, 4), shape: [3] } };
  const [file, again] = [saveSafetensors(tensors), saveSafetensors(tensors)];
  assert.deepEqual(larger, Float32Array.of(0, 1, 2, 3, 4));
  larger.fill(9);
  again.fill(0);
  assert.deepEqual(loadSafetensors(file).tensors.a.data, Float32Array.of(1, 2, 3));
});

test('what is no file', () => {
  assertTakesBytesOnly(loadSafetensors);
  const { buffer } = new Uint8Array(16);
  const view = new Uint8Array(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  for (const empty of [buffer, view, new Uint8Array(), new DataView(new ArrayBuffer(0))]) {
    const message = 'bytes: expected a safetensors file of at least 8 bytes, got 0';
    assertFails(() => loadSafetensors(empty), 'invalid-file', message);
  }
});

const noObjects = [
  [null, 'null'],
  ['a', '"a"'],
  [3, '3'],
  [true, 'true'],
  [[Tensor.ones([1])], 'an array'],
  [Float32Array.of(1), 'a Float32Array'],
  [new Map([['a', [1]]]), 'a Map'],
  [() => ({}), 'a function'],
];

test('what cannot be saved', () => {
  const fails = (given, code, message) =>
    assertFails(() => saveSafetensors(...given), code, message);
  for (const [bad, got] of [[undefined, 'undefined'], ...noObjects]) {
    fails([bad], 'invalid-type', `tensors: expected an object of tensors by name, got ${got}`);
  }
  for (const [bad, got] of noObjects) {
    fails([{}, bad], 'invalid-type', `metadata: expected an object of texts by name, got ${got}`);
  }
  const aTensor = 'expected a tensor, { data, shape } or nested arrays of numbers';
  fails([{ a: 1 }], 'invalid-type', `a: ${aTensor}, got 1`);
  fails([{ 'W_q.weight': null }], 'invalid-type', `W_q.weight: ${aTensor}, got null`);
  fails([{ a: [1], b: 'b' }], 'invalid-type', `b: ${aTensor}, got "b"`);
  fails([Tensor.ones([1])], 'invalid-type', `data: ${aTensor}, got a typed array without a shape`);
  fails([{ a: ['1'] }], 'invalid-type', 'a: expected numbers, got "1"');
  fails([{ a: [1n] }], 'invalid-type', 'a: expected numbers, got 1n');
  fails([{ a: [true] }], 'invalid-type', 'a: expected numbers, got true');
  fails(
    [{ a: { data: [1], shape: [2] } }],
    'invalid-shape',
    'a: expected 2 numbers for shape (2,), got 1',
  );
  for (const size of [2 ** 32, 2 ** 53 - 1]) {
    const message = `a: expected axes of less than 2^32, got ${size}`;
    fails([{ a: { data: [], shape: [size, 0] } }], 'invalid-shape', message);
  }
  const uncountable =
    'a: expected a shape of less than 2^63 bytes, got (0, 2147483648, 1073741824)';
  fails([{ a: { data: [], shape: [0, 2 ** 31, 2 ** 30] } }], 'invalid-shape', uncountable);
  for (const [bad, got] of [
    [1, '1'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a'], 'an array'],
  ]) {
    fails([{}, { a: bad }], 'invalid-type', `metadata: expected texts, got ${got}`);
  }
  const reserved = "tensors: expected names other than that of the metadata, got '__metadata__'";
  fails([{ __metadata__: [1] }], 'invalid-value', reserved);
  for (const [bad, got] of [
    ['\ud800', '"\\ud800"'],
    ['a\udc00b', '"a\\udc00b"'],
    ['\udc00\ud800', '"\\udc00\\ud800"'],
  ]) {
    const message = `tensors: expected names and metadata in Unicode, got ${got}`;
    fails([{ [bad]: [1] }], 'invalid-value', message);
    fails([{}, { [bad]: 'a' }], 'invalid-value', message);
    fails([{}, { a: bad }], 'invalid-value', message);
  }
});
