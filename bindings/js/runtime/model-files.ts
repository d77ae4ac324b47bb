import type { Builds } from './builds.js';

/** The builds with models, in files beside the JavaScript. */
export const modelFiles: Builds = {
  simd: () => new URL('./headwise-models-simd.wasm', import.meta.url),
  'simd-threads': () => new URL('./headwise-models-simd-threads.wasm', import.meta.url),
  'relaxed-simd': () => new URL('./headwise-models-relaxed-simd.wasm', import.meta.url),
  'relaxed-simd-threads': () =>
    new URL('./headwise-models-relaxed-simd-threads.wasm', import.meta.url),
};
