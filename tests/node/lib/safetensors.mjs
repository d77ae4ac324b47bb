const numbers = {
  F32: (buffer) => new Float32Array(buffer),
  F64: (buffer) => new Float64Array(buffer),
  I32: (buffer) => new Int32Array(buffer),
  I64: (buffer) => Int32Array.from(new BigInt64Array(buffer), Number),
  BOOL: (buffer) => new Uint8Array(buffer),
};

/** The tensors of a safetensors file by name, `{ data, shape }`. */
export function parseSafetensors(bytes) {
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, begin));
  const tensorOf = ({ dtype, shape, data_offsets: offsets }) => {
    // Copied, since a typed array begins at a multiple of its numbers' size.
    const [first, end] = offsets.map((offset) => bytes.byteOffset + begin + offset);
    return { data: numbers[dtype](bytes.buffer.slice(first, end)), shape };
  };
  return Object.fromEntries(
    Object.entries(header).flatMap(([name, stored]) =>
      name === '__metadata__' ? [] : [[name, tensorOf(stored)]],
    ),
  );
}

/** A file of this header (an object, text or bytes) and these numbers; `length` is the header length that it claims. */
export function safetensorsFile(header, numbers = [], length) {
  const isText = typeof header === 'string' || ArrayBuffer.isView(header);
  const json = Buffer.from(isText ? header : JSON.stringify(header));
  const before = Buffer.alloc(8);
  before.writeBigUInt64LE(BigInt(length ?? json.length));
  return Uint8Array.from(Buffer.concat([before, json, Uint8Array.from(numbers)]));
}
