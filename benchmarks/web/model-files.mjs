// Writes the models that peers are given, and says where in the project they lie.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { ceilingModule } from './ceiling.mjs';
import { ggufModel } from './gguf/model.mjs';
import { modelFor } from './models.mjs';
import { quantizedDecoder } from './onnx/quantized-decoder.mjs';

const folder = 'build/benchmarks';

function write(name, bytes) {
  mkdirSync(fromRoot(folder), { recursive: true });
  writeFileSync(fromRoot(folder, name), bytes);
  return `${folder}/${name}`;
}

/** All problems with weights of this type share one file. */
function quantizedModel({ graph, readsQuantized }, problem) {
  const { weightType } = problem;
  if (!readsQuantized) return undefined;
  if (!graph) return { model: { gguf: write(`large-${weightType}.gguf`, ggufModel(problem)) } };
  const bytes = quantizedDecoder(graph, problem);
  return bytes && { model: { any: write(`large-${weightType}.${graph}.onnx`, bytes) } };
}

/** What to open a session with, or undefined if the peer cannot do the problem. */
export async function modelFilesFor(peer, shapeName, problem) {
  if (problem.weightType) return quantizedModel(peer, problem);
  if (peer.ceiling) {
    return { model: write(`ceiling-${peer.ceiling}.wasm`, await ceilingModule(peer.ceiling)) };
  }
  return modelFor(peer, problem, (part, bytes) =>
    write(`${shapeName}-${part}.${peer.graph ? `${peer.graph}.onnx` : peer.format}`, bytes),
  );
}
