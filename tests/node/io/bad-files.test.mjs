// Malformed files: every truncation, and sizes that 32 bits cannot hold. tests/native/io has more, and random changes.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { dictionary, npyFile } from '../lib/files.mjs';
import { memory } from '../lib/memory.mjs';
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

/** A header of one tensor, with these fields as JSON. */
const headerOf = (fields) => {
  const all = { dtype: '"F32"', shape: '[2]', data_offsets: '[0,8]', ...fields };
  return `{"a":{${Object.entries(all)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}}`;
};
const asMany = (got) => `tensor 'a' in as many bytes as its shape takes, got ${got}`;
const within = (size, got) => `tensor 'a' to lie within ${size} bytes, got ${got}`;

/** Header, bytes of numbers behind it, message, and the header length that the file claims. */
const badSafetensors = [
  ['['.repeat(1e6), 0, 'a safetensors header with { at byte 0, got ['],
  // Sizes that overflow 32 bits, and counts of 2^62 and 2^64: times four they are 0 in 64 bits.
  [headerOf({ data_offsets: '[0,9007199254740992]' }), 8, within(8, '0 to 9007199254740992')],
  [headerOf({ shape: '[2147483648,2147483648]', data_offsets: '[0,0]' }), 0, asMany(0)],
  [headerOf({ shape: '[65536,65536,65536,65536]' }), 8, asMany(8)],
  [
    ...[headerOf({ shape: '[4294967296,0]', data_offsets: '[0,0]' }), 0],
    "tensor 'a' of a shape that memory can hold, got 4294967296",
  ],
  ...[3, 2 ** 31, 2 ** 32 + 2, 2n ** 64n - 1n].map((length) => [
    ...['{}', 0, `a safetensors header of at most 2 bytes, got ${length}`, length],
  ]),
];

const ofShape = 'a .npy file with as many bytes of numbers as its shape takes, got';
const f4 = (shape, order) => dictionary("'<f4'", shape, order);

/** Dictionary, bytes of numbers behind it, message, and the header length that the file claims. */
const badNpy = [
  [
    ...[`{'shape': ${'('.repeat(60_000)}`, 0],
    'a .npy header with an integer from 0 to 2^53 at byte 11, got (',
  ],
  [f4('(65536,65536,65536,65536)', 'True'), 4, `${ofShape} 4`],
  [f4('(4294967296, 0)'), 0, 'a .npy file of at most 64 axes that memory can hold, got 4294967296'],
  [...[f4('(1,)'), 4, `a .npy header of at most ${f4('(1,)').length + 4} bytes, got 65535`], 65535],
];

test('another kind of file is called by its name, from whatever source', async () => {
  for (const [text, what] of [
    ['version https://git-lfs', 'a Git LFS pointer: fetch the file itself by git lfs pull'],
    ['Entry not found', "text that begins with 'Entry no'"],
  ]) {
    const [file, message] = [Buffer.from(text), `bytes: expected a safetensors file, got ${what}`];
    fails(loadSafetensors, file, message);
    await assertRejects(() => loadSafetensors(new Blob([file])), 'invalid-file', message);
    fails(loadNpy, file, `bytes: expected a .npy file, got ${what}`);
  }
});

test('the error names the rule that a file breaks, also for sizes that overflow 32 bits', () => {
  for (const [header, size, message, length] of badSafetensors) {
    const file = safetensorsFile(header, new Uint8Array(size), length);
    fails(loadSafetensors, file, `bytes: expected ${message}`);
  }
  for (const [text, size, message, length] of badNpy) {
    const file = npyFile(text, new Uint8Array(size), length);
    fails(loadNpy, file, `bytes: expected ${message}`);
  }
});
