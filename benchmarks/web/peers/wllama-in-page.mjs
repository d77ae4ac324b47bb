export const wasmAddress = () =>
  new URL('../node_modules/@wllama/wllama/esm/wasm/wllama.wasm', import.meta.url).href;
