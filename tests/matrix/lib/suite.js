// What the package computes alike in every runtime and in every bundler's page. Plain JavaScript without imports, so
// that it runs wherever the package does.

function errorOf(run) {
  try {
    run();
    return null;
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

/** Outputs, weights and gradients of a layer, and what a layer loaded from its file computes. */
function computeLayer({ loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor }) {
  const sizes = { numHiddens: 100, numHeads: 5, querySize: 100, keySize: 100, valueSize: 100 };
  const layer = new MultiHeadAttention({ ...sizes, seed: 1 });
  const X = Tensor.randn([2, 4, 100], 2);
  const Y = Tensor.randn([2, 6, 100], 3);
  const options = { validLens: [3, 2], returnWeights: true, requiresGrad: true };
  const { output, attentionWeights } = layer.forward(X, Y, Y, options);
  const { queries } = layer.backward(output);
  const { tensors } = loadSafetensors(saveSafetensors(layer.stateDict()));
  const copy = MultiHeadAttention.fromStateDict(tensors, { numHeads: 5 });
  const loaded = copy.forward(X, Y, Y, options).output;
  const bad = Tensor.ones([2, 4, 64]);
  const errors = {
    shape: errorOf(() => layer.forward(bad, bad, bad)),
    option: errorOf(() => new MultiHeadAttention({ numHiddens: 100, numHeads: 7 })),
  };
  layer.dispose();
  copy.dispose();
  const results = { output, attentionWeights, queries, loaded };
  return {
    errors,
    numbers: Object.fromEntries(
      Object.entries(results).map(([name, { data }]) => [name, [...data]]),
    ),
  };
}

/** The losses of some training steps, and a greedy continuation. */
async function learn({ AttentionOnlyTransformer }) {
  const sizes = { vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2, seed: 1 };
  const model = new AttentionOnlyTransformer(sizes);
  model.learningRate = 0.05;
  const losses = Array.from({ length: 12 }, () => model.trainStep([[0, 1, 2, 3]], [[1, 2, 3, 4]]));
  const generated = await model.generate([0], { maxNewTokens: 4 });
  model.dispose();
  return { losses, generated };
}

/** Large enough for several threads, which must all give the same to the bit. */
function outputOnThreads({ MultiHeadAttention, Tensor }) {
  const layer = new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 });
  const input = Tensor.randn([2, 128, 128], 1);
  const { data } = layer.forward(input, input, input).output;
  layer.dispose();
  return data;
}

/**
 * Calls the package and gives plain data, which judge.mjs compares.
 *
 * @param {Record<string, any>} headwise the namespace of `headwise/models`
 * @param {object} [options] those of `init`
 */
export async function suite(headwise, options) {
  const loaded = await headwise.init(options);
  const layer = computeLayer(headwise);
  const models = await learn(headwise);
  const shared = outputOnThreads(headwise);
  const { variant, threads } = loaded;
  headwise.dispose();
  const alone = outputOnThreads(headwise);
  const sameOnOneThread = shared.every((number, i) => Object.is(number, alone[i]));
  return { variant, threads, sameOnOneThread, ...layer, ...models };
}
