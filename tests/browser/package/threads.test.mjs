// Several threads in a browser, with and without cross-origin isolation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, openIsolated, openPlain } from '../lib/package-server.mjs';

const compute = (page, threads) =>
  page.evaluate(async (count) => (await import('/threads.js')).compute(count), threads);

const computeInWorker = (page, threads) => messageOf(page, '/threads-worker.js', threads);

/** Of a page on one thread. */
const expectedSum = async (t) => (await compute(await openPlain(t), 1)).sum;

test('in a page, results on several threads are those on one', async (t) => {
  const sum = await expectedSum(t);
  for (const threads of [1, 2, 5]) {
    const page = await openIsolated(t);
    assert.deepEqual(await compute(page, threads), { threads, sum });
    assert.equal(page.workers().length, threads - 1);
  }
});

test('in a worker, too', async (t) => {
  const sum = await expectedSum(t);
  assert.deepEqual(await computeInWorker(await openIsolated(t), 3), { threads: 3, sum });
});

test('left to itself, init takes the cores of a page that is isolated', async (t) => {
  const page = await openIsolated(t);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const { threads, sum } = await compute(page);
  assert.equal(threads, Math.min(cores, 8));
  assert.equal(sum, await expectedSum(t));
});

test('and one thread of a page or worker that is not', async (t) => {
  const sum = await expectedSum(t);
  const page = await openPlain(t);
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  assert.deepEqual(await compute(page), { threads: 1, sum });
  assert.deepEqual(await computeInWorker(page), { threads: 1, sum });
});

test('asking for threads where there can be none is an error', async (t) => {
  const page = await openPlain(t);
  const error = await page.evaluate(async () => (await import('/threads.js')).errorOf(2));
  assert.equal(error.code, 'unsupported');
  assert.match(error.message, /^threads: expected 1, .*cross-origin isolated.*, got 2$/);
});

test('dispose ends the workers, and init starts them again', async (t) => {
  const page = await openIsolated(t);
  const { sum } = await compute(page, 3);
  for (let i = 0; i < 2; i++) {
    const ended = new Promise((resolve) => {
      page.on('workerdestroyed', () => page.workers().length === 0 && resolve());
    });
    await page.evaluate(async () => (await import('/threads.js')).end());
    await ended;
    assert.deepEqual(await compute(page, 3), { threads: 3, sum });
    assert.equal(page.workers().length, 2);
  }
});
