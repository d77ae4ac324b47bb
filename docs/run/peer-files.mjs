// The files of npm packages that the benchmark's page loads for each module of benchmarks/web/peers.
export const peerFiles = {
  headwise: [],
  'onnxruntime-web': [
    'onnxruntime-web/dist/ort.wasm.min.mjs',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.mjs',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.wasm',
  ],
  litert: [
    '@litertjs/core/dist/index.js',
    '@litertjs/wasm-utils/dist/index.js',
    '@litertjs/core/wasm/litert_wasm_internal.js',
    '@litertjs/core/wasm/litert_wasm_internal.wasm',
  ],
  tfjs: [
    '@tensorflow/tfjs/dist/tf.min.js',
    '@tensorflow/tfjs-core/dist/tf-core.min.js',
    '@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js',
    '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
  ],
  jax: [
    '@jax-js/jax/dist/index.js',
    '@jax-js/jax/dist/backend-CnjgxpXq.js',
    '@jax-js/jax/dist/rolldown-runtime-D7D4PA-g.js',
  ],
};
