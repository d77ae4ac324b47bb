// Malformed files: every truncation, and the headers of tests/data/malformed.txt. tests/native/io has random changes.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { npyFile } from '../lib/files.mjs';
import { memory } from '../lib/memory.mjs';
import { readRecords } from '../lib/records.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';
import { handleOn } from '../lib/sources.mjs';

const { loadNpy, loadSafetensors, maskedSoftmax, saveNpy, saveSafetensors, Tensor } = headwise;
const tensors = {
  a: new Tensor([1, 2, 3, 4, 5, 6], [2, 3]),
  'é"': Tensor.full([], 7),
  none: Tensor.ones([0, 2]),
};
const good = saveSafetensors(tensors, { format: 'pt' });
const goodNpy = saveNpy(tensors.a);

/** Checks that the file is refused without much memory, and not modified. */
function fails(load, file, message) {
  const copy = file.slice();
  assertFails(() => load(file), 'invalid-file', message);
  assert.ok(memory.buffer.byteLength < 150e6, `${memory.buffer.byteLength} bytes of memory`);
  assert.deepEqual(file, copy);
}

test.afterEach(() => {
  assert.deepEqual(maskedSoftmax([[[1, 1]]]).toArray(), [[[0.5, 0.5]]]);
});

test('every truncation, and one byte more', async () => {
  const cut = Array.from({ length: good.length }, (_, length) => good.slice(0, length));
  for (const file of [...cut, Uint8Array.of(...good, 0)]) {
    const isLonger = file.length > good.length;
    fails(
      loadSafetensors,
      file,
      isLonger ? 'bytes: expected 28 bytes of tensors, got 29' : /^bytes: expected /,
    );
    const errors = [file, new Blob([file]), handleOn(file)].map((source) =>
      Promise.resolve(source).then(loadSafetensors).catch(String),
    );
    assert.equal(new Set(await Promise.all(errors)).size, 1, `${file.length} bytes`);
  }
  for (let length = 0; length < goodNpy.length; length++) {
    fails(loadNpy, goodNpy.slice(0, length), /^bytes: expected /);
  }
  const ofShape = 'a .npy file with as many bytes of numbers as its shape takes, got 25';
  fails(loadNpy, Uint8Array.of(...goodNpy, 0), `bytes: expected ${ofShape}`);
});

test('another kind of file is called by its name, from whatever source', async () => {
  for (const { bytes, message } of readRecords('other-files.txt')) {
    const file = Buffer.from(bytes, 'hex');
    const expected = `bytes: expected a safetensors file, got ${message}`;
    fails(loadSafetensors, file, expected);
    await assertRejects(() => loadSafetensors(new Blob([file])), 'invalid-file', expected);
    fails(loadNpy, file, `bytes: expected a .npy file, got ${message}`);
  }
});

test('the error names the rule that a file breaks', () => {
  for (const { format, header, size = 4, message, in32Bits = message } of readRecords(
    'malformed.txt',
  )) {
    const [load, fileOf] =
      format === 'npy' ? [loadNpy, npyFile] : [loadSafetensors, safetensorsFile];
    fails(load, fileOf(header, new Uint8Array(size)), `bytes: expected ${in32Bits}`);
  }
});

test('a header that is deep, or has not the length that its file claims', () => {
  fails(
    loadSafetensors,
    safetensorsFile('['.repeat(1e6)),
    'bytes: expected a safetensors header with { at byte 0, got [',
  );
  fails(
    loadNpy,
    npyFile(`{'shape': ${'('.repeat(60_000)}`),
    'bytes: expected a .npy header with an integer from 0 to 2^53 at byte 11, got (',
  );
  for (const length of [3, 2 ** 31, 2 ** 32 + 2, 2n ** 64n - 1n]) {
    const message = `bytes: expected a safetensors header of at most 2 bytes, got ${length}`;
    fails(loadSafetensors, safetensorsFile('{}', [], length), message);
  }
  const message = 'bytes: expected a .npy header of at most 14 bytes, got 65535';
  fails(loadNpy, npyFile('{}', new Uint8Array(12), 65535), message);
});
