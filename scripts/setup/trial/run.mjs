// Instantiates the trial module as bindings/init.ts does, and looks for what the bundler relies on.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param {string} reason */
function refuse(reason) {
  console.error(`error: ${reason.split('\n')[0]}`);
  process.exit(1);
}

// The bundler defines it, too.
globalThis.GenericWireTypeSize = 8;
try {
  const [glue, wasm] = process.argv.slice(2).map((file) => path.resolve(file));
  const text = readFileSync(glue, 'utf8');
  const module = new WebAssembly.Module(readFileSync(wasm));
  const { default: createCore } = await import(pathToFileURL(glue).href);
  const core = createCore({
    wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: 65536 }),
    instantiateWasm(imports, success) {
      const instance = new WebAssembly.Instance(module, imports);
      success(instance, module);
      return instance.exports;
    },
  });
  if (typeof core.then === 'function') refuse('its glue returns a promise where a module belongs');
  const result = core.multiplyAdd(2, 3, 4);
  if (result !== 20) refuse(`its module takes 2 · 3 + 4, twice, for ${result}`);
  if (!(core.HEAPF32 instanceof Float32Array)) refuse('its glue shows no memory');
  for (const part of [/wasmImports=\{[^}]*\}/, /wasmExports\["\w+"\]/]) {
    if (!part.test(text)) refuse(`its glue has nothing like ${part.source}`);
  }
} catch (error) {
  refuse(`its module does not start: ${error.message}`);
}
