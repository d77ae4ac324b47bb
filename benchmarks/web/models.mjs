// Writes what peers are given as files, and says where in the project they lie.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { ceilingModule } from './ceiling.mjs';
import { onnxModels } from './onnx/graphs.mjs';
import { tfliteModel } from './tflite/graphs.mjs';

const folder = 'build/benchmarks';

function write(name, bytes) {
  mkdirSync(fromRoot(folder), { recursive: true });
  writeFileSync(fromRoot(folder, name), bytes);
  return `${folder}/${name}`;
}

/** What to open a session with; undefined where the peer cannot do the problem. */
export async function modelFor(peer, shapeName, problem) {
  if (peer.ceiling) {
    return { model: write(`ceiling-${peer.ceiling}.wasm`, await ceilingModule(peer.ceiling)) };
  }
  if (problem.kind.endsWith('training') && !peer.trains) return undefined;
  if (problem.kind === 'generation' && !peer.generates) return undefined;
  if (peer.isPart && !peer.kinds.includes(problem.kind)) return undefined;
  if (peer.format === 'tflite') {
    return { model: write(`${shapeName}.tflite`, tfliteModel(problem)) };
  }
  if (!peer.graph) return {};
  const models = onnxModels(peer.graph, problem);
  if (!models) return undefined;
  const paths = Object.entries(models).map(([name, bytes]) => {
    const part = name === 'layer' ? '' : `-${name}`;
    return [name, write(`${shapeName}-${peer.graph}${part}.onnx`, bytes)];
  });
  return { model: 'layer' in models ? paths[0][1] : Object.fromEntries(paths) };
}
