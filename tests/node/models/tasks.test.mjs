// Tasks: what they ask, and what does not fit. Their numbers are held in golden-models.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails } from '../lib/compare.mjs';

const { init, AssociativeRecallTask, CopyTask, InductionTask, ReverseTask, SortTask } = headwise;

await init();

const rowsOf = ({ data, shape: [batch, length] }) =>
  Array.from({ length: batch }, (_, i) => [...data.subarray(i * length, (i + 1) * length)]);

const tasks = [
  ['CopyTask', new CopyTask({ numSymbols: 5, length: 7 }), 5, 7],
  ['CopyTask, further back', new CopyTask({ numSymbols: 5, length: 7, offset: 6 }), 5, 7],
  ['ReverseTask', new ReverseTask({ numSymbols: 3, numItems: 5 }), 4, 10],
  ['SortTask', new SortTask({ numSymbols: 6, numItems: 6 }), 7, 12],
  [
    'AssociativeRecallTask',
    new AssociativeRecallTask({ numNames: 4, numValues: 3, numPairs: 3, numQuestions: 2 }),
    ...[7, 8],
  ],
  [
    'InductionTask',
    new InductionTask({ numSymbols: 9, length: 12, minPeriod: 3, maxPeriod: 9 }),
    ...[9, 12],
  ],
];

for (const [name, task, vocabularySize, length] of tasks) {
  test(`${name}: each question has its answer at its key, which a causal model sees`, () => {
    assert.equal(task.vocabularySize, vocabularySize);
    assert.equal(task.length, length);
    const batch = task.batch(3, 50);
    const [tokens, targets, keys] = [batch.tokens, batch.targets, batch.keys].map(rowsOf);
    for (const { data, shape } of Object.values(batch)) {
      assert.ok(data instanceof Int32Array);
      assert.deepEqual(shape, [50, length]);
    }
    let asked = 0;
    tokens.forEach((row, b) => {
      row.forEach((token, i) => {
        assert.ok(token >= 0 && token < vocabularySize);
        const key = keys[b][i];
        assert.equal(targets[b][i] === -1, key === -1);
        if (key === -1) return;
        asked++;
        assert.ok(key <= i);
        assert.equal(targets[b][i], row[key]);
      });
    });
    assert.ok(asked >= 50);
  });

  test(`${name}: a batch is a range of sequences of a seed`, () => {
    const [all, tail] = [task.batch(3, 5), task.batch(3, 3, 2)];
    for (const part of ['tokens', 'targets', 'keys']) {
      assert.deepEqual(rowsOf(tail[part]), rowsOf(all[part]).slice(2));
    }
    assert.notDeepEqual(task.batch(4, 5), all);
    assert.notDeepEqual(task.batch(3 + 2 ** 32, 5), all);
    assert.notDeepEqual(task.batch(3, 5, 2 ** 32), all);
    assert.deepEqual(task.batch(3, 0).tokens.shape, [0, length]);
  });
}

test('items are said backwards, and in order', () => {
  const [reversed] = rowsOf(tasks[2][1].batch(1, 1).targets);
  const [tokens] = rowsOf(tasks[2][1].batch(1, 1).tokens);
  assert.deepEqual(reversed.slice(5), tokens.slice(0, 5).reverse());
  const [sorted] = rowsOf(tasks[3][1].batch(1, 1).targets);
  assert.deepEqual(sorted.slice(6), [0, 1, 2, 3, 4, 5]);
});

test('options that are no sizes, and unknown ones, are errors', () => {
  const fails = (call, name) =>
    assertFails(call, 'invalid-option', new RegExp(`^${name}: expected an integer from`));
  for (const bad of [null, 1.5, NaN, '3', 3n, [3]]) {
    fails(() => new CopyTask({ numSymbols: bad, length: 3 }), 'numSymbols');
    fails(() => new CopyTask({ numSymbols: 3, length: bad }), 'length');
    fails(() => new CopyTask({ numSymbols: 3, length: 3, offset: bad }), 'offset');
    fails(() => new SortTask({ numSymbols: 3, numItems: bad }), 'numItems');
    const recall = { numNames: 3, numValues: 3, numPairs: 3 };
    fails(() => new AssociativeRecallTask({ ...recall, numQuestions: bad }), 'numQuestions');
    fails(() => tasks[0][1].batch(bad, 1), 'seed');
    fails(() => tasks[0][1].batch(1, bad), 'batchSize');
    fails(() => tasks[0][1].batch(1, 1, bad), 'first');
  }
  fails(() => tasks[0][1].batch(-1, 1), 'seed');
  fails(() => new CopyTask(), 'numSymbols');
  assertFails(
    () => new InductionTask({ numSymbols: 3, length: 3, period: 1 }),
    'unknown-option',
    'options: expected only numSymbols, length, minPeriod, maxPeriod, got period',
  );
  assertFails(() => new CopyTask(3), 'invalid-type', 'options: expected an object, got 3');
  assertFails(
    () => tasks[0][1].batch(1, 2 ** 40),
    'out-of-memory',
    'memory: not enough for tensors of these sizes',
  );
});
