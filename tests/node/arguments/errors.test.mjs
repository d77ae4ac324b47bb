// The bad calls of tests/data/errors.txt, with the same codes and texts as in tests/native/layer/errors_test.cpp.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';
import { readRecords } from '../lib/records.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

/** Names of parameters, which are spelled alike in both languages. */
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

/** These properties of a record. */
const pick = (record, names) =>
  Object.fromEntries(
    names
      .split(' ')
      .filter((name) => name in record)
      .map((name) => [name, record[name]]),
  );

/** Random numbers of a shape, or undefined. */
const tensorOf = (shape) => shape && Tensor.randn(shape, 1);
const inputsOf = ({ queries, keys, values }) => [queries, keys, values].map(tensorOf);

const stateDictOf = ({ parameter }) =>
  Object.fromEntries(
    parameter.map((line) => {
      const [name, ...shape] = line.split(' ');
      return [name, Tensor.ones(shape.map(Number))];
    }),
  );

const optionsOfLayer =
  'numHiddens numHeads dropout bias outputBias querySize keySize valueSize outputSize outputProjection numKvHeads pooling ' +
  'attentionHiddens projection scale softcap biasKv zeroAttention seed';
function optionsOf(record) {
  const { rotaryBase: base, rotarySize: size } = record;
  const rotary = base === undefined && size === undefined ? undefined : { base, size };
  const defaults = { numHiddens: 8, numHeads: 2, dropout: 0, seed: 7, rotary };
  return { ...defaults, ...pick(record, optionsOfLayer) };
}

/** Numbers of a shape, all of them `number` but for the last. */
function filled(shape, number, last, Kind = Float64Array) {
  const data = new Kind(shape.reduce((product, size) => product * size, 1)).fill(number);
  data[data.length - 1] = last;
  return { data, shape };
}

const validLensOf = ({ validLens: data, validLensShape: shape = [data?.length] }) =>
  data && { data, shape };

/** All mask options. */
function maskOptionsOf(record) {
  const { mask, maskValue = 0, keyMask, keyMaskValue = 0, causal } = record;
  const maskOf = (text, last) => {
    const [kind, ...shape] = text.split(' ');
    const Kind = { boolean: Uint8Array, integer: Int32Array, float: Float32Array }[kind];
    return filled(shape.map(Number), 0, last, Kind);
  };
  return {
    ...pick(record, 'window queryOffset'),
    validLens: validLensOf(record),
    mask: mask && maskOf(mask, maskValue),
    keyMask: keyMask && maskOf(keyMask, keyMaskValue),
    causal: { 'top-left': true, 'bottom-right': 'bottom-right' }[causal],
  };
}

const cacheOptionsOf = (record) => pick(record, 'batchSize maxLength');

/** Makes a call in evaluation mode, and restores the layer's mode. */
function inEvaluation(layer, call) {
  const { training } = layer;
  call(layer.eval());
  if (training) layer.train();
}

/** A call with a cache that holds as much as the record says, of the layer or of another, which must stay as it was. */
function withCache(record, layer, call) {
  // Another layer of the same options whose sizes are known.
  const { querySize = 4, keySize = 4, valueSize = 4, ...options } = optionsOf(record);
  const other = new MultiHeadAttention({ ...options, querySize, keySize, valueSize });
  const owner = record.cache === 'own' ? layer : other;
  const cache = owner.createCache(cacheOptionsOf(record));
  const inputs = [owner.querySize, owner.keySize, owner.valueSize].map((size) =>
    Tensor.randn([record.batchSize, record.held, size], 1),
  );
  inEvaluation(owner, () => owner.forward(...inputs, { cache }));
  try {
    call(cache);
  } finally {
    assert.equal(cache.length, record.held);
  }
}

function forward(record, layer, cache) {
  const [queries, keys = null, values = null] = inputsOf(record);
  const { positions, position = 0 } = record;
  layer.forward(queries, keys, values, {
    ...maskOptionsOf(record),
    headGate: tensorOf(record.headGate),
    cache,
    positions: positions && filled(positions, position, position),
    returnWeights: { heads: record.weightsHeads, queries: record.weightsQueries },
    requiresGrad: record.requiresGrad,
  });
}

