// .npy files against NumPy's description of them. NumPy itself is in
// numpy.test.mjs, files that break the rules are in bad-npy.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadNpy, saveNpy, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';
import { assertTakesBytesOnly, bitsOf, kindsOfBytes, specialNumbers } from '../lib/files.mjs';
import { dictionary, npyFile } from '../lib/npy.mjs';

const shapes = [
  ...[[], [1], [7], [0], [2, 3], [0, 3], [3, 0, 2], [1, 2, 1, 3, 1], [70_000]],
  ...[new Array(64).fill(1), [2 ** 32 - 1, 0], [0, 2 ** 31, 2 ** 29 - 1]],
];

test('tensors of every shape come back bit for bit', () => {
  for (const shape of shapes) {
    const tensor = specialNumbers(shape);
    const loaded = loadNpy(saveNpy(tensor));
    assert.ok(loaded instanceof Tensor);
    assert.deepEqual(loaded.shape, tensor.shape);
    assert.deepEqual(bitsOf(loaded), bitsOf(tensor));
  }
});

test('the file is laid out as NumPy’s description says', () => {
  for (const [shape, text] of [
    [[], '()'],
    [[2], '(2,)'],
    [[2, 1], '(2,1,)'],
    [new Array(30).fill(1), `(${'1,'.repeat(30)})`],
  ]) {
    const tensor = Tensor.full(shape, 0.1);
    const numbers = Buffer.alloc(4 * tensor.data.length);
    tensor.data.forEach((number, i) => numbers.writeFloatLE(number, 4 * i));
    let header = dictionary("'<f4'", text);
    while ((10 + header.length + 1) % 64 !== 0) header += ' ';
    assert.deepEqual(Buffer.from(saveNpy(tensor)), Buffer.from(npyFile(`${header}\n`, numbers)));
  }
});

test('whatever is taken for a tensor is saved', () => {
  const [data, shape] = [Float32Array.of(1, 2, 3, 4), [2, 2]];
  const expected = saveNpy(new Tensor(data, shape));
  for (const tensor of [
    { data, shape },
    { data, dims: shape },
    { data: Float64Array.from(data), shape },
    [
      [1, 2],
      [3, 4],
    ],
  ]) {
    assert.deepEqual(saveNpy(tensor), expected);
  }
});

const littleEndian = (Kind, numbers) => new Uint8Array(Kind.from(numbers).buffer);
const bigEndian = (Kind, numbers) => littleEndian(Kind, numbers.toReversed()).reverse();

test('numbers of every type, in both byte orders', () => {
  const kinds = {
    f4: [Float32Array, [1.5, -0, Infinity, 3.4e38]],
    f8: [Float64Array, [1.5, -0, -Infinity, 1e300, 1e-300, 0.1, 16777217]],
    f2: [Uint16Array, [0x3c00, 0xc000, 0x7c00, 0x0001], [1, -2, Infinity, 2 ** -24]],
    i1: [Int8Array, [1, -1, 127, -128]],
    i2: [Int16Array, [1, -1, 32767, -32768]],
    i4: [Int32Array, [1, -1, 2147483647, -2147483648, 16777217]],
    i8: [
      BigInt64Array,
      [1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 40n + 1n, 2n ** 62n + 2n ** 38n + 1n],
    ],
    u1: [Uint8Array, [1, 255]],
    u2: [Uint16Array, [1, 65535]],
    u4: [Uint32Array, [1, 4294967295]],
    u8: [BigUint64Array, [1n, 2n ** 64n - 1n, 2n ** 63n]],
    b1: [Uint8Array, [0, 1, 2, 255], [0, 1, 1, 1]],
  };
  // Rounds once; a double between would round twice.
  const toFloat = (number) => {
    if (typeof number !== 'bigint') return Math.fround(number);
    const magnitude = number < 0n ? -number : number;
    const cut = BigInt(Math.max(magnitude.toString(2).length - 26, 0));
    const sticky = magnitude % 2n ** cut === 0n ? 0n : 1n;
    return Math.fround(Number(((magnitude >> cut) | sticky) << cut)) * (number < 0n ? -1 : 1);
  };
  for (const [name, [Kind, numbers, floats = numbers.map(toFloat)]] of Object.entries(kinds)) {
    const shape = `(${numbers.length},)`;
    const expected = Float32Array.from(floats);
    for (const [order, lay] of [
      ['<', littleEndian],
      ['>', bigEndian],
      ...(name.endsWith('1') ? [['|', littleEndian]] : []),
    ]) {
      const file = npyFile(dictionary(`'${order}${name}'`, shape), lay(Kind, numbers));
      assert.deepEqual(loadNpy(file).data, expected, `${order}${name}`);
    }
  }
});

