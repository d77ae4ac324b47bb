// Loading and saving. Malformed files are in bad-files.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';
import { bitsOf, kindsOfBytes, specialNumbers } from '../lib/files.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';

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
  assert.deepEqual(
    Object.entries(loaded.metadata).sort(),
    Object.entries({ format: 'pt', ...metadata }).sort(),
  );
  assert.deepEqual(saveSafetensors(loaded.tensors, loaded.metadata), file);
}

const oddNames = [
  ...['', ' ', '.', 'W_q.weight', 'a"b', "a'b", '\\', 'a\\"b', '/', '\u007f', '\u0000', '\u0000b'],
  ...['\b\f\n\r\t', '\u001f', '\u2028', '\ufeff', '\ufeffa', '\uffff', 'é'],
  ...['Zürich 漢字', '👩‍🚀', '𝔘'],
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

/** A file of one tensor, `a`. */
const fileOf = (dtype, shape, numbers) => {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return safetensorsFile({ a: { dtype, shape, data_offsets: [0, bytes.length] } }, bytes);
};

const wide = 2n ** 63n;
const integers = {
  BOOL: Uint8Array.of(0, 1, 1),
  I8: Int8Array.of(-128, 127, -1),
  I16: Int16Array.of(-32768, 32767, -1),
  I32: Int32Array.of(-(2 ** 31), 2 ** 31 - 1, -1),
  I64: BigInt64Array.of(-wide, wide - 1n, -1n),
  U8: Uint8Array.of(0, 255, 1),
  U16: Uint16Array.of(0, 65535, 1),
  U32: Uint32Array.of(0, 2 ** 32 - 1, 1),
  U64: BigUint64Array.of(0n, 2n * wide - 1n, 1n),
};

test('integers and booleans come in arrays of their type, which the caller owns, and are saved as such', () => {
  for (const [dtype, numbers] of Object.entries(integers)) {
    for (const [shape, data] of [
      [[3], numbers],
      [[1, 3, 1], numbers],
      [[], numbers.slice(1, 2)],
      [[0], numbers.slice(0, 0)],
      [[2, 0, 7], numbers.slice(0, 0)],
    ]) {
      const file = fileOf(dtype, shape, data);
      const { tensors } = loadSafetensors(file);
      assert.deepEqual(tensors, { a: { dtype, data, shape } });
      assert.equal(tensors.a.data.constructor, numbers.constructor);
      assert.equal(tensors.a.data.byteLength, tensors.a.data.buffer.byteLength);
      const again = saveSafetensors(tensors);
      file.fill(0xff);
      assert.deepEqual(tensors, { a: { dtype, data, shape } });
      assert.deepEqual(loadSafetensors(again).tensors, tensors);
      assert.deepEqual(saveSafetensors(structuredClone(tensors)), again);
    }
  }
});

test('a boolean of any byte other than 0 is 1', () => {
  const { a } = loadSafetensors(fileOf('BOOL', [4], Uint8Array.of(0, 1, 2, 255))).tensors;
  assert.deepEqual(a.data, Uint8Array.of(0, 1, 1, 1));
});

test('a file of several dtypes has the layout of the safetensors library', () => {
  const tensors = {
    b: Tensor.full([1], 0.5),
    mask: { dtype: 'BOOL', data: Uint8Array.of(1, 0, 1), shape: [1, 3] },
    ids: { dtype: 'I64', data: BigInt64Array.of(-2n), shape: [] },
    a: { dtype: 'U32', data: Uint32Array.of(7), shape: [1] },
  };
  const header = {
    __metadata__: { format: 'pt' },
    ids: { dtype: 'I64', shape: [], data_offsets: [0, 8] },
    a: { dtype: 'U32', shape: [1], data_offsets: [8, 12] },
    b: { dtype: 'F32', shape: [1], data_offsets: [12, 16] },
    mask: { dtype: 'BOOL', shape: [1, 3], data_offsets: [16, 19] },
  };
  let json = JSON.stringify(header);
  while (Buffer.byteLength(json) % 8 !== 0) json += ' ';
  const numbers = [254, ...new Array(7).fill(255), 7, 0, 0, 0, 0, 0, 0, 63, 1, 0, 1];
  assert.deepEqual(saveSafetensors(tensors), safetensorsFile(json, numbers));
});

test('bytes may be of every kind, and are neither modified nor kept', () => {
  const expected = { a: specialNumbers([3, 5]), b: Tensor.randn([70_001], 1) };
  const file = saveSafetensors(expected, { a: 'b' });
  for (const [kind, convert] of Object.entries(kindsOfBytes)) {
    const given = convert(file);
    const { tensors, metadata } = loadSafetensors(given);
    assertSameTensors(tensors, expected);
    assert.deepEqual(metadata, { format: 'pt', a: 'b' }, kind);
    assert.deepEqual(given, convert(file), kind);
    new Uint8Array(given.buffer ?? given).fill(0xff);
    assertSameTensors(tensors, expected);
    for (const { data } of Object.values(tensors)) {
      assert.equal(data.byteLength, data.buffer.byteLength, 'a view of something else');
    }
  }
});

test('saved tensors are neither modified nor kept', () => {
  const larger = Float32Array.of(0, 1, 2, 3, 4);
  const tensors = { a: { data: larger.subarray(1, 4), shape: [3] } };
  const [file, again] = [saveSafetensors(tensors), saveSafetensors(tensors)];
  assert.deepEqual(larger, Float32Array.of(0, 1, 2, 3, 4));
  larger.fill(9);
  again.fill(0);
  assert.deepEqual(loadSafetensors(file).tensors.a.data, Float32Array.of(1, 2, 3));
});

test('arguments that are not a file', () => {
  for (const [bad, got] of [
    [null, 'null'],
    ['file.bin', '"file.bin"'],
    [[1, 2, 3], 'an array'],
    [Tensor.ones([2]), 'a Tensor'],
    [{ size: 8, slice: 1 }, 'an object'],
    [{ size: -8, slice: () => new Blob() }, 'an object'],
    [{ size: '8', slice: () => new Blob() }, 'an object'],
    [{ read: () => 1, stat: null }, 'an object'],
  ]) {
    const message = `bytes: expected a Uint8Array or an ArrayBuffer, got ${got}`;
    assertFails(() => loadSafetensors(bad), 'invalid-type', message);
  }
  const { buffer } = new Uint8Array(16);
  const view = new Uint8Array(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  for (const empty of [buffer, view, new Uint8Array(), new DataView(new ArrayBuffer(0))]) {
    const message = 'bytes: expected a safetensors file of at least 8 bytes, got 0';
    assertFails(() => loadSafetensors(empty), 'invalid-file', message);
  }
});

const aTensor = 'expected a tensor, { data, shape } or nested arrays of numbers';
const aFile = 'a file; did you mean its .tensors, or await file.read()?';
const readAll = 'await file.read() for all tensors of a file';
const axes = 'expected axes of less than 2^32, got';
const large = 'a: expected a shape of less than 2^63 bytes, got (0, 2147483648,';
const inA = (dtype, kind) => `a: expected data of dtype ${dtype} in ${kind}`;
const bigs = BigInt64Array.of(1n, 2n);
const bytes = Uint8Array.of(1, 2);
const numbers = 'a: expected numbers, got';
const [type, invalidShape, value] = ['invalid-type', 'invalid-shape', 'invalid-value'];

/** Tensors, metadata and the error. */
const unsaved = [
  ...[
    [null, 'null'],
    ['a', '"a"'],
    [[Tensor.ones([1])], 'an array'],
    [new Map([['a', [1]]]), 'a Map'],
    [loadSafetensors(saveSafetensors({})), aFile],
    [Promise.resolve({}), `a Promise; await it, or ${readAll}`],
    [
      new MultiHeadAttention({ numHiddens: 1, numHeads: 1 }),
      'a MultiHeadAttention; call its stateDict()',
    ],
    [new (class Named {})(), 'a Named'],
  ].flatMap(([bad, got]) => [
    [bad, {}, type, `tensors: expected an object of tensors by name, got ${got}`],
    [{}, bad, type, `metadata: expected an object of texts by name, got ${got}`],
  ]),
  ...[
    [{ a: [1], b: 'b' }, type, `b: ${aTensor}, got "b"`],
    [{ a: loadSafetensors(saveSafetensors({})) }, type, `a: ${aTensor}, got ${aFile}`],
    [{ a: Promise.resolve([1]) }, type, `a: ${aTensor}, got a Promise; await it, or ${readAll}`],
    [{ a: { data: [], shape: [2 ** 32, 0] } }, invalidShape, `a: ${axes} 4294967296`],
    [{ a: { data: [], shape: [0, 2 ** 31, 2 ** 30] } }, invalidShape, `${large} 1073741824)`],
    [
      ...[{ __metadata__: [1] }, value],
      "tensors: expected names other than that of the metadata, got '__metadata__'",
    ],
  ].map(([tensors, ...error]) => [tensors, {}, ...error]),
  ...[
    ['I64', [1, 2], [2], type, `${inA('I64', 'a BigInt64Array')}, got an array`],
    ['BOOL', undefined, [2], type, `${inA('BOOL', 'a Uint8Array')}, got undefined`],
    ['I64', bigs, [3], invalidShape, 'a: expected 3 numbers for shape (3,), got 2'],
    ['I64', bigs, 2, type, 'a: expected a shape such as [2, 4, 100], got 2'],
    ['BOOL', bytes, [2], value, 'a: expected 0 and 1 in data of dtype BOOL, got 2'],
    ['F32', bigs, [2], type, `${numbers} 1n`],
    ['toString', bigs, [2], type, `${numbers} 1n`],
    ['I64', new BigInt64Array(), [0, 2 ** 31, 2 ** 29], invalidShape, `${large} 536870912)`],
  ].map(([dtype, data, shape, ...error]) => [{ a: { dtype, data, shape } }, {}, ...error]),
  ...[[1, '1']].map(([bad, got]) => [{}, { a: bad }, type, `metadata: expected texts, got ${got}`]),
  ...[
    ['\ud800', '"\\ud800"'],
    ['a\udc00b', '"a\\udc00b"'],
  ].flatMap(([bad, got]) => {
    const error = [value, `tensors: expected names and metadata in Unicode, got ${got}`];
    return [
      [{ [bad]: [1] }, {}, ...error],
      [{}, { [bad]: 'a' }, ...error],
      [{}, { a: bad }, ...error],
    ];
  }),
];

test('tensors and metadata that cannot be saved', () => {
  for (const [tensors, metadata, code, message] of unsaved) {
    assertFails(() => saveSafetensors(tensors, metadata), code, message);
  }
});

// Files of weights in 16 and 8 bits.
const sizes = { querySize: 7, keySize: 5, valueSize: 12 };
const options = { numHiddens: 12, numHeads: 3, bias: true, ...sizes, seed: 1 };
const make = (weights) => new MultiHeadAttention({ ...options, weights });
const plain = (dict) =>
  Object.fromEntries(Object.entries(dict).map(([name, { data, shape }]) => [name, [data, shape]]));

const precisions = { float16: 'F16', int8: 'I8' };

for (const [precision, dtype] of Object.entries(precisions)) {
  test(`${precision} weights survive a file of their precision`, () => {
    const layer = make(precision);
    const dict = layer.stateDict();
    const bytes = saveSafetensors(dict, {}, { precision });
    assert.ok(bytes.length < saveSafetensors(dict).length);
    const file = loadSafetensors(bytes);
    assert.equal(file.dtype('W_k.weight'), dtype);
    assert.equal(file.dtype('W_k.bias'), 'F32');
    const copy = new MultiHeadAttention({ ...options, seed: 2, weights: precision });
    copy.loadStateDict(file.tensors);
    assert.deepEqual(plain(copy.stateDict()), plain(dict));
    const whole = MultiHeadAttention.fromStateDict(file.tensors, { numHeads: 3 });
    assert.deepEqual(plain(whole.stateDict()), plain(dict));
    // A factor for each row.
    if (dtype === 'I8') assert.deepEqual(file.shape('W_q.weight_scale'), [12, 1]);
  });
}

test('integers without fitting factors are an error', () => {
  const dict = make('int8').stateDict();
  const { tensors } = loadSafetensors(saveSafetensors(dict, {}, { precision: 'int8' }));
  const { 'W_q.weight_scale': scale, ...others } = tensors;
  const problem = /W_q\.weight: expected floats, got I8/;
  assertFails(() => make('int8').loadStateDict(others), 'invalid-state-dict', problem);
  const [rows] = scale.shape;
  // Too short, and for each column of a square weight.
  for (const shape of [
    [rows - 1, 1],
    [1, rows],
  ]) {
    const unfit = { ...others, 'W_q.weight_scale': Tensor.zeros(shape) };
    assertFails(() => make('int8').loadStateDict(unfit), 'invalid-state-dict', problem);
  }
});

test('a tensor may not have the name of a factor', () => {
  const dict = { ...make('float32').stateDict(), 'W_q.weight_scale': Tensor.zeros([2]) };
  saveSafetensors(dict);
  assertFails(
    () => saveSafetensors(dict, {}, { precision: 'int8' }),
    'invalid-value',
    "tensors: expected every name once, got 'W_q.weight_scale' twice",
  );
});
