// Who is measured, and what each can do.
const everywhere = ['node', 'node-current', 'chromium'];
const inNode = ['node', 'node-current'];

const ort = (graph) => ({
  module: 'onnxruntime-web',
  packages: ['onnxruntime-web'],
  engines: everywhere,
  graph,
});

const ortNative = (graph) => ({
  module: 'onnxruntime-node',
  packages: ['onnxruntime-node'],
  engines: inNode,
  graph,
  isNative: true,
});

const headwise = (settings) => ({
  module: 'headwise',
  packages: [],
  engines: everywhere,
  settings,
  isOurs: true,
});

const ceiling = (variant) => ({
  module: 'ceiling',
  packages: [],
  engines: everywhere,
  ceiling: variant,
});

/**
 * `graph` names the ONNX model that a peer is given, `format` another kind of model, `isNative` what is shown beside the others and not
 * counted among them, `isOptional` what runs only where it is asked for.
 */
export const peers = {
  headwise: headwise({}),
  'headwise-simd': { ...headwise({ variant: 'simd' }), isOptional: true },
  'headwise-relaxed-simd': { ...headwise({ variant: 'relaxed-simd' }), isOptional: true },
  'headwise-fresh': { ...headwise({ fresh: true }), isOptional: true },
  'onnxruntime-web-plain': ort('plain'),
  'onnxruntime-web-fused': ort('fused'),
  'onnxruntime-web-standard': ort('standard'),
  tfjs: {
    module: 'tfjs',
    packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'],
    engines: everywhere,
  },
  jax: { module: 'jax', packages: ['@jax-js/jax'], engines: everywhere },
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
