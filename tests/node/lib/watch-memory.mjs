// Finds the WebAssembly memory of what is loaded while it watches. The package does not show its
// memory, so tests look over its shoulder. Depends on nothing: benchmarks use it, too.

const isMemory = (value) => value instanceof WebAssembly.Memory;

/** A module's memory is among its exports, or, where threads share it, among its imports. */
const memoryOf = (instance, imports = {}) =>
  [instance.exports, ...Object.values(imports)]
    .flatMap((each) => Object.values(each))
    .find(isMemory);

/** Runs `load` and gives the memory of the first WebAssembly instance that it makes. */
export async function memoryOfWhatLoads(load) {
  const { Instance } = WebAssembly;
  let memory;
  WebAssembly.Instance = function (module, imports) {
    const instance = new Instance(module, imports);
    memory ??= memoryOf(instance, imports);
    return instance;
  };
  try {
    await load();
  } finally {
    WebAssembly.Instance = Instance;
  }
  if (memory === undefined) throw new Error('no WebAssembly memory was seen');
  return memory;
}

/** How far memory was ever written to. Memory itself grows in steps larger than what is needed. */
export function usedBytes(memory) {
  const words = new Uint32Array(memory.buffer);
  return 4 * (words.findLastIndex((word) => word !== 0) + 1);
}

/**
 * What two forwards of a new layer take, with `requiresGrad` a backward after each, each told after
 * it: bytes of memory and bytes in use. For a process in which headwise is not initialized yet.
 */
export async function memoryOfForwards(
  headwise,
  { length, numHiddens, numHeads, threads, ...options },
) {
  const memory = await memoryOfWhatLoads(() => headwise.init({ threads }));
  const layer = new headwise.MultiHeadAttention({ numHiddens, numHeads, seed: 1 });
  const data = Float32Array.from({ length: length * numHiddens }, (_, i) => Math.sin(i));
  const X = { data, shape: [1, length, numHiddens] };
  return [1, 2].map(() => {
    const { output } = layer.forward(X, X, X, options);
    if (options.requiresGrad) layer.backward(output);
    return { bytes: memory.buffer.byteLength, used: usedBytes(memory) };
  });
}
