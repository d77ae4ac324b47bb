// The same bad calls as in tests/native/errors_test.cpp, with the same codes and texts.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing, assertRejects } from '../lib/compare.mjs';
import { modelCalls, promisingCalls } from '../lib/model-error-calls.mjs';
import {
  maskOptionsOf,
  optionsOf,
  positionsOf,
  readRecords,
  validLensOf,
} from '../lib/records.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

/** Spelled alike in both languages: PyTorch's and d2l's names of parameters. */
const parameters = [
  ...['bias_k', 'bias_v', 'w_v', 'in_proj_weight', 'in_proj_bias', 'k_proj_weight', 'out_proj'],
  ...['q_norm', 'c_attn', 'c_proj', 'self_attn', 'masked_bias'],
];

/** words_like_this become wordsLikeThis; W_q and its kin stay as they are. */
const camelCase = (text) =>
  text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (words) =>
    parameters.includes(words)
      ? words
      : words.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
  );

/** Random numbers of the record's shape, or undefined if it has none of this name. */
function tensorOf(record, name) {
  const shape = record.numbers(name);
  return shape && Tensor.randn(shape, 1);
}

const inputsOf = (record) => ['queries', 'keys', 'values'].map((name) => tensorOf(record, name));

function stateDictOf(record) {
  const dict = record.all('parameter').map((line) => {
    const [name, ...shape] = line.split(' ');
    return [name, Tensor.ones(shape.map(Number))];
  });
  return Object.fromEntries(dict);
}

const poolingOptionsOf = (record) => ({
  ...maskOptionsOf(record),
  queryOffset: record.number('query_offset'),
});

const cacheOptionsOf = (record) => ({
  batchSize: record.number('batch_size'),
  maxLength: record.number('max_length'),
});

/** The layer's cache with as many positions in it as the record says. The layer stays as it was. */
function filledCache(record, layer) {
  const options = cacheOptionsOf(record);
  const cache = layer.createCache(options);
  const inputs = [layer.querySize, layer.keySize, layer.valueSize].map((size) =>
    Tensor.randn([options.batchSize, record.number('held'), size], 1),
  );
  const { training } = layer;
  layer.eval().forward(...inputs, { cache });
  if (training) layer.train();
  return cache;
}

/** Another layer of the same options whose sizes are known. */
function otherLayer(record) {
  const { querySize = 4, keySize = 4, valueSize = 4, ...options } = optionsOf(record);
  return new MultiHeadAttention({ ...options, querySize, keySize, valueSize });
}

/** A call with a filled cache, of the layer or of another, that must leave the cache as it was. */
function withCache(record, layer, call) {
  const other = otherLayer(record);
  const cache = filledCache(record, record.text('cache') === 'own' ? layer : other);
  try {
    call(cache);
  } finally {
    assert.equal(cache.length, record.number('held'));
    cache.dispose();
    other.dispose();
  }
}

function forward(record, layer, cache) {
  const [queries, keys = null, values = null] = inputsOf(record);
  layer.forward(queries, keys, values, {
    ...maskOptionsOf(record),
    headGate: tensorOf(record, 'head_gate'),
    cache,
    positions: positionsOf(record),
    returnWeights: {
      heads: record.numbers('weights_heads'),
      queries: record.numbers('weights_queries'),
    },
    requiresGrad: record.number('requires_grad') === 1,
  });
}

/** A backward after what the record says came before. The layer stays as it was. */
function backward(record, layer) {
  const gradOutput = tensorOf(record, 'grad_output');
  const inputs = inputsOf(record);
  if (inputs[0]) {
    const { training } = layer;
    layer.eval().forward(...inputs, { requiresGrad: true });
    if (training) layer.train();
  }
  if (record.number('done')) layer.backward(gradOutput);
  if (record.number('loaded')) layer.loadStateDict(layer.stateDict());
  layer.backward(gradOutput);
}

const layerCalls = {
  forward: (record, layer) =>
    record.text('cache') === undefined
      ? forward(record, layer)
      : withCache(record, layer, (cache) => forward(record, layer, cache)),
  create_cache: (record, layer) => layer.createCache(cacheOptionsOf(record)),
  truncate: (record, layer) =>
    withCache(record, layer, (cache) => cache.truncate(record.number('length'))),
  backward,
  gradients: (record, layer) => layer.gradients(),
  prune_heads: (record, layer) => layer.pruneHeads(record.numbers('heads')),
  state_dict: (record, layer) => layer.stateDict(),
  load_state_dict: (record, layer) => layer.loadStateDict(stateDictOf(record)),
};

/** A call of one of the functions that take X and a number of heads. */
const headsCall = (name) => (record) =>
  headwise[name](tensorOf(record, 'X'), record.number('num_heads'));

function fromStateDict(record) {
  const { numHeads, dropout, scale, softcap, zeroAttention, seed } = optionsOf(record);
  const options = { numHeads, dropout, scale, softcap, zeroAttention, seed };
  MultiHeadAttention.fromStateDict(stateDictOf(record), {
    ...options,
    prefix: record.text('prefix'),
  });
}

const otherCalls = {
  from_state_dict: fromStateDict,
  construct: (record) => new MultiHeadAttention(optionsOf(record)),
  masked_softmax: (record) =>
    headwise.maskedSoftmax(tensorOf(record, 'scores'), validLensOf(record)),
  scaled_dot_product_attention: (record) =>
    headwise.scaledDotProductAttention(...inputsOf(record), {
      ...poolingOptionsOf(record),
      scale: record.number('scale'),
      softcap: record.number('softcap'),
    }),
  additive_attention: (record) => {
    const [W_q, W_k, w_v] = ['W_q', 'W_k', 'w_v'].map((name) => tensorOf(record, name));
    headwise.additiveAttention(...inputsOf(record), { W_q, W_k, w_v }, poolingOptionsOf(record));
  },
  transpose_qkv: headsCall('transposeQkv'),
  transpose_output: headsCall('transposeOutput'),
  split_heads: headsCall('splitHeads'),
  positional_encoding: (record) =>
    headwise.positionalEncoding(record.number('length'), record.number('num_hiddens')),
};

for (const record of readRecords('errors.txt')) {
  test(`${record.text('call')}: ${record.text('name')}`, async () => {
    const name = record.text('call');
    const code = record.text('code');
    const message = camelCase(record.text('message'));
    if (name in layerCalls) {
      const call = (layer) => layerCalls[name](record, layer);
      assertFailsAndChangesNothing(optionsOf(record), call, code, message);
    } else if (name in promisingCalls) {
      await assertRejects(() => promisingCalls[name](record), code, message);
    } else {
      assertFails(() => (otherCalls[name] ?? modelCalls[name])(record), code, message);
    }
  });
}
