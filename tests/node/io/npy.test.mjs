// .npy files of every kind of bytes and style. NumPy itself is in numpy.test.mjs, files that break the rules are in
// bad-files.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadNpy, saveNpy, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';
import { assertTakesBytesOnly, bitsOf, kindsOfBytes, specialNumbers } from '../lib/files.mjs';
import { dictionary, npyFile } from '../lib/npy.mjs';

await init();

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
