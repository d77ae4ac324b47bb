// onnxruntime-node, the native yardstick.
import ort from 'onnxruntime-node';
import { additiveMask } from '../problem.mjs';
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
    prepare: (problem, model) => onnxCall(ort, problem, model, options, additiveMask),
  };
}
