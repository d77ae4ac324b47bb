// onnxruntime-web on its WebAssembly backend.
import * as ort from 'onnxruntime-web';
import { additiveMask } from '../problem.mjs';
import { generation } from './onnx-generation.mjs';
import { onnxCall } from './onnx.mjs';

export function load({ threads }) {
  ort.env.logLevel = 'error';
  ort.env.wasm.numThreads = threads;
  if (typeof window !== 'undefined') {
    ort.env.wasm.wasmPaths = new URL('../node_modules/onnxruntime-web/dist/', import.meta.url).href;
  }
  return {
    about: { threads },
    prepare: (problem, model) => {
      const options = { executionProviders: ['wasm'] };
      return problem.kind === 'generation'
        ? generation(ort, problem, model, options)
        : onnxCall(ort, problem, model, options, additiveMask);
    },
  };
}
