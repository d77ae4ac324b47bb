// Batches of tasks. layer/calls.test.mjs checks their numbers, arguments/options.test.mjs the options of tasks.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CopyTask, init } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();

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
  assertFails(
    () => task.batch(1, 2 ** 40),
    'out-of-memory',
    'memory: not enough for tensors of these sizes',
  );
});
