/** Types of numbers in GGUF files, and how blocks of quantized numbers become floats. */
import type { NumberFormat } from 'headwise-records';
import { fail } from '../runtime/errors.js';
import { isIntegerDtype } from '../tensor/integers.js';

/**
 * A type's name, the numbers in one of its blocks, and the bytes of a block.
 *
 * @internal
 */
export type BlockType = readonly [name: string, numbers: number, bytes: number];

/**
 * Types by their number in a file. Source: `ggml_type` in ggml.h, and the sizes of the blocks in ggml-common.h.
 *
 * @internal
 */
export const blockTypes: Readonly<Partial<Record<number, BlockType>>> = {
  0: ['F32', 1, 4],
  1: ['F16', 1, 2],
  2: ['Q4_0', 32, 18],
  3: ['Q4_1', 32, 20],
  6: ['Q5_0', 32, 22],
  7: ['Q5_1', 32, 24],
  8: ['Q8_0', 32, 34],
  9: ['Q8_1', 32, 36],
  10: ['Q2_K', 256, 84],
  11: ['Q3_K', 256, 110],
  12: ['Q4_K', 256, 144],
  13: ['Q5_K', 256, 176],
  14: ['Q6_K', 256, 210],
  15: ['Q8_K', 256, 292],
  16: ['IQ2_XXS', 256, 66],
  17: ['IQ2_XS', 256, 74],
  18: ['IQ3_XXS', 256, 98],
  19: ['IQ1_S', 256, 50],
  20: ['IQ4_NL', 32, 18],
  21: ['IQ3_S', 256, 110],
  22: ['IQ2_S', 256, 82],
  23: ['IQ4_XS', 256, 136],
  24: ['I8', 1, 1],
  25: ['I16', 1, 2],
  26: ['I32', 1, 4],
  27: ['I64', 1, 8],
  28: ['F64', 1, 8],
  29: ['IQ1_M', 256, 56],
  30: ['BF16', 1, 2],
  34: ['TQ1_0', 256, 54],
  35: ['TQ2_0', 256, 66],
  39: ['MXFP4', 32, 17],
};

// `NumberType::floating` and `NumberType::bfloat` of the core.
const floating = 3;
const bfloat = 4;

/**
 * Formats of floats that are not quantized.
 *
 * @internal
 */
export const floatFormats: Readonly<Partial<Record<string, NumberFormat>>> = {
  F64: { type: floating, size: 8, bigEndian: false },
  F32: { type: floating, size: 4, bigEndian: false },
  F16: { type: floating, size: 2, bigEndian: false },
  BF16: { type: bfloat, size: 2, bigEndian: false },
};

/**
 * Where the bits of a block's numbers are, `[first byte, width, bits]`: each byte of a chunk of `width` bytes holds
 * `bits` bits of 8 / `bits` numbers, which are `width` numbers apart. The lowest bits come first.
 */
type Planes = readonly [at: number, width: number, bits: number];

/** Writes the factor and the offset of each group of a block. */
type ReadScales = (
  bytes: Uint8Array,
  at: number,
  factors: Float64Array,
  offsets: Float64Array,
) => void;

/** How a block is packed. Number q of a group becomes `factor * (q - bias) + offset`, or `factor * table[q]`. */
interface Packing {
  /** How many numbers share a factor and an offset. */
  readonly group: number;
  readonly low: Planes;
  /** The higher bits, if they are apart. */
  readonly high?: Planes;
  readonly bias: number;
  readonly table?: readonly number[];
  readonly readScales: ReadScales;
}

/** Source: `kvalues_iq4nl` in ggml-common.h. */
const unevenTable = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/** The float16 at a byte. */
function half(bytes: Uint8Array, at: number): number {
  const bits = bytes[at] | (bytes[at + 1] << 8);
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size =
    exponent === 31
      ? fraction === 0
        ? Infinity
        : NaN
      : exponent === 0
        ? fraction * 2 ** -24
        : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 ? -size : size;
}

const oneFactor: ReadScales = (bytes, at, factors) => {
  factors[0] = half(bytes, at);
};

const oneFactorAndOffset: ReadScales = (bytes, at, factors, offsets) => {
  factors[0] = half(bytes, at);
  offsets[0] = half(bytes, at + 2);
};

/** Eight factors and offsets of 6 bits in 12 bytes: the first four whole, the upper 2 bits of the others above them. */
const eightOf6Bits: ReadScales = (bytes, at, factors, offsets) => {
  const [factor, offset] = [half(bytes, at), -half(bytes, at + 2)];
  for (let i = 0; i < 4; i++) {
    const [a, b, c] = [bytes[at + 4 + i], bytes[at + 8 + i], bytes[at + 12 + i]];
    factors[i] = factor * (a & 63);
    offsets[i] = offset * (b & 63);
    factors[i + 4] = factor * ((c & 15) | ((a >> 6) << 4));
    offsets[i + 4] = offset * ((c >> 4) | ((b >> 6) << 4));
  }
};

