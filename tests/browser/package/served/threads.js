// Work for several threads, run in a page or a worker. The package lies beside this file.
import * as headwise from './headwise/index.js';

const { MultiHeadAttention, Tensor, dispose, init } = headwise;

/** What init chose, and the bits of a result as one number. */
export async function compute(threads) {
  const chosen = await init(threads === undefined ? undefined : { threads });
  const attention = new MultiHeadAttention({ numHiddens: 96, numHeads: 6, seed: 1 });
  const X = Tensor.randn([1, 400, 96], 1);
  const { data } = attention.forward(X, X, X, { causal: true }).output;
  attention.dispose();
  let sum = 0;
  for (const bits of new Int32Array(data.buffer)) sum = (Math.imul(sum, 31) + bits) | 0;
  return { threads: chosen.threads, sum };
}

/** The error of asking for so many threads, or null. */
export const errorOf = (threads) =>
  init({ threads }).then(
    () => null,
    ({ code, message }) => ({ code, message }),
  );

export const end = () => dispose();
