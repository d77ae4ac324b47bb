// What attention weights tell of heads, on weights whose scores are easily told.
import assert from 'node:assert/strict';
import test from 'node:test';
import { inductionScores, init, InductionTask, keyScores, patternScores, Tensor } from 'headwise';
import { assertFails, maxDifference } from '../lib/compare.mjs';

await init();

const range = (count) => [...Array(count).keys()];

/** Causal weights (1, heads, length, length), all on the key that `keyOf` a head tells. */
const pointing = (length, ...keysOf) => [
  keysOf.map((keyOf) =>
    range(length).map((query) => range(length).map((key) => Number(key === keyOf(query)))),
  ),
];

test('patternScores tells each pattern, and which are mixed', () => {
  const weights = pointing(
    5,
    (query) => Math.max(query - 1, 0),
    () => 0,
    (query) => query,
  );
  const uniform = range(5).map((query) =>
    range(5).map((key) => (key <= query ? 1 / (query + 1) : 0)),
  );
  weights[0].push(uniform);
  const scores = patternScores(weights, { causal: true });
  const near = (actual, expected) =>
    assert.ok(maxDifference(Object.values(actual), expected) <= 1e-6, JSON.stringify(actual));
  // Key 0 stands before query 1.
  near(scores[0], [1, 1 / 4, 0, 0]);
  near(scores[1], [1 / 4, 1, 0, 0]);
  near(scores[2], [0, 0, 1, 0]);
  const mean = (1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4;
  near(scores[3], [mean, mean, mean, 1]);
  assert.deepEqual(Object.keys(scores[0]), ['previousToken', 'firstToken', 'diagonal', 'uniform']);
  // Of all five keys, causal weights are less than uniform.
  const relative = [2, 3, 4, 5].map((n) => Math.log(n) / Math.log(5));
  near(patternScores(weights)[3], [mean, mean, mean, relative.reduce((a, b) => a + b) / 4]);
});

test('inductionScores counts what followed every earlier copy', () => {
  const weights = [
    [
      [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0.5, 0.5, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0.25, 0, 0.5, 0.25],
      ],
    ],
  ];
  assert.deepEqual(inductionScores(weights, [[7, 8, 7, 9, 7]]), [(0.5 + 0.75) / 2]);
  assert.deepEqual(inductionScores(weights, [[1, 2, 3, 4, 5]]), [0]);
});

test('keyScores is the mean weight on the right keys', () => {
  const weights = new Tensor(
    [0.5, 0.25, 0.25, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0.5, 0, 1, 0, 1, 0, 0],
    [2, 2, 2, 3],
  );
  const keyed = (...data) => ({ data: Int32Array.from(data), shape: [2, 2] });
  assert.deepEqual(keyScores(weights, keyed(0, -1, -1, 2)), [0.5, 0.5]);
  assert.deepEqual(keyScores(weights, keyed(-1, -1, -1, -1)), [0, 0]);
  assert.deepEqual(keyScores(weights, keyed(1, 1, 2, 1)), [2.75 / 4, 0]);
});

test('weights without a batch axis go with tokens and keys without one', () => {
  const [heads] = pointing(
    4,
    (query) => query,
    (query) => Math.max(query - 1, 0),
  );
  assert.deepEqual(patternScores(heads), patternScores([heads]));
  const sequence = [3, 1, 3, 1];
  assert.deepEqual(inductionScores(heads, sequence), inductionScores([heads], [sequence]));
  assert.deepEqual(keyScores(heads, [0, 1, -1, 2]), keyScores([heads], [[0, 1, -1, 2]]));
  assertFails(
    () => keyScores(heads, [[0, 1, 2, 2]]),
    'invalid-shape',
    'keys: expected (4,), got (1, 4)',
  );
});

test('scores of a task’s own truth are 1', () => {
  const task = new InductionTask({ numSymbols: 9, length: 12, minPeriod: 7, maxPeriod: 9 });
  const { tokens, keys } = task.batch(1, 5);
  const weights = Tensor.zeros([5, 1, 12, 12]);
  keys.data.forEach((key, row) => {
    if (key >= 0) weights.data[row * 12 + key] = 1;
  });
  assert.deepEqual(keyScores(weights, keys), [1]);
  assert.deepEqual(inductionScores(weights, tokens), [1]);
});

test('what is no weights, tokens or option is named', () => {
  const weights = Tensor.zeros([1, 2, 3, 3]);
  const shape = 'attentionWeights: expected (batch, heads, 3, 3), got (3, 3)';
  assertFails(() => patternScores(Tensor.zeros([3, 3])), 'invalid-shape', shape);
  assertFails(() => patternScores(3), 'invalid-type', /^attentionWeights: expected a tensor/);
  assertFails(
    () => patternScores(weights, { causal: 1 }),
    'invalid-option',
    'causal: expected true or false, got 1',
  );
  assertFails(
    () => patternScores(weights, { window: 1 }),
    'unknown-option',
    'options: expected only causal, got window',
  );
  assertFails(
    () => inductionScores(weights, [[0, 0.5, 1]]),
    'invalid-value',
    'tokens: expected integers from 0 to 2147483647, got 0.5',
  );
});
