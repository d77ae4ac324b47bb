// The package's modules for bundlers import Node's; its scripts run in a page as they are.
const packages = new URL('../node_modules/@tensorflow', import.meta.url).href;

/** Gradients are in the whole package only. */
export async function loadTensorFlow(trains) {
  await import(`${packages}/${trains ? 'tfjs/dist/tf' : 'tfjs-core/dist/tf-core'}.min.js`);
  await import(`${packages}/tfjs-backend-wasm/dist/tf-backend-wasm.min.js`);
  globalThis.tf.wasm.setWasmPaths(`${packages}/tfjs-backend-wasm/dist/`);
  return { tf: globalThis.tf, wasm: globalThis.tf.wasm };
}
