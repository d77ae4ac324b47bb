// GGUF files of tests: tensors of random codes of each quantized type. The files themselves are written by
// examples/language-model/gguf.mjs.
export { ggufFile, typed } from '../../../examples/language-model/gguf.mjs';

// Byte and shift of number i: nibbles, lower ones first; the fifth bits; two bits of four numbers.
const nibbles = (at, width) => (i) => {
  const chunk = Math.floor(i / (2 * width));
  return [at + chunk * width + (i % width), i % (2 * width) < width ? 0 : 4];
};
const inOrder = (at) => (i) => [at + (i >> 3), i & 7];
const byPlane = (at) => (i) => [at + (i & 31), i >> 5];
const pairs = (at) => (i) => [at + 32 * (i >> 7) + (i & 31), 2 * ((i >> 5) & 3)];
const whole = (at) => (i) => [at + i, 0];

/** Codes of scales and minimums of 6 bits in 12 bytes. */
function sixBits(b, at, s, m) {
  for (let i = 0; i < 4; i++) {
    b[at + i] = s[i] | ((s[i + 4] >> 4) << 6);
    b[at + 4 + i] = m[i] | ((m[i + 4] >> 4) << 6);
    b[at + 8 + i] = (s[i + 4] & 15) | ((m[i + 4] & 15) << 4);
  }
}

/** How the codes of groups' scales and minimums are packed. */
const packers = {
  Q2_K: (b, s, m) => s.forEach((scale, i) => (b[i] = scale | (m[i] << 4))),
  Q3_K: (b, s) =>
    s.forEach((scale, i) => {
      b[96 + (i & 7)] |= ((scale + 32) & 15) << (i < 8 ? 0 : 4);
      b[104 + (i & 3)] |= ((scale + 32) >> 4) << (2 * (i >> 2));
    }),
  Q4_K: (b, s, m) => sixBits(b, 4, s, m),
  Q5_K: (b, s, m) => sixBits(b, 4, s, m),
  Q6_K: (b, s) => b.set(s, 192),
  IQ4_XS: (b, s) =>
    s.forEach((scale, i) => {
      b[4 + (i >> 1)] |= ((scale + 32) & 15) << (4 * (i & 1));
      b[2 + (i >> 2)] |= ((scale + 32) >> 4) << (2 * (i & 3));
    }),
};
/** What the codes of types whose names begin with IQ4 stand for. */
const uneven = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/**
 * Each type: bytes of a block, numbers of a group, what is subtracted, the lower bits and where, the higher ones, the
 * places of scale and minimum, and the largest codes of groups' scales and minimums. Source: `block_*` in
 * ggml-common.h, `quantize_row_*_ref` in ggml-quants.c.
 */
const packings = {
  Q4_0: [18, 32, 8, [4, nibbles(2, 16)], [0], [0]],
  Q4_1: [20, 32, 0, [4, nibbles(4, 16)], [0], [0, 2]],
  Q5_0: [22, 32, 16, [4, nibbles(6, 16)], [1, inOrder(2)], [0]],
  Q5_1: [24, 32, 0, [4, nibbles(8, 16)], [1, inOrder(4)], [0, 2]],
  Q8_0: [34, 32, 128, [8, whole(2)], [0], [0]],
  Q2_K: [84, 16, 0, [2, pairs(16)], [0], [80, 82], [15, 15]],
  Q3_K: [110, 16, 4, [2, pairs(32)], [1, byPlane(0)], [108], [31]],
  Q4_K: [144, 32, 0, [4, nibbles(16, 32)], [0], [0, 2], [63, 63]],
  Q5_K: [176, 32, 0, [4, nibbles(48, 32)], [1, byPlane(16)], [0, 2], [63, 63]],
  Q6_K: [210, 16, 32, [4, nibbles(0, 64)], [2, pairs(128)], [208], [127]],
  IQ4_NL: [18, 32, 0, [4, nibbles(2, 16)], [0], [0]],
  IQ4_XS: [136, 32, 0, [4, nibbles(8, 16)], [0], [0], [31]],
};
export const quantizedTypes = Object.keys(packings);

/**
 * A tensor of random codes of a quantized type, and its values by the formula, in float64:
 * d · scale · (q − bias) − dmin · min. All scales are powers of two.
 */
export function quantized(type, shape, random) {
  const [size, group, bias, low, high, [atScale, atMin], most = [1]] = packings[type];
  const [[lowBits, lowAt], [highBits, highAt]] = [low, high];
  const count = size < 40 ? 32 : 256;
  const blocks = shape.reduce((product, axis) => product * axis) / count;
  const bytes = new Uint8Array(blocks * size);
  const values = [];
  const codes = (largest, least) =>
    Array.from({ length: count / group }, () => least + random.below(largest - least + 1));
  for (let block = 0; block < blocks; block++) {
    const of = bytes.subarray(block * size, (block + 1) * size);
    const [d, dmin] = [2 ** -random.below(9), 2 ** -random.below(9)];
    const hasCodes = type in packers;
    // Scales may be negative where there is no minimum.
    const scales = codes(most[0], !hasCodes ? 1 : atMin === undefined ? -most[0] : 0);
    const mins = atMin === undefined ? scales.map(() => 0) : codes(most[1] ?? 1, hasCodes ? 0 : 1);
    for (let i = 0; i < count; i++) {
      const q = random.below(2 ** (lowBits + highBits));
      const bits = lowBits === 8 ? q ^ 128 : q;
      of[lowAt(i)[0]] |= (bits & (2 ** lowBits - 1)) << lowAt(i)[1];
      if (highAt) of[highAt(i)[0]] |= (bits >> lowBits) << highAt(i)[1];
      const g = Math.floor(i / group);
      const number = type.startsWith('IQ4') ? uneven[q] : q - bias;
      values.push(d * scales[g] * number - dmin * mins[g] + 0);
    }
    packers[type]?.(of, scales, mins);
    const halfBits = (power) => (Math.log2(power) + 15) << 10;
    const view = new DataView(of.buffer, of.byteOffset, size);
    view.setUint16(atScale, halfBits(d), true);
    // Where one minimum serves the block, it is added.
    if (atMin) view.setUint16(atMin, halfBits(dmin) | (hasCodes ? 0 : 0x8000), true);
  }
  return { tensor: { type, shape, bytes }, values: Float32Array.from(values) };
}
