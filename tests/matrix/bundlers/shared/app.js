// What each application does: the toy example when it is asked for, the whole suite when models are, too. Nothing is
// said of where headwise's files are.
import { dispose, init, MultiHeadAttention, Tensor } from 'headwise';
import { example } from './example.js';
import { suite } from './suite.js';

/** What init chose, and the attention weights. */
async function toy(options) {
  const { variant, threads } = await init(options);
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
  const X = Tensor.ones([2, 4, 100]);
  const Y = Tensor.ones([2, 6, 100]);
  const result = attention.forward(X, Y, Y, { validLens: [3, 2], returnWeights: true });
  attention.dispose();
  return { variant, threads, weights: [...result.attentionWeights.data] };
}

/** All that the package has, which is imported when it is asked for. */
const all = async (cases, options) => suite(await import('headwise/models'), cases, options);

/** The toy example's weights by the asynchronous interface, or by the package that needs no file. */
async function alsoBy(
  { dispose: end, init: start, MultiHeadAttention: Layer, Tensor: T },
  options,
) {
  const { variant, threads } = await start(options);
  const attention = await new Layer({ numHiddens: 100, numHeads: 5 });
  const Y = T.ones([2, 6, 100]);
  const given = { validLens: [3, 2], returnWeights: true };
  const result = await attention.forward(T.ones([2, 4, 100]), Y, Y, given);
  end();
  return { variant, threads, weights: [...result.attentionWeights.data] };
}
const inWorker = async (options) => alsoBy(await import('headwise/worker'), options);
const inline = async () => alsoBy(await import('headwise/inline'));

/** Where the test finds it. */
export function expose() {
  window.headwise = { all, dispose, example, init, inline, inWorker, toy };
}
