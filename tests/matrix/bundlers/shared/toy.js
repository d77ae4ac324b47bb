// The toy example, as an application has it: nothing is said of where headwise's files are.
import { dispose, init, MultiHeadAttention, Tensor } from 'headwise';

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

/** What init then chose, and the loss of a step of a model, which is imported when it is asked for. */
async function train() {
  const { AttentionOnlyTransformer, init: sameInit } = await import('headwise/models');
  const { variant, threads } = await sameInit();
  const model = new AttentionOnlyTransformer({
    ...{ vocabularySize: 5, maxLength: 4, numHiddens: 8, numHeads: 2 },
  });
  const loss = model.trainStep([[0, 1, 2, 3]], [[1, 2, 3, 4]]);
  model.dispose();
  return { variant, threads, hasLearnt: loss > 0 };
}

/** Where the test finds it. */
export function expose() {
  window.headwise = { dispose, init, toy, train };
}
