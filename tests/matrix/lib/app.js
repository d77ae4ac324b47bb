// What each application does when its test asks for it. Nothing says where headwise's files are.
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { example } from './example.js';
import { suite } from './suite.js';

/** What init chose, and attention weights, by the layer of an entry; that of headwise/worker gives promises. */
async function toyBy(entry, options) {
  const { variant, threads } = await entry.init(options);
  const attention = await new entry.MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
  const X = entry.Tensor.ones([2, 4, 100]);
  const Y = entry.Tensor.ones([2, 6, 100]);
  const given = { validLens: [3, 2], returnWeights: true };
  const { attentionWeights } = await attention.forward(X, Y, Y, given);
  return { variant, threads, weights: [...attentionWeights.data] };
}

const toy = (options) => toyBy({ init, MultiHeadAttention, Tensor }, options);
const inWorker = async (options) => toyBy(await import('headwise/worker'), options);
const inline = async () => toyBy(await import('headwise/inline'));
const all = async (options) => suite(await import('headwise/models'), options);

/** Puts it where the test finds it. */
export function expose() {
  window.headwise = { all, example, init, inline, inWorker, toy };
}
