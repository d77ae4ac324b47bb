// Instantiates the trial module as bindings/js/runtime/core.ts does.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param {string} reason */
function refuse(reason) {
  console.error(`error: ${reason.split('\n')[0]}`);
  process.exit(1);
}

try {
  const [glue, wasm] = process.argv.slice(2).map((file) => path.resolve(file));
  const module = new WebAssembly.Module(readFileSync(wasm));
  const { default: createModule } = await import(pathToFileURL(glue).href);
  const made = createModule({
    wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: 65536 }),
    instantiateWasm: (imports, ready) => ready(new WebAssembly.Instance(module, imports)),
  });
  if (typeof made.then === 'function') refuse('its glue returns a promise where a module belongs');
  const result = made.multiplyAdd(2, 3, 4);
  if (result !== 20) refuse(`its module takes 2 · 3 + 4, twice, for ${result}`);
  if (made.multiplyAdd(2, -3, 4) !== -1) refuse('its module does not catch what it throws');
  if (!(made.HEAPF32 instanceof Float32Array)) refuse('its glue shows no memory');
} catch (error) {
  refuse(`its module does not start: ${error.message}`);
}