test('axes in Fortran’s order', () => {
  const numbers = littleEndian(Uint8Array, [1, 2, 3, 4, 5, 6]);
  const load = (shape) => loadNpy(npyFile(dictionary("'|u1'", shape, 'True'), numbers));
  assert.deepEqual(load('(6,)').toArray(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(load('(2, 3)').toArray(), [
    [1, 3, 5],
    [2, 4, 6],
  ]);
  assert.deepEqual(load('(1, 3, 2)').toArray(), [
    [
      [1, 4],
      [2, 5],
      [3, 6],
    ],
  ]);
  assert.deepEqual(loadNpy(npyFile(dictionary("'<f4'", '(2,0,3)', 'True'))).shape, [2, 0, 3]);
  assert.deepEqual(loadNpy(npyFile(dictionary("'|u1'", '()', 'True'), [7])).toArray(), 7);
});

test('dictionaries in any style, and every version', () => {
  for (const text of [
    "{'descr':'<i2','fortran_order':False,'shape':(2,)}",
    '{"shape":(2,),"fortran_order":False,"descr":"<i2"}',
    "  {\n 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '<i2' , }   \n \n",
    "{'descr':'<i2','fortran_order':False,'shape':(2)}",
  ]) {
    for (const version of [1, 2, 3]) {
      const tensor = loadNpy(npyFile(text, [1, 0, 255, 255], { version }));
      assert.deepEqual(tensor.shape, [2]);
      assert.deepEqual(tensor.data, Float32Array.of(1, -1));
    }
  }
  const long = dictionary("'<f4'", '(0,)') + ' '.repeat(65_000);
  assert.deepEqual(loadNpy(npyFile(long, [], { version: 2 })).shape, [0]);
});

test('bytes of every kind are taken, left as they are and not kept', () => {
  const expected = Tensor.randn([100, 701], 1);
  const file = saveNpy(expected);
  for (const [kind, convert] of Object.entries(kindsOfBytes)) {
    const given = convert(file);
    const loaded = loadNpy(given);
    assert.deepEqual(given, convert(file), kind);
    new Uint8Array(given.buffer ?? given).fill(0xff);
    assert.deepEqual(bitsOf(loaded), bitsOf(expected), kind);
    assert.equal(loaded.data.byteLength, loaded.data.buffer.byteLength, 'a view of something else');
  }
  const larger = Float32Array.of(0, 1, 2, 3, 4);
  const saved = saveNpy({ data: larger.subarray(1, 4), shape: [3] });
  larger.fill(9);
  assert.deepEqual(loadNpy(saved).data, Float32Array.of(1, 2, 3));
});

test('what is no file and no tensor', () => {
  assertTakesBytesOnly(loadNpy, [[new Blob([]), 'an object']]);
  const fails = (tensor, code, message) =>
    assertFails(() => saveNpy(tensor), code, `tensor: expected ${message}`);
  const aTensor = 'a tensor, { data, shape } or nested arrays of numbers, got';
  for (const [bad, got] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [3, '3'],
    ['a', '"a"'],
    [{}, 'an object'],
    [Float32Array.of(1), 'a typed array without a shape'],
  ]) {
    fails(bad, 'invalid-type', `${aTensor} ${got}`);
  }
  fails(['1'], 'invalid-type', 'numbers, got "1"');
  fails({ data: [1], shape: [2] }, 'invalid-shape', '2 numbers for shape (2,), got 1');
  fails({ data: [1], shape: new Array(65).fill(1) }, 'invalid-shape', 'at most 64 axes, got 65');
  const huge = { data: [], shape: [0, 2 ** 32] };
  fails(huge, 'invalid-shape', 'axes of less than 2^32, got 4294967296');
  const uncountable = { data: [], shape: [2 ** 31, 2 ** 30, 0] };
  const message = 'a shape of less than 2^63 bytes, got (2147483648, 1073741824, 0)';
  fails(uncountable, 'invalid-shape', message);
});
