// The package as it is shipped, without a bundler, in a page and in a worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, openPlain as open } from '../lib/package-server.mjs';

function assertIsToyExample({ variant, outputShape, weightsShape, weights }) {
  assert.equal(variant, 'relaxed-simd');
  assert.deepEqual(outputShape, [2, 4, 100]);
  assert.deepEqual(weightsShape, [2, 5, 4, 6]);
  const third = Math.fround(1 / 3);
  const rowsOfSample = (row) => Array.from({ length: 5 * 4 }, () => row).flat();
  assert.deepEqual(weights, [
    ...rowsOfSample([third, third, third, 0, 0, 0]),
    ...rowsOfSample([0.5, 0.5, 0, 0, 0, 0]),
  ]);
}

test('the toy example in a page', async (t) => {
  const page = await open(t);
  const result = await page.evaluate(async () => {
    const { toy } = await import('/toy.js');
    return toy();
  });
  assertIsToyExample(result);
});

test('the toy example in a worker', async (t) => {
  const page = await open(t);
  assertIsToyExample(await messageOf(page, '/worker.js'));
});
