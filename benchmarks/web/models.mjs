// The models that peers are given.
import { onnxModels } from './onnx/graphs.mjs';
import { tfliteModel } from './tflite/graphs.mjs';

function modelsOf({ format, graph }, problem) {
  if (format === 'tflite') return { layer: tfliteModel(problem) };
  return graph ? onnxModels(graph, problem) : {};
}

/**
 * What to open a session with, or undefined if the peer cannot do the problem. `place` takes the name
 * and the bytes of a model and returns the address where the session finds it.
 */
export function modelFor(peer, problem, place) {
  if (problem.kind.endsWith('training') && !peer.trains) return undefined;
  if (problem.kind === 'generation' && !peer.generates) return undefined;
  if (peer.onlyQuantized) return undefined;
  if (peer.isPart && !peer.kinds.includes(problem.kind)) return undefined;
  const models = modelsOf(peer, problem);
  if (!models) return undefined;
  const placed = Object.entries(models).map(([name, bytes]) => [name, place(name, bytes)]);
  if (placed.length === 0) return {};
  return { model: 'layer' in models ? placed[0][1] : Object.fromEntries(placed) };
}
