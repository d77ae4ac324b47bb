import './web-worker.mjs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** As data: a browser's `fetch` reads no files. */
export async function wasmAddress() {
  const path = fileURLToPath(import.meta.resolve('@wllama/wllama/esm/wasm/wllama.wasm'));
  return `data:application/wasm;base64,${await readFile(path, 'base64')}`;
}
