// A worker without a document that has a worker of its own: addresses are relative to this one's, not to that of the other.
import { dispose, init } from './headwise/in-worker.js';

const told = await init({ wasm: 'headwise/headwise-models-simd.wasm', threads: 1 }).then(
  ({ variant }) => variant,
  ({ name, code, message }) => `${name} ${code} ${message}`,
);
dispose();
postMessage(told);
