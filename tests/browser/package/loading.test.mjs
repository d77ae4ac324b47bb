// The package as it is published, without a bundler, in pages and workers: how init loads it, and its threads.
// tests/matrix/pages.test.mjs has the number of threads by default.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, openIsolated, openPlain } from '../lib/package-server.mjs';
import { until } from '../lib/until.mjs';

/** What init resolves with or rejects with in a page, call by call; all calls are made at once. */
const answers = (page, ...calls) =>
  page.evaluate(async (given) => {
    const { init } = await import('/headwise/index.js');
    return Promise.all(
      given.map((options) =>
        init(options).then(
          ({ threads }) => threads,
          ({ name, code, message }) => `${name} ${code} ${message}`,
        ),
      ),
    );
  }, calls);

/** What init finds in a page, and what it takes for its file. */
const sources = {
  'compiles the file while it loads': [
    () => {
      const { compileStreaming } = WebAssembly;
      WebAssembly.compileStreaming = (response) => {
        window.isStreamed = true;
        return compileStreaming(response);
      };
    },
    {},
    () => window.isStreamed,
  ],
  'takes an address relative to the page': [() => {}, { wasm: 'headwise/headwise-simd.wasm' }],
  'takes an address relative to the base that the page names': [
    () => {
      const base = document.createElement('base');
      base.href = '/headwise/';
      document.head.append(base);
    },
    { wasm: 'headwise-simd.wasm' },
  ],
};
for (const [name, [prepare, options, check = () => true]] of Object.entries(sources)) {
  test(`init ${name}`, async (t) => {
    const page = await openPlain(t);
    await page.evaluate(prepare);
    assert.deepEqual(await answers(page, options), [1]);
    assert.ok(await page.evaluate(check));
  });
}

test('init reports text that is no address, also headwise/worker’s', async (t) => {
  const page = await openPlain(t);
  const [invalid] = await answers(page, { wasm: 'http://[' });
  assert.match(
    invalid,
    /^HeadwiseError load-failed wasm: expected a URL, a path, bytes or a WebAssembly\.Module, got "http:\/\/\[": .*Invalid URL/,
  );
  const ofProxy = await page.evaluate(async () => {
    const { init } = await import('/headwise/in-worker.js');
    return init({ wasm: 'http://[' }).catch(
      ({ name, code, message }) => `${name} ${code} ${message}`,
    );
  });
  assert.equal(ofProxy, invalid);
});

test('headwise/worker in a worker takes an address relative to that worker', async (t) => {
  const page = await openPlain(t);
  assert.equal(await messageOf(page, '/worker-in-worker.js'), 'simd');
});

const compute = (page, threads) =>
  page.evaluate(async (count) => (await import('/threads.js')).compute(count), threads);
const computeInWorker = (page, threads) => messageOf(page, '/threads-worker.js', threads);

test('several threads give the results of one, in a page and in a worker, also after dispose', async (t) => {
  // Not isolated: one thread, and more are an error.
  const plain = await openPlain(t);
  assert.equal(await plain.evaluate(() => crossOriginIsolated), false);
  const error = await plain.evaluate(async () => (await import('/threads.js')).errorOf(2));
  assert.equal(error.code, 'unsupported');
  assert.match(error.message, /^threads: expected 1, .*cross-origin isolated.*, got 2$/);
  const { threads, sum } = await compute(plain);
  assert.equal(threads, 1);
  assert.deepEqual(await computeInWorker(plain), { threads: 1, sum });

  assert.deepEqual(await computeInWorker(await openIsolated(t), 3), { threads: 3, sum });
  for (const count of [1, 2, 5]) {
    const page = await openIsolated(t);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await compute(page, count), { threads: count, sum });
      assert.equal(page.workers().length, count - 1);
      await page.evaluate(async () => (await import('/threads.js')).end());
      await until(() => page.workers().length === 0, 'workers go on after dispose');
    }
  }
});

test('where workers break, automatic is one thread and a number is an error', async (t) => {
  const page = await openIsolated(t);
  await page.evaluate(() => {
    window.IntactWorker = window.Worker;
    window.Worker = class extends Worker {
      constructor() {
        super('/broken-worker.js', { type: 'module' });
      }
    };
  });
  const [first, second, auto] = await answers(page, { threads: 3 }, { threads: 3 }, {});
  for (const told of [first, second]) {
    assert.match(told, /^HeadwiseError load-failed threads: expected workers of worker\.js, got /);
  }
  assert.equal(auto, 1);
  await page.evaluate(() => (window.Worker = window.IntactWorker));
  assert.deepEqual(await answers(page, { threads: 3 }), [3]);
});
