/** A .npy file of this dictionary with these bytes of numbers behind it; `length` is the one that it tells. */
export function npyFile(dictionary, numbers = [], { version = 1, length } = {}) {
  const text = Buffer.from(dictionary);
  const before = Buffer.alloc(version === 1 ? 10 : 12);
  before.write('\x93NUMPY', 'latin1');
  before[6] = version;
  before.writeUIntLE(length ?? text.length, 8, version === 1 ? 2 : 4);
  return Uint8Array.from(Buffer.concat([before, text, Uint8Array.from(numbers)]));
}

/** A dictionary as NumPy writes it. */
export const dictionary = (descr, shape, fortranOrder = 'False') =>
  `{'descr': ${descr}, 'fortran_order': ${fortranOrder}, 'shape': ${shape}, }`;
