// Gradients against PyTorch's: the cases of tests/data/oracle that have them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, splitHeads, Tensor, transposeOutput } from 'headwise';
import {
  assertAgrees,
  assertGradientAgrees,
  cases,
  fromTorch,
  inputsOf,
  optionsOf,
  readCase,
  selfAttention,
  validLensOf,
  withLayer,
} from '../lib/oracle.mjs';

await init();

/** Gradients of the case's cotangent, by name: `in.` inputs, `param.` parameters. */
function gradientsOf(oracle, options, parameters, inputs, forwardOptions) {
  return withLayer(options, parameters, (layer) => {
    layer.forward(...inputs, { ...forwardOptions, requiresGrad: true });
    const { queries, keys, values, headGate } = layer.backward(oracle.cotangent);
    const own = Object.entries(layer.gradients()).map(([name, tensor]) => [
      `param.${name}`,
      tensor,
    ]);
    return {
      ...{ 'in.queries': queries, 'in.keys': keys, 'in.values': values, headGate },
      ...Object.fromEntries(own),
    };
  });
}

/** Checks every gradient of the case's own names, and that there are some. */
function checkGradients(context, oracle, gradients) {
  const names = Object.keys(oracle.gradients);
  assert.ok(names.length >= 3);
  for (const name of names) {
    assert.ok(gradients[name], name);
    assertGradientAgrees(context, oracle, name, gradients[name]);
  }
}

const concatenated = (tensors) =>
  new Tensor(
    tensors.flatMap(({ data }) => [...data]),
    [tensors.reduce((sum, { shape }) => sum + shape[0], 0), ...tensors[0].shape.slice(1)],
  );

function sum(tensors) {
  const total = Tensor.zeros(tensors[0].shape);
  for (const { data } of tensors) data.forEach((number, i) => (total.data[i] += number));
  return total;
}

function checkLayer(context, oracle, options, inputs, forwardOptions) {
  checkGradients(
    context,
    oracle,
    gradientsOf(oracle, options, oracle.parameters, inputs, forwardOptions),
  );
}

const checks = {
  d2l_mha: (context, oracle) =>
    checkLayer(context, oracle, optionsOf(oracle), inputsOf(oracle), validLensOf(oracle)),

  d2l_mha_additive(context, oracle) {
    const attentionHiddens = oracle.attrs.attention_hiddens;
    const options = { ...optionsOf(oracle), pooling: 'additive', attentionHiddens };
    checkLayer(context, oracle, options, inputsOf(oracle), validLensOf(oracle));
  },

  split_heads: (context, oracle) =>
    checkLayer(context, oracle, { ...optionsOf(oracle), projection: 'none' }, inputsOf(oracle), {}),

  conv_heads(context, oracle) {
    const options = { ...optionsOf(oracle), projection: 'convolution' };
    const gradients = gradientsOf(oracle, options, oracle.parameters, selfAttention(oracle));
    // Each of the three has a gradient of its own.
    const x = sum(['queries', 'keys', 'values'].map((name) => gradients[`in.${name}`]));
    checkGradients(context, oracle, { ...gradients, 'in.x': x });
  },

  torch_mha(context, oracle) {
    const { query, key, value, attn_mask: torchMask } = oracle.inputs;
    const options = optionsOf(oracle);
    const mask = torchMask && {
      data: torchMask.data,
      shape: [query.shape[0], options.numHeads, ...torchMask.shape.slice(1)],
    };
    const parameters = fromTorch(oracle.parameters, options.numHiddens);
    const gradients = gradientsOf(oracle, options, parameters, [query, key, value], { mask });
    const of = (kind) =>
      ['q', 'k', 'v'].map((projection) => gradients[`param.W_${projection}.${kind}`]);
    const [q, k, v] = of('weight');
    const packed =
      'param.in_proj_weight' in oracle.gradients
        ? { 'param.in_proj_weight': concatenated([q, k, v]) }
        : { 'param.q_proj_weight': q, 'param.k_proj_weight': k, 'param.v_proj_weight': v };
    checkGradients(context, oracle, {
      ...packed,
      'in.query': gradients['in.queries'],
      'in.key': gradients['in.keys'],
      'in.value': gradients['in.values'],
      'param.in_proj_bias': concatenated(of('bias')),
      'param.out_proj.weight': gradients['param.W_o.weight'],
      'param.out_proj.bias': gradients['param.W_o.bias'],
    });
  },

  // The layer with projections that change nothing is the pooling function.
  sdpa(context, oracle) {
    const { query, key, value } = oracle.inputs;
    const sideBySide = ({ data, shape: [batch, heads, length, size] }) =>
      transposeOutput(new Tensor(data, [batch * heads, length, size]), heads);
    const identity = (size) =>
      Array.from({ length: size }, (_, i) =>
        Array.from({ length: size }, (_, j) => Number(i === j)),
      );
    const [numHeads, numKvHeads] = [query.shape[1], key.shape[1]];
    const numHiddens = numHeads * query.shape[3];
    const kvWidth = numKvHeads * key.shape[3];
    const gradients = gradientsOf(
      { ...oracle, cotangent: sideBySide(oracle.cotangent) },
      { numHiddens, numHeads, numKvHeads, outputProjection: false },
      {
        'W_q.weight': identity(numHiddens),
        'W_k.weight': identity(kvWidth),
        'W_v.weight': identity(kvWidth),
      },
      [query, key, value].map(sideBySide),
    );
    checkGradients(context, oracle, {
      'in.query': splitHeads(gradients['in.queries'], numHeads),
      'in.key': splitHeads(gradients['in.keys'], numKvHeads),
      'in.value': splitHeads(gradients['in.values'], numKvHeads),
    });
  },

  head_importance(context, oracle) {
    const { cotangent } = oracle.inputs;
    const { numHeads } = optionsOf(oracle);
    const [batch] = oracle.inputs.queries.shape;
    for (const headGate of [undefined, Tensor.ones([numHeads]), Tensor.ones([batch, numHeads])]) {
      const layer = new MultiHeadAttention(optionsOf(oracle));
      layer.loadStateDict(oracle.parameters);
      layer.forward(...inputsOf(oracle), { headGate, requiresGrad: true });
      assertAgrees(context, oracle, 'gate_grad', layer.backward(cotangent).headGate);
      layer.dispose();
    }
  },
};

const withGradients = cases.filter(
  // PyTorch was given the dropout mask; here the layer draws its own.
  ({ op, expect }) =>
    op !== 'd2l_mha_dropout_mask' &&
    Object.keys(expect).some((name) => name.startsWith('grad.') || name === 'out.gate_grad'),
);

test('there is a check for every kind of case with gradients', () => {
  assert.equal(withGradients.length, 10);
  assert.deepEqual(new Set(withGradients.map(({ op }) => op)), new Set(Object.keys(checks)));
});

for (const each of withGradients) {
  test(`${each.name}: gradients agree with PyTorch`, (context) => {
    checks[each.op](context, readCase(each));
  });
}
