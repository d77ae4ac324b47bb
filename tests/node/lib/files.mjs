// Numbers as bits, and bytes of every kind, for tests of files.
import { Tensor } from 'headwise';

/** A tensor's numbers as bits, which distinguish NaNs, and 0 from −0. */
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

/** A .npy file of version 1 with these bytes of numbers; `length` is the header length that it claims. */
export function npyFile(dictionary, numbers = [], length = dictionary.length) {
  const before = Buffer.from('\x93NUMPY\x01\x00??', 'latin1');
  before.writeUInt16LE(length, 8);
  return Uint8Array.from(
    Buffer.concat([before, Buffer.from(dictionary), Uint8Array.from(numbers)]),
  );
}