/** Packings by type. Source: `dequantize_row_*` in ggml-quants.c. */
const packings: Readonly<Partial<Record<string, Packing>>> = {
  Q4_0: { group: 32, low: [2, 16, 4], bias: 8, readScales: oneFactor },
  Q4_1: { group: 32, low: [4, 16, 4], bias: 0, readScales: oneFactorAndOffset },
  Q5_0: { group: 32, low: [6, 16, 4], high: [2, 1, 1], bias: 16, readScales: oneFactor },
  Q5_1: { group: 32, low: [8, 16, 4], high: [4, 1, 1], bias: 0, readScales: oneFactorAndOffset },
  // Its numbers are in two's complement. With the sign bit flipped they are unsigned and 128 too large.
  Q8_0: { group: 32, low: [2, 32, 8], bias: 128, readScales: oneFactor },
  IQ4_NL: { group: 32, low: [2, 16, 4], bias: 0, table: unevenTable, readScales: oneFactor },
  IQ4_XS: {
    ...{ group: 32, low: [8, 16, 4], bias: 0, table: unevenTable },
    readScales(bytes, at, factors) {
      const factor = half(bytes, at);
      for (let i = 0; i < 8; i++) {
        const low = (bytes[at + 4 + (i >> 1)] >> (4 * (i & 1))) & 15;
        const high = (bytes[at + 2 + (i >> 2)] >> (2 * (i & 3))) & 3;
        factors[i] = factor * ((low | (high << 4)) - 32);
      }
    },
  },
  Q2_K: {
    ...{ group: 16, low: [16, 32, 2], bias: 0 },
    readScales(bytes, at, factors, offsets) {
      const [factor, offset] = [half(bytes, at + 80), -half(bytes, at + 82)];
      for (let i = 0; i < 16; i++) {
        factors[i] = factor * (bytes[at + i] & 15);
        offsets[i] = offset * (bytes[at + i] >> 4);
      }
    },
  },
  Q3_K: {
    ...{ group: 16, low: [32, 32, 2], high: [0, 32, 1], bias: 4 },
    readScales(bytes, at, factors) {
      const factor = half(bytes, at + 108);
      for (let i = 0; i < 16; i++) {
        const low = (bytes[at + 96 + (i & 7)] >> (i < 8 ? 0 : 4)) & 15;
        const high = (bytes[at + 104 + (i & 3)] >> (2 * (i >> 2))) & 3;
        factors[i] = factor * ((low | (high << 4)) - 32);
      }
    },
  },
  Q4_K: { group: 32, low: [16, 32, 4], bias: 0, readScales: eightOf6Bits },
  Q5_K: { group: 32, low: [48, 32, 4], high: [16, 32, 1], bias: 0, readScales: eightOf6Bits },
  Q6_K: {
    ...{ group: 16, low: [0, 64, 4], high: [128, 32, 2], bias: 32 },
    readScales(bytes, at, factors) {
      const factor = half(bytes, at + 208);
      for (let i = 0; i < 16; i++) {
        factors[i] = factor * ((bytes[at + 192 + i] << 24) >> 24);
      }
    },
  },
};

/**
 * Fails if tensors of this type cannot be read.
 *
 * @internal
 */
export function checkReadable(argument: string, name: string, type: string): void {
  if (!(type in packings) && !(type in floatFormats) && !isIntegerDtype(type)) {
    const known = [...Object.keys(floatFormats), ...Object.keys(packings)].join(', ');
    fail('invalid-file', argument, `tensor '${name}' of integers or ${known}`, type);
  }
}

/** Adds the bits of a block's numbers to their codes, `above` bits higher. */
function unpack(
  bytes: Uint8Array,
  block: number,
  [begin, width, bits]: Planes,
  above: number,
  codes: Uint8Array,
): void {
  const mask = 2 ** bits - 1;
  let from = block + begin;
  for (let first = 0; first < codes.length; from += width) {
    for (let shift = 0; shift < 8; shift += bits, first += width) {
      for (let i = 0; i < width; i++) {
        codes[first + i] |= ((bytes[from + i] >> shift) & mask) << above;
      }
    }
  }
}

/**
 * Converts whole blocks of a quantized type, and writes the numbers to `floats` from `first` on. Each is the exact
 * product and sum, rounded once.
 *
 * @internal
 */
export function convertBlocks(
  [name, count, size]: BlockType,
  bytes: Uint8Array,
  floats: Float32Array,
  first: number,
): void {
  const packing = packings[name];
  if (packing === undefined) {
    return;
  }
  const { group, low, high, bias, table, readScales } = packing;
  const [, , lowBits] = low;
  const signBit = lowBits === 8 ? 128 : 0;
  const numbers = Float64Array.from({ length: 256 }, (_, q) => table?.[q] ?? (q ^ signBit) - bias);
  const codes = new Uint8Array(count);
  const [factors, offsets] = [new Float64Array(16), new Float64Array(16)];
  let to = first;
  for (let block = 0; block < bytes.length; block += size) {
    readScales(bytes, block, factors, offsets);
    codes.fill(0);
    unpack(bytes, block, low, 0, codes);
    if (high !== undefined) {
      unpack(bytes, block, high, lowBits, codes);
    }
    for (let begin = 0; begin < count; begin += group) {
      const factor = factors[begin / group];
      const offset = offsets[begin / group];
      for (let i = begin; i < begin + group; i++) {
        floats[to++] = factor * numbers[codes[i]] + offset;
      }
    }
  }
}
