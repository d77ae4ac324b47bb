// Tasks that cannot be. calls.test.mjs checks their batches.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails } from '../lib/compare.mjs';

const { init, AssociativeRecallTask, CopyTask, InductionTask, SortTask } = headwise;

await init();

const task = new CopyTask({ numSymbols: 5, length: 7 });

test('a batch is of integers of 32 bits, and may be empty', () => {
  for (const { data, shape } of Object.values(task.batch(3, 2))) {
    assert.ok(data instanceof Int32Array);
    assert.deepEqual(shape, [2, 7]);
  }
  assert.deepEqual(task.batch(3, 0).tokens.shape, [0, 7]);
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
    fails(() => task.batch(bad, 1), 'seed');
    fails(() => task.batch(1, bad), 'batchSize');
    fails(() => task.batch(1, 1, bad), 'first');
  }
  fails(() => task.batch(-1, 1), 'seed');
  fails(() => new CopyTask(), 'numSymbols');
  assertFails(
    () => new InductionTask({ numSymbols: 3, length: 3, period: 1 }),
    'unknown-option',
    'options: expected only numSymbols, length, minPeriod, maxPeriod, got period',
  );
  assertFails(() => new CopyTask(3), 'invalid-type', 'options: expected an object, got 3');
  assertFails(
    () => task.batch(1, 2 ** 40),
    'out-of-memory',
    'memory: not enough for tensors of these sizes',
  );
});
