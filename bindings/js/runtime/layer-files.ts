import type { Builds } from './builds.js';

/** The builds for layers only, in files beside the JavaScript. The URLs are literal so that bundlers find them. */
export const layerFiles: Builds = {
  simd: () => new URL('./headwise-simd.wasm', import.meta.url),
  'simd-threads': () => new URL('./headwise-simd-threads.wasm', import.meta.url),
  'relaxed-simd': () => new URL('./headwise-relaxed-simd.wasm', import.meta.url),
  'relaxed-simd-threads': () => new URL('./headwise-relaxed-simd-threads.wasm', import.meta.url),
};
