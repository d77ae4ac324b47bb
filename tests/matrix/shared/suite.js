// What every runtime and every bundler's page is to do alike, given the package as its users import it. Plain
// JavaScript without an import and without Node's modules, so that it runs wherever the package does.

/**
 * @typedef {object} Case A case of tests/data/oracle, see its README.
 * @property {string} name
 * @property {string} op
 * @property {Record<string, unknown>} attrs
 * @property {Record<string, { atol: number }>} expect
 * @property {Uint8Array | string} bytes of the safetensors file; a text is base64, which JSON takes
 */

const bytesOf = ({ bytes }) =>
  typeof bytes === 'string' ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) : bytes;

/** The tensors whose names begin so, by the rest of their names. */
const startingWith = (tensors, prefix) =>
  Object.fromEntries(
    Object.keys(tensors)
      .filter((name) => name.startsWith(prefix))
      .map((name) => [name.slice(prefix.length), tensors[name]]),
  );

const sizesOf = ({ attrs }) => ({
  numHiddens: attrs.num_hiddens ?? attrs.embed_dim ?? attrs.out_channels,
  numHeads: attrs.num_heads,
  numKvHeads: attrs.num_kv_heads,
  bias: attrs.bias,
});

const threeOf = ({ x, queries = x, keys = x, values = x }) => [queries, keys, values];

/** By a case's `op`: the layer's options beside its sizes. */
const layers = {
  d2l_mha: () => ({}),
  gqa_mha: () => ({}),
  conv_heads: () => ({ projection: 'convolution' }),
  split_heads: () => ({ projection: 'none' }),
  d2l_mha_additive: ({ attrs }) => ({
    ...{ pooling: 'additive', attentionHiddens: attrs.attention_hiddens },
  }),
};

function compute({ MultiHeadAttention, scaledDotProductAttention }, oracle, tensors) {
  const inputs = startingWith(tensors, 'in.');
  const returnWeights = true;
  if (oracle.op === 'sdpa') {
    const { query, key, value } = inputs;
    return scaledDotProductAttention(query, key, value, { returnWeights });
  }
  const layer = new MultiHeadAttention({ ...sizesOf(oracle), ...layers[oracle.op](oracle) });
  layer.loadStateDict(startingWith(tensors, 'param.'));
  const result = layer.forward(...threeOf(inputs), { validLens: inputs.valid_lens, returnWeights });
  layer.dispose();
  return result;
}

const largestDifference = (actual, expected) =>
  // Of NaN no comparison would tell.
  actual.length === expected.length && actual.every(Number.isFinite)
    ? actual.reduce((most, number, i) => Math.max(most, Math.abs(number - expected[i])), 0)
    : null;

/** How far the forward pass is from PyTorch's: `difference` null for another size, or for what is no number. */
function runCase(headwise, oracle) {
  const { tensors } = headwise.loadSafetensors(bytesOf(oracle));
  const { output, attentionWeights } = compute(headwise, oracle, tensors);
  return Object.entries({ output, attention: attentionWeights })
    .filter(([name]) => `out.${name}` in tensors)
    .map(([name, { data }]) => ({
      ...{ case: oracle.name, tensor: name, atol: oracle.expect[`out.${name}`].atol },
      difference: largestDifference([...data], tensors[`out.${name}`].data),
    }));
}

/** The losses of some steps, and a greedy continuation. */
async function learn({ AttentionOnlyTransformer }) {
  const model = new AttentionOnlyTransformer({
    ...{ vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2, seed: 1 },
  });
  model.learningRate = 0.05;
  const losses = Array.from({ length: 12 }, () => model.trainStep([[0, 1, 2, 3]], [[1, 2, 3, 4]]));
  const generated = await model.generate([0], { maxNewTokens: 4 });
  model.dispose();
  return { losses, generated };
}

/** Large enough for several threads, of which all give the same to the bit. */
function outputOnThreads({ MultiHeadAttention, Tensor }) {
  const layer = new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 });
  const input = Tensor.randn([2, 128, 128], 1);
  const { data } = layer.forward(input, input, input).output;
  layer.dispose();
  return data;
}

function errorOf(run) {
  try {
    run();
    return null;
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

/**
 * Calls the package; the namespace is that of `headwise/models`, which has all names. Gives plain data for the test to
 * judge, as judge.mjs does.
 *
 * @param {Record<string, any>} headwise
 * @param {Case[]} cases
 * @param {object} [options] those of `init`
 */
export async function suite(headwise, cases, options) {
  const { dispose, init, MultiHeadAttention, Tensor } = headwise;
  const loaded = await init(options);
  const loads = { variant: loaded.variant, threads: loaded.threads };
  const oracle = cases.flatMap((each) => runCase(headwise, each));
  const models = await learn(headwise);
  const shared = outputOnThreads(headwise);
  // Where threads were to start with the first large call, it is known only now.
  const count = loaded.threads;
  dispose();
  const alone = outputOnThreads(headwise);
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
  const bad = Tensor.ones([2, 4, 64]);
  layer.forward(Tensor.ones([2, 4, 100]), Tensor.ones([2, 4, 100]), Tensor.ones([2, 4, 100]));
  const errors = {
    shape: errorOf(() => layer.forward(bad, bad, bad)),
    option: errorOf(() => new MultiHeadAttention({ numHiddens: 100, numHeads: 7 })),
  };
  layer.dispose();
  return {
    ...{ loads, oracle, models, errors },
    threads: { count, sameAsOne: shared.every((number, i) => Object.is(number, alone[i])) },
  };
}
