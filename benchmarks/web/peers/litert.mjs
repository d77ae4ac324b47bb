// LiteRT.js on its WebAssembly backend (XNNPACK), in a page. A call makes tensors of the inputs,
// runs the model and copies the result out.
import { loadAndCompile, loadLiteRt, Tensor } from '@litertjs/core';
import { additiveMask } from '../problem.mjs';

const wasm = new URL('../node_modules/@litertjs/core/wasm/', import.meta.url).href;

export async function load({ threads }) {
  await loadLiteRt(wasm, { threads: threads > 1 });
  return {
    about: { threads },
    async prepare(problem, bytes) {
      const model = await loadAndCompile(bytes, {
        accelerator: 'wasm',
        cpuOptions: { numThreads: threads },
      });
      const given = inputs(problem);
      return async () => {
        const tensors = given.map(([data, shape]) => new Tensor(data, shape));
        const [result] = await model.run(tensors);
        const output = result.toTypedArray();
        for (const tensor of [...tensors, result]) tensor.delete();
        return output;
      };
    },
  };
}

function inputs(problem) {
  const { kind, batch, queries, keys, numHiddens, validLens, data } = problem;
  const mask = (shape) => [additiveMask(problem, 1), shape];
  if (kind === 'softmax') {
    return [[data.scores, [batch, queries, keys]], mask([batch, 1, keys])];
  }
  return [
    [data.queries, [batch * queries, numHiddens]],
    ...(kind === 'cross' ? [[data.keys, [batch * keys, numHiddens]]] : []),
    ...(validLens ? [mask([batch, 1, 1, keys])] : []),
  ];
}
