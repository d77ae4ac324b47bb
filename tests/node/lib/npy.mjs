/** A .npy file of version 1 with these bytes of numbers; `length` is the header length that it claims. */
export function npyFile(dictionary, numbers = [], length = dictionary.length) {
  const before = Buffer.from('\x93NUMPY\x01\x00??', 'latin1');
  before.writeUInt16LE(length, 8);
  return Uint8Array.from(
    Buffer.concat([before, Buffer.from(dictionary), Uint8Array.from(numbers)]),
  );
}

/** A dictionary as NumPy writes it. */
export const dictionary = (descr, shape, fortranOrder = 'False') =>
  `{'descr': ${descr}, 'fortran_order': ${fortranOrder}, 'shape': ${shape}, }`;
