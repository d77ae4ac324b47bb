// How init finds and compiles its file, and what it does where workers or memory cannot be had.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, openIsolated, openPlain } from '../lib/package-server.mjs';

/** What init answers or rejects with in a page, call by call; all are made at once. */
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

test('the file compiles while it loads', async (t) => {
  const page = await openPlain(t);
  await page.evaluate(() => {
    window.streamed = 0;
    const { compileStreaming } = WebAssembly;
    WebAssembly.compileStreaming = (response) => {
      window.streamed++;
      return compileStreaming(response);
    };
  });
  assert.deepEqual(await answers(page, {}), [1]);
  assert.equal(await page.evaluate(() => window.streamed), 1);
});

test('and once it is there, where the engine does not stream', async (t) => {
  const page = await openPlain(t);
  await page.evaluate(() => {
    delete WebAssembly.compileStreaming;
  });
  assert.deepEqual(await answers(page, {}), [1]);
});

test('an address as text is relative to the page', async (t) => {
  const page = await openPlain(t);
  assert.deepEqual(await answers(page, { wasm: 'headwise/headwise-simd.wasm' }), [1]);
});

test('and to the base that the page names', async (t) => {
  const page = await openPlain(t);
  await page.evaluate(() => {
    const base = document.createElement('base');
    base.href = '/headwise/';
    document.head.append(base);
  });
  assert.deepEqual(await answers(page, { wasm: 'headwise-simd.wasm' }), [1]);
});

test('a text that is no address is an error', async (t) => {
  const expected =
    /^HeadwiseError load-failed wasm: expected a URL, a path, bytes or a WebAssembly\.Module, got "http:\/\/\[": .*Invalid URL/;
  const page = await openPlain(t);
  const [here] = await answers(page, { wasm: 'http://[' });
  assert.match(here, expected);
  const told = await page.evaluate(async () => {
    const { init } = await import('/headwise/in-worker.js');
    return init({ wasm: 'http://[' }).catch(
      ({ name, code, message }) => `${name} ${code} ${message}`,
    );
  });
  assert.equal(told, here);
});

test('headwise/worker in a worker: an address is relative to that worker', async (t) => {
  const page = await openPlain(t);
  assert.equal(await messageOf(page, '/worker-in-worker.js'), 'simd');
});

test('a compiled module is taken', async (t) => {
  const page = await openPlain(t);
  const threads = await page.evaluate(async () => {
    const { init } = await import('/headwise/index.js');
    const wasm = await WebAssembly.compileStreaming(fetch('/headwise/headwise-simd.wasm'));
    return (await init({ wasm })).threads;
  });
  assert.equal(threads, 1);
});

test('a process that a bundler lends the page is not taken for that of Node', async (t) => {
  const page = await openIsolated(t);
  await page.evaluate(() => {
    window.process = { env: {}, browser: true, versions: {}, nextTick: setTimeout };
  });
  assert.deepEqual(await answers(page, { threads: 3 }), [3]);
  assert.equal(page.workers().length, 2);
});

test('automatic threads are there when init says so', async (t) => {
  const page = await openIsolated(t);
  const [threads, again] = await answers(page, {}, { threads: 'auto' });
  assert.ok(threads >= 1);
  assert.equal(again, threads);
  assert.equal(page.workers().length, threads - 1);
});

const failed = /^HeadwiseError load-failed threads: expected workers of worker\.js, got /;
const failures = {
  'that are refused': () => {
    window.Worker = class {
      constructor() {
        throw new DOMException('refused', 'SecurityError');
      }
    };
  },
  'that break': () => {
    const { Worker } = window;
    window.Worker = class extends Worker {
      constructor() {
        super('/broken-worker.js', { type: 'module' });
      }
    };
  },
};
for (const [name, fail] of Object.entries(failures)) {
  test(`with workers ${name}, automatic is one thread and a number is an error`, async (t) => {
    const page = await openIsolated(t);
    await page.evaluate(() => Object.assign(window, { IntactWorker: window.Worker }));
    await page.evaluate(fail);
    const [first, second, auto] = await answers(page, { threads: 3 }, { threads: 3 }, {});
    assert.match(first, failed);
    assert.match(second, failed);
    assert.equal(auto, 1);
    await page.evaluate(() => {
      window.Worker = window.IntactWorker;
    });
    assert.deepEqual(await answers(page, { threads: 3 }), [3]);
  });
}

/** As a device with little address space does. */
const refuseMemory = (page, most) =>
  page.evaluate((mostPages) => {
    const { Memory } = WebAssembly;
    WebAssembly.Memory = class extends Memory {
      constructor(options) {
        if (options.maximum > (options.shared ? mostPages.shared : mostPages.alone)) {
          throw new RangeError('could not allocate memory');
        }
        super(options);
      }
    };
  }, most);

test('where 4 GB cannot be shared, less is', async (t) => {
  const page = await openIsolated(t);
  await refuseMemory(page, { shared: 8192, alone: 0 });
  assert.deepEqual(await answers(page, { threads: 2 }), [2]);
});

test('where none can, automatic is one thread and a number is an error', async (t) => {
  const page = await openIsolated(t);
  await refuseMemory(page, { shared: 0, alone: 16384 });
  const [two, auto] = await answers(page, { threads: 2 }, {});
  assert.match(
    two,
    /^HeadwiseError load-failed threads: expected 1, .*, got 2 \(could not allocate/,
  );
  assert.equal(auto, 1);
});
