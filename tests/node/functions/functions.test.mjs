// Forms and sizes of functions and tasks that layer/calls.test.mjs does not try. arguments/options.test.mjs has the
// options of tasks.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails } from '../lib/compare.mjs';

const { CopyTask, inductionScores, init, keyScores, maskedSoftmax, patternScores } = headwise;
const { positionalEncoding, splitHeads, Tensor, transposeOutput, transposeQkv } = headwise;

await init();

test('maskedSoftmax may write in place', () => {
  const scores = Tensor.randn([1, 2, 3], 1);
  const expected = maskedSoftmax(scores);
  assert.equal(maskedSoftmax(scores, undefined, { out: scores }).data, scores.data);
  assert.deepEqual(scores, expected);
});

test('maskedSoftmax of more numbers than one chunk', () => {
  const [batch, length] = [9, 129];
  const size = length * length;
  const scores = Tensor.randn([batch, length, length], 1);
  const byQuery = Array.from({ length: batch }, (_, b) =>
    Array.from({ length }, (_, i) => (7 * b + i) % (length + 1)),
  );
  const lengths = { none: undefined, bySample: byQuery.map((lens) => lens[40]), byQuery };
  for (const [name, validLens] of Object.entries(lengths)) {
    const weights = maskedSoftmax(scores, validLens);
    for (let b = 0; b < batch; b++) {
      const own = new Tensor(scores.data.slice(b * size, (b + 1) * size), [1, length, length]);
      const alone = maskedSoftmax(own, validLens && [validLens[b]]);
      assert.deepEqual(weights.data.slice(b * size, (b + 1) * size), alone.data, `${name} ${b}`);
    }
    // The result may overwrite scores that are read later.
    const memory = new Float32Array(scores.data.length + size);
    memory.set(scores.data);
    const moved = new Tensor(memory.subarray(0, scores.data.length), scores.shape);
    const out = memory.subarray(size);
    assert.deepEqual(maskedSoftmax(moved, validLens, { out }).data, weights.data, name);
  }
});

test('empty inputs give empty results', () => {
  assert.deepEqual(transposeQkv(Tensor.zeros([2, 0, 4]), 2).shape, [4, 0, 2]);
  assert.deepEqual(transposeOutput(Tensor.zeros([0, 2, 2]), 2).shape, [0, 2, 4]);
  assert.deepEqual(splitHeads(Tensor.zeros([0, 3, 4]), 2).shape, [0, 2, 3, 2]);
  assert.deepEqual(positionalEncoding(0, 4).shape, [0, 4]);
});

test('scores of heads take weights without a batch axis, and errors name the argument', () => {
  const heads = [
    [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0.5, 0, 0.5, 0],
      [0, 0.25, 0.75, 0],
    ],
  ];
  const tokens = [3, 1, 3, 1];
  assert.deepEqual(patternScores(heads), patternScores([heads]));
  assert.deepEqual(inductionScores(heads, tokens), inductionScores([heads], [tokens]));
  assert.deepEqual(inductionScores(heads, tokens), [(0 + 0.75) / 2]);
  assert.deepEqual(keyScores(heads, [0, 1, -1, 2]), keyScores([heads], [[0, 1, -1, 2]]));
  const names = ['previousToken', 'firstToken', 'diagonal', 'uniform'];
  assert.deepEqual(Object.keys(patternScores(heads)[0]), names);
  assertFails(() => patternScores(3), 'invalid-type', /^attentionWeights: expected a tensor/);
  const causal = () => patternScores(heads, { causal: 1 });
  assertFails(causal, 'invalid-option', 'causal: expected true or false, got 1');
  const halves = () => inductionScores(heads, [0, 0.5, 1, 1]);
  assertFails(halves, 'invalid-value', 'tokens: expected integers from 0 to 2147483647, got 0.5');
});

const task = new CopyTask({ numSymbols: 5, length: 7 });

test('a batch has integers of 32 bits, and may be empty', () => {
  for (const { data, shape } of Object.values(task.batch(3, 2))) {
    assert.ok(data instanceof Int32Array);
    assert.deepEqual(shape, [2, 7]);
  }
  assert.deepEqual(task.batch(3, 0).tokens.shape, [0, 7]);
});

test('a bad seed, batch size or first sequence is an error', () => {
  const fails = (call, name) =>
    assertFails(call, 'invalid-option', new RegExp(`^${name}: expected an integer from`));
  for (const bad of [null, 1.5, NaN, '3', 3n, [3], -1]) {
    fails(() => task.batch(bad, 1), 'seed');
    fails(() => task.batch(1, bad), 'batchSize');
    fails(() => task.batch(1, 1, bad), 'first');
  }
});
