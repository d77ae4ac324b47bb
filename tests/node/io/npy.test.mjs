// .npy files that NumPy reads and writes. Malformed ones are in bad-files.test.mjs; safetensors.test.mjs passes bytes
// of every kind.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { init, loadNpy, saveNpy, Tensor } from 'headwise';
import { temporaryFolder } from '../lib/child.mjs';
import { assertFails } from '../lib/compare.mjs';
import { bitsOf, specialNumbers } from '../lib/files.mjs';
import { runPython } from '../lib/python.mjs';
import { dataFile } from '../lib/records.mjs';

await init();

/** NumPy has these, too. */
const shapes = [[], [1], [5], [0], [2, 3], [0, 3], [3, 0, 2], [2, 1, 3, 2], new Array(32).fill(1)];
const larger = [[70_000], new Array(64).fill(1), [2 ** 32 - 1, 0], [0, 2 ** 31, 2 ** 29 - 1]];

test('tensors of every shape come back bit for bit', () => {
  for (const shape of [...shapes, ...larger]) {
    const tensor = specialNumbers(shape);
    const loaded = loadNpy(saveNpy(tensor));
    assert.ok(loaded instanceof Tensor);
    assert.deepEqual(loaded.shape, tensor.shape);
    assert.deepEqual(bitsOf(loaded), bitsOf(tensor));
  }
});

test('arguments that are not a file or a tensor', () => {
  const message = 'bytes: expected a Uint8Array or an ArrayBuffer, got a Blob';
  assertFails(() => loadNpy(new Blob([])), 'invalid-type', message);
  for (const [tensor, code, expected] of [
    [['1'], 'invalid-type', 'numbers, got "1"'],
    [{ data: [1], shape: new Array(65).fill(1) }, 'invalid-shape', 'at most 64 axes, got 65'],
    [
      ...[{ data: [], shape: [0, 2 ** 32] }, 'invalid-shape'],
      'axes of less than 2^32, got 4294967296',
    ],
    [
      ...[{ data: [], shape: [2 ** 31, 2 ** 30, 0] }, 'invalid-shape'],
      'a shape of less than 2^63 bytes, got (2147483648, 1073741824, 0)',
    ],
  ]) {
    assertFails(() => saveNpy(tensor), code, `tensor: expected ${expected}`);
  }
});

const hex = ({ data }) => Buffer.from(Float32Array.from(data).buffer).toString('hex');

test('NumPy reads what saveNpy wrote', (t) => {
  const folder = temporaryFolder(t);
  shapes.forEach((shape, i) => {
    writeFileSync(join(folder, `${i}.npy`), saveNpy(specialNumbers(shape)));
  });
  const program = `
import json, sys, numpy
def read(i):
    array = numpy.load(f'{sys.argv[1]}/{i}.npy', allow_pickle=False)
    return [array.dtype.str, list(array.shape), array.tobytes().hex()]
print(json.dumps([read(i) for i in range(${shapes.length})]))`;
  const expected = shapes.map((shape) => ['<f4', shape, hex(specialNumbers(shape))]);
  assert.deepEqual(runPython(program, folder), expected);
});

test('loadNpy reads what NumPy wrote, of every type, order, rank and version', (t) => {
  const folder = temporaryFolder(t);
  const program = readFileSync(dataFile('write_npy.py'), 'utf8');
  const files = runPython(program, folder);
  assert.equal(files.length, 12 * 8 * 2 * 4);
  assert.ok(new Set(files.map(([type]) => type)).size >= 21);
  files.forEach(([type, shape, fortran, expected], i) => {
    const tensor = loadNpy(readFileSync(join(folder, `${i}.npy`)));
    const what = `${type} of shape ${shape}, ${fortran ? 'Fortran' : 'C'} order`;
    assert.deepEqual(tensor.shape, shape, what);
    assert.equal(hex(tensor), expected, what);
  });
});
