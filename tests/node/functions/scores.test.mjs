// What happens to a score on its way to a weight: scale, softcap, masks, softmax, in this order.
import assert from 'node:assert/strict';
import test from 'node:test';
import { additiveAttention, init, scaledDotProductAttention, Tensor } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

// One query and three keys, whose dot products with it are 4, −2 and 1.
const queries = [[[[1]]]];
const keys = [[[[4], [-2], [1]]]];
const values = [
  [
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
  ],
];

const stage = (options, weightsStage) =>
  scaledDotProductAttention(queries, keys, values, {
    ...options,
    weightsStage,
    returnWeights: true,
  }).attentionWeights.data;

const near = (actual, expected, tolerance = 1e-6) =>
  assert.ok(maxDifference(actual, expected) <= tolerance, `${actual} is not near ${expected}`);

test('each stage of the weights, in order', () => {
  const options = { mask: [1000, 0.5, -Infinity], scale: 0.5, softcap: 3 };
  const capped = [2, -1, 0.5].map((s) => 3 * Math.tanh(s / 3));
  near(stage(options, 'raw'), [2, -1, 0.5], 0);
  near(stage(options, 'softcap'), capped);
  // The mask is added to capped scores: it exceeds the cap.
  const masked = stage(options, 'masked');
  near(masked.slice(0, 2), [capped[0] + 1000, capped[1] + 0.5], 1e-4);
  assert.equal(masked[2], -Infinity);
  near(stage(options, 'softmax'), [1, 0, 0], 0);
  near(stage(options), [1, 0, 0], 0);
});

test('softcap comes before the masks: a masked key stays masked, a bias is not capped', () => {
  const exponentials = [Math.tanh(4), Math.tanh(-2) + 2, Math.tanh(1)].map(Math.exp);
  const sum = exponentials.reduce((a, b) => a + b);
  near(
    stage({ mask: [0, 2, 0], scale: 1, softcap: 1 }, 'softmax'),
    exponentials.map((x) => x / sum),
  );
  near(stage({ validLens: [1], scale: 1, softcap: 1 }, 'softmax'), [1, 0, 0], 0);
});

test('without a softcap its stage repeats the scaled scores; 0 is off, as is a huge cap', () => {
  for (const softcap of [undefined, 0, 1e9])
    near(stage({ scale: 1, softcap }, 'softcap'), [4, -2, 1]);
});

test('the stages before the masks are of every key, masked or not', () => {
  for (const masks of [
    { validLens: [1] },
    { validLens: [0] },
    { mask: [false, true, false] },
    { causal: true },
    { window: [0, 1] },
  ]) {
    near(stage({ ...masks, scale: 1 }, 'raw'), [4, -2, 1], 0);
    near(stage({ ...masks, scale: 1 }, 'softcap'), [4, -2, 1], 0);
  }
});

test('an empty row is −∞ after the masks, zero or uniform after the softmax', () => {
  for (const emptyRows of ['zero', 'uniform']) {
    near(stage({ validLens: [0], emptyRows }, 'masked'), [-Infinity, -Infinity, -Infinity], 0);
  }
  near(stage({ validLens: [0] }, 'softmax'), [0, 0, 0], 0);
  near(stage({ validLens: [0], emptyRows: 'uniform' }, 'softmax'), [1 / 3, 1 / 3, 1 / 3], 1e-7);
});

test('scores are divided by the root of the head size, unless a scale says otherwise', () => {
  const Q = Tensor.randn([1, 1, 2, 9], 1);
  const K = Tensor.randn([1, 1, 3, 9], 2);
  const raw = (scale) =>
    scaledDotProductAttention(Q, K, K, { scale, returnWeights: true, weightsStage: 'raw' })
      .attentionWeights.data;
  const plain = raw(1);
  for (const scale of [2, -0.5, 0])
    near(
      raw(scale),
      plain.map((s) => s * scale),
      0,
    );
  near(
    raw(),
    plain.map((s) => s / 3),
  );
});

test('queryOffset puts the queries where they stand in a longer pass', () => {
  const Q = Tensor.randn([1, 1, 7, 4], 1);
  const K = Tensor.randn([1, 1, 9, 4], 2);
  const last = new Tensor(Q.data.slice(16), [1, 1, 3, 4]);
  for (const masks of [
    { causal: true },
    { window: [2, 1] },
    { causal: true, window: [1, Infinity] },
  ]) {
    const whole = scaledDotProductAttention(Q, K, K, masks).output.data;
    const part = scaledDotProductAttention(last, K, K, { ...masks, queryOffset: 4 }).output.data;
    near(part, whole.slice(16));
  }
});

test('scores of additive pooling: w_v · tanh(W_q q + W_k k)', () => {
  const parameters = {
    W_q: [
      [1, 0],
      [0, 2],
    ],
    W_k: [[-1], [0.5]],
    w_v: [[3, -1]],
  };
  const inputs = [[[[0.25, -0.5]]], [[[1], [-2], [0]]], [[[1], [10], [100]]]];
  const scores = [1, -2, 0].map((key) => 3 * Math.tanh(0.25 - key) - Math.tanh(-1 + 0.5 * key));
  const attend = (options) =>
    additiveAttention(...inputs, parameters, { ...options, returnWeights: true });
  near(attend({ weightsStage: 'raw' }).attentionWeights.data, scores);
  const { output, attentionWeights } = attend({ validLens: [2] });
  const a = Math.exp(scores[0]) / (Math.exp(scores[0]) + Math.exp(scores[1]));
  near(attentionWeights.data, [a, 1 - a, 0]);
  near(output.data, [a + 10 * (1 - a)], 1e-5);
});
