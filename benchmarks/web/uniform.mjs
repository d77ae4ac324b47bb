/** Numbers from -1 to 1 that depend on the seed alone (mulberry32). */
export function uniform(length, seed, scale = 1) {
  const numbers = new Float32Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    numbers[i] = scale * (((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1);
  }
  return numbers;
}
