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
