// The forward pass against PyTorch: the cases of tests/data/oracle.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { init, scaledDotProductAttention, Tensor } from 'headwise';
import { indexFile, oracleIndex } from '../../data/make_oracle_index.mjs';
import { maxDifference } from '../lib/compare.mjs';
import {
  assertAgrees,
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

/** Checks output, weights and, where the case has them, the heads side by side before W_o. */
function checkLayer(context, oracle, options, inputs, forwardOptions, parameters) {
  const { expected } = oracle;
  parameters ??= oracle.parameters;
  const given = { ...forwardOptions, returnWeights: true };
  withLayer(options, parameters, (layer) => {
    const { output, attentionWeights } = layer.forward(...inputs, given);
    assertAgrees(context, oracle, 'output', output);
    if (expected.attention) assertAgrees(context, oracle, 'attention', attentionWeights);
  });
  if (expected.concat) {
    const { 'W_o.weight': weight, 'W_o.bias': bias, ...others } = parameters;
    assert.ok(weight && Boolean(bias) === Boolean(options.bias));
    withLayer({ ...options, outputProjection: false }, others, (layer) => {
      assertAgrees(context, oracle, 'concat', layer.forward(...inputs, given).output);
    });
  }
}

/** Positions from `begin` up to `end` of (batch, length, size). */
function positions({ data, shape: [batch, length, size] }, begin, end) {
  const part = Tensor.zeros([batch, end - begin, size]);
  for (let b = 0; b < batch; b++) {
    const from = data.subarray((b * length + begin) * size, (b * length + end) * size);
    part.data.set(from, b * (end - begin) * size);
  }
  return part;
}

/** Causal self-attention over x, fed in chunks through a cache. */
function decode(layer, x, chunks) {
  const [batch, length] = x.shape;
  const output = Tensor.zeros([batch, length, layer.outputSize]);
  const cache = layer.createCache({ batchSize: batch, maxLength: length });
  let begin = 0;
  for (const chunk of chunks) {
    const part = positions(x, begin, begin + chunk);
    const result = layer.forward(part, part, part, { causal: true, cache }).output;
    for (let b = 0; b < batch; b++) {
      const rows = result.data
        .subarray(b * chunk * layer.outputSize)
        .subarray(0, chunk * layer.outputSize);
      output.data.set(rows, (b * length + begin) * layer.outputSize);
    }
    begin += chunk;
  }
  cache.dispose();
  return output;
}

/** What each kind of case checks. */
const checks = {
  d2l_mha: (context, oracle) =>
    checkLayer(context, oracle, optionsOf(oracle), inputsOf(oracle), validLensOf(oracle)),

  // PyTorch was given the mask; here dropout draws its own, so only the weights before it agree.
  d2l_mha_dropout_mask(context, oracle) {
    const options = { ...optionsOf(oracle), dropout: oracle.attrs.dropout };
    withLayer(options, oracle.parameters, (layer) => {
      const given = { ...validLensOf(oracle), returnWeights: true };
      const { output, attentionWeights } = layer.train().forward(...inputsOf(oracle), given);
      assertAgrees(context, oracle, 'attention', attentionWeights);
      assert.ok(maxDifference(output.data, oracle.expected.output.data) > 0.01);
    });
  },

  torch_mha(context, oracle) {
    const { query, key, value, attn_mask: torchMask } = oracle.inputs;
    const options = optionsOf(oracle);
    const { numHiddens, numHeads } = options;
    // (batch · heads, queries, keys) there.
    const mask = torchMask && {
      data: torchMask.data,
      shape: [query.shape[0], numHeads, ...torchMask.shape.slice(1)],
    };
    const parameters = fromTorch(oracle.parameters, numHiddens);
    checkLayer(context, oracle, options, [query, key, value], { mask }, parameters);
  },

  sdpa(context, oracle) {
    const { query, key, value } = oracle.inputs;
    const result = scaledDotProductAttention(query, key, value, { returnWeights: true });
    assertAgrees(context, oracle, 'output', result.output);
    assertAgrees(context, oracle, 'attention', result.attentionWeights);
  },

  gqa_mha: (context, oracle) =>
    checkLayer(context, oracle, optionsOf(oracle), selfAttention(oracle)),

  d2l_mha_additive(context, oracle) {
    const options = {
      ...optionsOf(oracle),
      pooling: 'additive',
      attentionHiddens: oracle.attrs.attention_hiddens,
    };
    checkLayer(context, oracle, options, inputsOf(oracle), validLensOf(oracle));
  },

  conv_heads(context, oracle) {
    const options = { ...optionsOf(oracle), projection: 'convolution' };
    checkLayer(context, oracle, options, selfAttention(oracle));
  },

  split_heads(context, oracle) {
    const options = { ...optionsOf(oracle), projection: 'none' };
    checkLayer(context, oracle, options, inputsOf(oracle));
  },

  kv_decode(context, oracle) {
    const options = optionsOf(oracle);
    checkLayer(context, oracle, options, selfAttention(oracle), { causal: true });
    withLayer(options, oracle.parameters, (layer) => {
      for (const chunks of oracle.attrs.chunks) {
        assertAgrees(context, oracle, 'output', decode(layer, oracle.inputs.x, chunks));
      }
    });
  },

  // Heads gated at 0 are as good as removed.
  prune_heads(context, oracle) {
    const { num_heads: numHeads, pruned_heads: pruned } = oracle.attrs;
    const heads = Array.from({ length: numHeads }, (_, head) => head);
    const headGate = heads.map((head) => (pruned.includes(head) ? 0 : 1));
    withLayer(optionsOf(oracle), oracle.parameters, (layer) => {
      const given = { ...validLensOf(oracle), returnWeights: true };
      assertAgrees(
        context,
        oracle,
        'full_output',
        layer.forward(...inputsOf(oracle), given).output,
      );
      const gated = layer.forward(...inputsOf(oracle), { ...given, headGate });
      assertAgrees(context, oracle, 'output', gated.output);
      const kept = gated.attentionWeights
        .toArray()
        .map((sample) => sample.filter((_, head) => headGate[head] === 1));
      const shape = oracle.expect['out.attention_kept'].shape;
      assertAgrees(context, oracle, 'attention_kept', new Tensor(kept.flat(3), shape));

      layer.pruneHeads(pruned);
      const removed = layer.forward(...inputsOf(oracle), given);
      assertAgrees(context, oracle, 'output', removed.output);
      assertAgrees(context, oracle, 'attention_kept', removed.attentionWeights);
      for (const name of ['W_q.weight', 'W_o.weight']) {
        assertAgrees(context, oracle, `pruned.${name}`, layer.stateDict()[name]);
      }
    });
  },

  head_importance(context, oracle) {
    const options = optionsOf(oracle);
    const [batch] = oracle.inputs.queries.shape;
    for (const headGate of [undefined, Tensor.ones([batch, options.numHeads])]) {
      checkLayer(context, oracle, options, inputsOf(oracle), { headGate });
    }
  },
};

test('there is a check for every kind of case, and a case for every check', () => {
  assert.equal(cases.length, 16);
  assert.deepEqual(new Set(cases.map(({ op }) => op)), new Set(Object.keys(checks)));
});

for (const each of cases) {
  test(`${each.name}: the forward pass agrees with PyTorch`, (context) => {
    checks[each.op](context, readCase(each));
  });
}

test('the native tests read the same cases', () => {
  assert.equal(readFileSync(indexFile, 'utf8'), oracleIndex());
});
