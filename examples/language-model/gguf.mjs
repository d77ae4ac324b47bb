// Writes GGUF files: metadata, tensors, and numbers rounded to 8 bits. Source: ggml's docs/gguf.md.

/** Types of values in the order of their numbers, with methods of Buffer and sizes. */
const numbers = {
  ...{ u8: ['UInt8', 1], i8: ['Int8', 1], u16: ['UInt16LE', 2], i16: ['Int16LE', 2] },
  ...{ u32: ['UInt32LE', 4], i32: ['Int32LE', 4], f32: ['FloatLE', 4], bool: ['UInt8', 1] },
  ...{
    string: [],
    array: [],
    u64: ['BigUInt64LE', 8],
    i64: ['BigInt64LE', 8],
    f64: ['DoubleLE', 8],
  },
};
const typeNumbers = {
  ...{ F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q5_0: 6, Q5_1: 7, Q8_0: 8, Q2_K: 10, Q3_K: 11, Q4_K: 12 },
  ...{ Q5_K: 13, Q6_K: 14, IQ4_NL: 20, IQ3_S: 21, IQ4_XS: 23, I32: 26, I64: 27, F64: 28, BF16: 30 },
};

/** @typedef {keyof typeof numbers | number} ValueType by its name, or a number that no type has */
/** @typedef {{ type: ValueType, value: any }} Typed an array's value is `{ of, values }` */
/** @typedef {{ type?: string | number, shape: number[], data?: Float32Array, bytes?: Uint8Array }} Stored */

const numberOf = (/** @type {ValueType} */ type) =>
  typeof type === 'number' ? type : Object.keys(numbers).indexOf(type);

/**
 * The bytes of a value.
 *
 * @param {ValueType} type
 * @param {any} value
 * @returns {Buffer}
 */
function bytesOf(type, value) {
  if (type === 'string') {
    return Buffer.concat([bytesOf('u64', Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (type === 'array') {
    const { of, values } = value;
    const each = values.map((/** @type {any} */ element) => bytesOf(of, element));
    return Buffer.concat([bytesOf('u32', numberOf(of)), bytesOf('u64', values.length), ...each]);
  }
  const [method = 'UInt32LE', size = 4] = typeof type === 'number' ? [] : numbers[type];
  const bytes = Buffer.alloc(Number(size));
  const given = size === 8 && type !== 'f64' ? BigInt(value) : Number(value);
  /** @type {any} */ (bytes)[`write${method}`](given);
  return bytes;
}

/**
 * A value of this type.
 *
 * @param {ValueType} type
 * @param {any} value
 * @returns {Typed}
 */
export const typed = (type, value = 0) => ({ type, value });

/**
 * Numbers are u32 or f32; the first element decides for an array.
 *
 * @param {any} value
 * @returns {Typed}
 */
function toTyped(value) {
  if (Array.isArray(value)) return typed('array', { of: toTyped(value[0]).type, values: value });
  if (value.type !== undefined) return value;
  if (typeof value === 'string') return typed('string', value);
  if (typeof value === 'boolean') return typed('bool', value);
  return typed(value % 1 === 0 ? 'u32' : 'f32', value);
}

/**
 * A file of metadata by key, and tensors by name, of floats or `{ type, shape, bytes }`. `replaced` has wrong parts.
 *
 * @param {Record<string, any>} metadata
 * @param {Record<string, Stored>} given
 * @param {{ magic?: string, version?: number, keys?: number, count?: number,
 *   offsets?: Record<string, number>, alignment?: number }} replaced
 */
export function ggufFile(metadata, given = {}, replaced = {}) {
  const tensors = Object.entries(given).map(([name, { type = 'F32', shape, data, bytes }]) => ({
    ...{ name, type, shape },
    bytes: bytes ?? Buffer.from(/** @type {ArrayBuffer} */ (data?.buffer)),
  }));
  const { magic = 'GGUF', version = 3, keys, count, offsets = {}, alignment = 32 } = replaced;
  const padded = (/** @type {Uint8Array} */ bytes) =>
    Buffer.concat([bytes, Buffer.alloc(-bytes.length & (alignment - 1))]);
  const data = tensors.map(({ bytes }) => padded(bytes));
  let end = 0;
  const infos = tensors.flatMap(({ name, type, shape }, i) => {
    const begin = offsets[name] ?? end;
    end += data[i]?.length ?? 0;
    const axes = [...shape].reverse().map((size) => bytesOf('u64', size));
    const parts = [bytesOf('string', name), bytesOf('u32', shape.length), ...axes];
    const number = typeNumbers[/** @type {'F32'} */ (type)] ?? type;
    return [...parts, bytesOf('u32', number), bytesOf('u64', begin)];
  });
  const values = Object.entries(metadata).flatMap(([key, each]) => {
    const { type, value } = toTyped(each);
    return [bytesOf('string', key), bytesOf('u32', numberOf(type)), bytesOf(type, value)];
  });
  const counts = [count ?? data.length, keys ?? Object.keys(metadata).length];
  const start = [
    Buffer.from(magic),
    bytesOf('u32', version),
    ...counts.map((n) => bytesOf('u64', n)),
  ];
  const header = Buffer.concat([...start, ...values, ...infos]);
  return Uint8Array.from(Buffer.concat([data.length > 0 ? padded(header) : header, ...data]));
}

/** The float16 nearest to a number from 2^-14 to 65504, as bits. */
function halfBits(/** @type {number} */ value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  // Rounds the 13 bits that are dropped to even, and changes the exponent's bias from 127 to 15.
  return (bits + 0xfff + ((bits >> 13) & 1) - (112 << 23)) >> 13;
}

/**
 * Rounds floats to 8 bits, 32 of them with a common scale: max |x| / 127, as float16. Source:
 * `quantize_row_q8_0_ref` in ggml-quants.c, which rounds halves away from 0.
 *
 * @param {Float32Array} floats as many as a multiple of 32
 * @param {number[]} shape
 */
export function toQ8(floats, shape) {
  const bytes = Buffer.alloc((floats.length / 32) * 34);
  for (let block = 0; block < floats.length / 32; block++) {
    const given = floats.subarray(32 * block, 32 * (block + 1));
    const scale = given.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127;
    // Weights whose scale is below float16's normal numbers count as 0.
    const inverse = scale < 2 ** -14 ? 0 : 1 / scale;
    bytes.writeUInt16LE(inverse === 0 ? 0 : halfBits(scale), 34 * block);
    given.forEach((x, i) => {
      bytes.writeInt8(Math.sign(x) * Math.round(Math.abs(x * inverse)), 34 * block + 2 + i);
    });
  }
  return { type: 'Q8_0', shape, bytes };
}
