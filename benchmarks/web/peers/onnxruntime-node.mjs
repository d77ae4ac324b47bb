// onnxruntime-node, the native yardstick.
import ort from 'onnxruntime-node';
import { additiveMask } from '../problem.mjs';
import { generation } from './onnx-generation.mjs';
import { onnxCall } from './onnx.mjs';

export function load({ threads }) {
  const options = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  };
  return {
    about: { threads },
    prepare: (problem, model) =>
      problem.kind === 'generation'
        ? generation(ort, problem, model, options)
        : onnxCall(ort, problem, model, options, additiveMask),
  };
}