/** A backward after what the record says came before. */
function backward(record, layer) {
  const gradOutput = tensorOf(record.gradOutput);
  const inputs = inputsOf(record);
  if (inputs[0]) inEvaluation(layer, () => layer.forward(...inputs, { requiresGrad: true }));
  if (record.done) layer.backward(gradOutput);
  if (record.loaded) layer.loadStateDict(layer.stateDict());
  layer.backward(gradOutput);
}

/** Calls that must leave the layer as it was. */
const layerCalls = {
  forward: (record, layer) =>
    record.cache === undefined
      ? forward(record, layer)
      : withCache(record, layer, (cache) => forward(record, layer, cache)),
  create_cache: (record, layer) => layer.createCache(cacheOptionsOf(record)),
  truncate: (record, layer) => withCache(record, layer, (cache) => cache.truncate(record.length)),
  backward,
  gradients: (_, layer) => layer.gradients(),
  prune_heads: ({ heads }, layer) => layer.pruneHeads(heads),
  state_dict: (_, layer) => layer.stateDict(),
  load_state_dict: (record, layer) => layer.loadStateDict(stateDictOf(record)),
};

const optionsOfTasks =
  'numSymbols length offset numItems numNames numValues numPairs numQuestions minPeriod maxPeriod';
function taskOf(record) {
  const name = camelCase(record.task);
  const Task = headwise[`${name[0].toUpperCase()}${name.slice(1)}Task`];
  return new Task(pick(record, optionsOfTasks));
}

/** Numbers of the shape that the record has beside them. */
const tokensOf = ({ tokens, tokensShape }) => ({
  data: Float64Array.from(tokens),
  shape: tokensShape,
});

const otherCalls = {
  from_state_dict: (record) =>
    MultiHeadAttention.fromStateDict(stateDictOf(record), {
      ...{ numHeads: 2, dropout: 0, seed: 7 },
      ...pick(record, 'numHeads dropout scale softcap zeroAttention seed prefix'),
    }),
  construct: (record) => new MultiHeadAttention(optionsOf(record)),
  construct_rotary: (record) => {
    const { rotaryBase: base, scaling: type } = record;
    const given = pick(record, 'factor originalLength slowTurns fastTurns attentionFactor');
    const rotary = { base, scaling: type && { type, ...given } };
    const ofModel = { vocabularySize: 5, maxLength: 4, numHiddens: 8, numHeads: 2, seed: 7 };
    return new headwise.Transformer({ ...ofModel, positions: 'rotary', rotary });
  },
  masked_softmax: (record) => headwise.maskedSoftmax(tensorOf(record.scores), validLensOf(record)),
  scaled_dot_product_attention: (record) =>
    headwise.scaledDotProductAttention(...inputsOf(record), {
      ...maskOptionsOf(record),
      ...pick(record, 'scale softcap'),
    }),
  additive_attention(record) {
    const [W_q, W_k, w_v] = [record.W_q, record.W_k, record.w_v].map(tensorOf);
    headwise.additiveAttention(...inputsOf(record), { W_q, W_k, w_v }, maskOptionsOf(record));
  },
  transpose_qkv: ({ X, numHeads }) => headwise.transposeQkv(tensorOf(X), numHeads),
  transpose_output: ({ X, numHeads }) => headwise.transposeOutput(tensorOf(X), numHeads),
  split_heads: ({ X, numHeads }) => headwise.splitHeads(tensorOf(X), numHeads),
  positional_encoding: ({ length, numHiddens }) => headwise.positionalEncoding(length, numHiddens),
  construct_task: taskOf,
  task_batch: (record) => taskOf(record).batch(1, record.batchSize, record.first),
  pattern_scores: (record) =>
    headwise.patternScores(Tensor.zeros(record.attentionWeights), { causal: true }),
  induction_scores: (record) =>
    headwise.inductionScores(Tensor.zeros(record.attentionWeights), tokensOf(record)),
  key_scores: (record) =>
    headwise.keyScores(Tensor.zeros(record.attentionWeights), tokensOf(record)),
};

for (const record of readRecords('errors.txt')) {
  const { call, name, code } = record;
  test(`${call}: ${name}`, () => {
    const message = camelCase(record.message);
    if (call in layerCalls) {
      const onLayer = (layer) => layerCalls[call](record, layer);
      assertFailsAndChangesNothing(optionsOf(record), onLayer, code, message);
    } else {
      assertFails(() => otherCalls[call](record), code, message);
    }
  });
}
