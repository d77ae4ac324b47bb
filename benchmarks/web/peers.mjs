// Who is measured, and what each can do.
import { inNode, onTheWeb } from './engines/names.mjs';

const ort = (graph) => ({
  module: 'onnxruntime-web',
  packages: ['onnxruntime-web'],
  engines: onTheWeb,
  graph,
  generates: graph !== 'standard',
});

/** Peers that run quantized models only. */
const quantized = { generates: true, readsQuantized: true, onlyQuantized: true };

const ortNative = (graph) => ({
  module: 'onnxruntime-node',
  packages: ['onnxruntime-node'],
  engines: [...inNode, 'native'],
  graph,
  isNative: true,
  generates: graph !== 'standard',
});

const headwise = (settings) => ({
  module: 'headwise',
  packages: [],
  engines: onTheWeb,
  settings,
  isOurs: true,
  trains: true,
  generates: true,
});

/** Another pass of ours, beside the forward, of problems of these kinds. */
const headwisePass = (pass, kinds = ['self', 'cross']) => ({
  ...headwise({ pass }),
  ...{ isPart: true, isOptional: true, kinds },
});

const headwiseNative = (architecture) => ({
  module: 'headwise-native',
  packages: [],
  engines: ['native'],
  settings: { architecture },
  isOurs: true,
  isNative: true,
});

const ceiling = (variant) => ({
  module: 'ceiling',
  packages: [],
  engines: onTheWeb,
  ceiling: variant,
});

/**
 * `graph` names the ONNX model that a peer is given, `format` another kind of model, `isNative`
 * what is compared with native code only, `isOptional` what runs only where it is asked for,
 * `trains` who can take a step of training, `generates` who runs a language model, `readsQuantized`
 * who runs a quantized one, `onlyQuantized` who runs nothing else, `isPart` what is compared with a
 * forward of ours only, of problems of `kinds`.
 */
export const peers = {
  headwise: { ...headwise({}), readsQuantized: true },
  'headwise-simd': { ...headwise({ variant: 'simd' }), isOptional: true },
  'headwise-relaxed-simd': { ...headwise({ variant: 'relaxed-simd' }), isOptional: true },
  'headwise-fresh': { ...headwise({ fresh: true }), isOptional: true },
  'headwise-backward': headwisePass('backward'),
  'headwise-half-pruned': headwisePass('half-pruned'),
  'headwise-last-query': headwisePass('last-query'),
  'headwise-one-head': headwisePass('one-head'),
  'headwise-key-mass': headwisePass('key-mass'),
  'headwise-resident': headwisePass('resident'),
  'headwise-float16': headwisePass('float16', ['self', 'cross', 'cached']),
  'headwise-int8': headwisePass('int8', ['self', 'cross', 'cached']),
  'headwise-int4': headwisePass('int4', ['self', 'cross', 'cached']),
  'headwise-int8-cache': headwisePass('int8-cache', ['cached']),
  'headwise-native-avx512': headwiseNative('avx512'),
  'headwise-native-avx2': headwiseNative('avx2'),
  'headwise-native-sse4_2': headwiseNative('sse4_2'),
  'onnxruntime-web-plain': ort('plain'),
  'onnxruntime-web-fused': ort('fused'),
  'onnxruntime-web-standard': ort('standard'),
  'onnxruntime-web-blocks': { ...ort('blocks'), ...quantized },
  'onnxruntime-web-dynamic': { ...ort('dynamic'), ...quantized },
  wllama: {
    module: 'wllama',
    packages: ['@wllama/wllama'],
    engines: ['node-current', 'chromium'],
    ...quantized,
  },
  tfjs: {
    module: 'tfjs',
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'],
    engines: onTheWeb,
    trains: true,
  },
  jax: {
    module: 'jax',
    packages: ['@jax-js/jax'],
    engines: onTheWeb,
    trains: true,
    generates: true,
  },
  litert: {
    module: 'litert',
    packages: ['@litertjs/core'],
    engines: ['chromium'],
    format: 'tflite',
  },
  'onnxruntime-node-plain': ortNative('plain'),
  'onnxruntime-node-fused': ortNative('fused'),
  'onnxruntime-node-standard': ortNative('standard'),
  'ceiling-simd': ceiling('simd'),
  'ceiling-relaxed-simd': ceiling('relaxed-simd'),
};
