// Gradients are in the whole package only, which costs more to load than the core.
export async function loadTensorFlow(trains) {
  const tf = await import(trains ? '@tensorflow/tfjs' : '@tensorflow/tfjs-core');
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  return { tf, wasm };
}
