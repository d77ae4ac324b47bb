// What the tests of loaders share: bytes of every kind, and files that are spoilt at random.
import assert from 'node:assert/strict';
import { HeadwiseError, maskedSoftmax, Tensor } from 'headwise';
import { assertFails } from './compare.mjs';
import { memory } from './memory.mjs';

/** A tensor's numbers as bits, which tell NaN from NaN and 0 from −0. */
export const bitsOf = ({ data }) => new Uint32Array(Float32Array.from(data).buffer);

/** Every number is special: NaN of both kinds and signs with payloads, infinities, −0, subnormal. */
export const specialNumbers = (shape) => {
  const bits = [0x7fc00000, 0xffc12345, 0x7f800001, 0xff800000, 0x80000000, 1, 0x3f800000];
  const tensor = Tensor.zeros(shape);
  new Uint32Array(tensor.data.buffer).forEach((_, i, all) => (all[i] = bits[i % bits.length]));
  return tensor;
};

function inside(buffer, bytes, offset) {
  const view = new Uint8Array(buffer, offset, bytes.length);
  view.set(bytes);
  return view;
}

/** A file's bytes as each kind of argument that is taken for them. */
export const kindsOfBytes = {
  Uint8Array: (bytes) => bytes.slice(),
  Int8Array: (bytes) => new Int8Array(bytes),
  'part of a buffer, at an odd offset': (bytes) =>
    inside(new ArrayBuffer(bytes.length + 20), bytes, 7),
  DataView: (bytes) =>
    new DataView(inside(new ArrayBuffer(bytes.length + 9), bytes, 3).buffer, 3, bytes.length),
  ArrayBuffer: (bytes) => bytes.slice().buffer,
  SharedArrayBuffer: (bytes) => inside(new SharedArrayBuffer(bytes.length), bytes, 0).buffer,
  'part of a SharedArrayBuffer': (bytes) =>
    inside(new SharedArrayBuffer(bytes.length + 1), bytes, 1),
  Buffer: (bytes) => Buffer.from(bytes),
};

/** Checks that a loader refuses what holds no bytes, `others` included. */
export function assertTakesBytesOnly(load, others = []) {
  for (const [bad, got] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['file.bin', '"file.bin"'],
    [8, '8'],
    [8n, '8n'],
    [[1, 2, 3], 'an array'],
    [{ length: 8 }, 'an object'],
    [Tensor.ones([2]), 'an object'],
    [() => 1, 'a function'],
    ...others,
  ]) {
    const message = `bytes: expected a Uint8Array or an ArrayBuffer, got ${got}`;
    assertFails(() => load(bad), 'invalid-type', message);
  }
}

/** Checks that a loader fails on these files, soon and within the memory that a file of its size may take. */
export function assertFailsSoon(load, file, message) {
  const copy = file.slice();
  // Of this process's own time: that of a busy machine goes by without it.
  const began = process.cpuUsage();
  assertFails(() => load(file), 'invalid-file', message);
  const { user, system } = process.cpuUsage(began);
  assert.ok(user + system < 3e6, `${(user + system) / 1000} ms`);
  assert.ok(memory.buffer.byteLength < 150e6, `${memory.buffer.byteLength} bytes of memory`);
  assert.deepEqual(file, copy);
}

/** Checks that the package works as ever. */
export function assertWorks() {
  assert.deepEqual(maskedSoftmax([[[1, 1]]]).toArray(), [[[0.5, 0.5]]]);
}

/** One to three changes of single bytes or short pieces. `tokens` are texts that files are made of. */
export function spoil(random, file, tokens) {
  let bytes = Array.from(file);
  // Most of what can go wrong is in the beginning.
  const place = () => random.below(random.chance(0.8) ? Math.min(200, bytes.length) : bytes.length);
  for (let changes = 1 + random.below(3); changes > 0 && bytes.length > 0; changes--) {
    const [at, count] = [place(), random.below(6)];
    const piece = bytes.slice(place()).slice(0, count);
    switch (random.below(6)) {
      case 0:
        bytes[at] ^= 1 << random.below(8);
        break;
      case 1:
        bytes[at] = random.below(256);
        break;
      case 2:
        bytes.splice(at, count);
        break;
      case 3:
        bytes.splice(at, 0, ...piece);
        break;
      case 4:
        bytes.splice(at, random.below(3), ...Buffer.from(random.pick(...tokens)));
        break;
      default:
        bytes = bytes.slice(0, at + random.below(200));
    }
  }
  return Uint8Array.from(bytes);
}

/** Loads a file that may be spoilt: what it holds, or undefined if it was refused as it should be. */
export function loadOrFail(load, file) {
  const copy = file.slice();
  try {
    return load(file);
  } catch (error) {
    const text = Buffer.from(file).toString('latin1');
    assert.ok(error instanceof HeadwiseError, `${error?.stack ?? error}\n${JSON.stringify(text)}`);
    assert.equal(error.code, 'invalid-file', error.message);
    assert.match(error.message, /^bytes: expected [ -~]+, got [ -~]*$/);
    return undefined;
  } finally {
    assert.deepEqual(file, copy);
  }
}
