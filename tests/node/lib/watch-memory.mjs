// Finds the WebAssembly memory of the package, which does not export it. Has no dependencies: benchmarks use it, too.

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

/** The end of the last bytes that were written. Memory itself grows in larger steps. */
export function usedBytes(memory) {
  const words = new Uint32Array(memory.buffer);
  return 4 * (words.findLastIndex((word) => word !== 0) + 1);
}

/**
 * Bytes of memory and bytes in use after each of two forwards of a new layer, with `requiresGrad` each
 * with a backward. For a process in which headwise is not initialized yet.
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
