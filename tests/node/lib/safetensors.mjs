import { readFileSync } from 'node:fs';
import { Tensor } from 'headwise';
import { dataFile } from './records.mjs';

const readers = {
  F32: (view, at) => view.getFloat32(4 * at, true),
  I32: (view, at) => view.getInt32(4 * at, true),
  BOOL: (view, at) => view.getUint8(at),
};

/** The tensors of a safetensors file of tests/data by name. */
export function readSafetensors(name) {
  const bytes = readFileSync(dataFile(name));
  const headerSize = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + headerSize));
  const tensors = Object.entries(header).map(
    ([
      key,
      {
        dtype,
        shape,
        data_offsets: [first],
      },
    ]) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset + 8 + headerSize + first);
      const count = shape.reduce((product, size) => product * size, 1);
      return [
        key,
        new Tensor(
          Array.from({ length: count }, (_, i) => readers[dtype](view, i)),
          shape,
        ),
      ];
    },
  );
  return Object.fromEntries(tensors);
}

/** A file of this header, an object or its text or bytes, that tells this length and has these numbers behind it. */
export function safetensorsFile(header, numbers = [], length) {
  const isText = typeof header === 'string' || ArrayBuffer.isView(header);
  const json = Buffer.from(isText ? header : JSON.stringify(header));
  const before = Buffer.alloc(8);
  before.writeBigUInt64LE(BigInt(length ?? json.length));
  return Uint8Array.from(Buffer.concat([before, json, Uint8Array.from(numbers)]));
}
