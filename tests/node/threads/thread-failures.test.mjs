// Threads that cannot start, and memory that cannot be allocated.
import { inNewProcess as runInNewProcess } from '../lib/in-new-process.mjs';

const before = `
  const own = process.getBuiltinModule('node:worker_threads');
  process.getBuiltinModule('node:os').availableParallelism = () => 3;
  const NodeWorker = own.Worker;
  /** Workers that are ready and have not ended. */
  let serving = 0;
  /** Workers that were started and have not ended. */
  let alive = 0;
  const useWorkers = (Base = NodeWorker) => {
    own.Worker = class extends Base {
      constructor(...args) {
        super(...args);
        alive++;
        this.once('exit', () => alive--);
        this.once('message', () => {
          serving++;
          this.once('exit', () => serving--);
        });
      }
    };
  };
  useWorkers();
  const program = (text) => new URL('data:text/javascript,' + text);
  /** Replacements of a worker that works. */
  const failures = {
    refused: class extends NodeWorker { constructor() { throw new Error('refused'); } },
    broken: class extends NodeWorker { constructor() { super(program('throw new Error("broken")')); } },
    gone: class extends NodeWorker { constructor() { super(program('process.exit(3)')); } },
    silent: class extends NodeWorker { constructor() { super(program('setInterval(() => undefined, 1000)')); } },
    // Every other worker starts.
    alone: class extends NodeWorker {
      static count = 0;
      constructor(file, options) {
        super(failures.alone.count++ % 2 === 0 ? file : program('throw new Error("alone")'), options);
      }
    },
  };
  /** Waits for the condition; fails after five minutes. */
  const until = async (isSo) => {
    const end = performance.now() + 300_000;
    while (!isSo()) {
      assert.ok(performance.now() < end, 'not so after five minutes: ' + isSo);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  /** So many workers remain: those of an init that failed end by themselves. */
  const onlyServe = async (count) => {
    assert.ok(serving >= count, serving + ' of ' + count);
    await until(() => serving === count && alive === count);
  };
  const noWorkers = (promise) =>
    fails(promise, 'load-failed', /^threads: expected workers of worker.js, got (refused|broken|alone|a worker that ended with 3)$/);
`;

const inNewProcess = (name, text, flags) => runInNewProcess(name, text, { before, flags });

for (const failure of ['refused', 'broken', 'gone', 'alone']) {
  inNewProcess(
    `init fails if requested threads cannot start: ${failure}`,
    `
    useWorkers(failures.${failure});
    for (let i = 0; i < 3; i++) {
      const calls = [init({ threads: 3 }), init({ threads: 3 }), init()];
      const [first, second, auto] = await Promise.allSettled(calls);
      for (const { reason } of [first, second]) await noWorkers(Promise.reject(reason));
      assert.equal(auto.value.threads, 1);
    }
    await noWorkers(init({ threads: 4 }));
    assert.equal((await init()).threads, 1);
    const alone = forward(300);
    useWorkers();
    assert.equal((await init({ threads: 3 })).threads, 3);
    await onlyServe(2);
    assert.deepEqual(forward(300), alone);
    `,
  );

  inNewProcess(
    `automatic threads that cannot start are reported as one: ${failure}`,
    `
    useWorkers(failures.${failure});
    const told = await init();
    forward();
    const alone = forward(2000);
    await until(() => told.threads === 1);
    assert.deepEqual(forward(2000), alone);
    assert.equal((await init()).threads, 1);
    useWorkers();
    assert.equal((await init()).threads, 3);
    await onlyServe(2);
    assert.deepEqual(forward(2000), alone);
    `,
  );
}

inNewProcess(
  'workers that never answer are waited for until a signal, dispose or init({ threads: 1 })',
  `
  useWorkers(failures.silent);
  const [controller, reason] = [new AbortController(), new Error('enough')];
  const { signal } = controller;
  const [first, second, aborted] = [{}, {}, { signal }].map((more) => init({ threads: 3, ...more }));
  const auto = init();
  await fails(init({ threads: 2 }), 'unsupported', /^threads: expected 3, for which it is loaded, got 2$/);
  controller.abort(reason);
  for (const each of [aborted, init({ threads: 3, signal })]) {
    await assert.rejects(each, (error) => error === reason);
  }
  dispose();
  for (const each of [first, second, auto]) assert.equal((await each).threads, 1);
  const alone = forward(300);
  const replaced = init({ threads: 3 });
  assert.equal((await init({ threads: 1 })).threads, 1);
  await fails(replaced, 'load-failed', /^threads: expected workers of worker.js, got init\\(\\{ threads: 1 \\}\\)$/);
  assert.deepEqual(forward(300), alone);
  `,
);

const hastyTimers = `
  const wait = setTimeout;
  globalThis.setTimeout = (action, time) => wait(action, time === 20_000 ? 10 : time);
`;
inNewProcess(
  'an automatic number of threads waits for a while, and takes those that come later',
  `
  useWorkers(failures.silent);
  const three = init({ threads: 3 });
  assert.equal((await init()).threads, 3);
  forward(300);
  dispose();
  assert.equal((await three).threads, 1);
  `,
  // Before the package is loaded, which keeps the timers that it finds.
  [`--import=data:text/javascript,${encodeURIComponent(hastyTimers)}`],
);

inNewProcess(
  'a file that never comes is waited for until a signal',
  `
  const server = process.getBuiltinModule('node:http').createServer(() => undefined);
  await new Promise((resolve) => server.listen(0, resolve));
  const wasm = 'http://localhost:' + server.address().port;
  const late = init({ wasm, signal: AbortSignal.timeout(50) });
  const next = init({ threads: 1 });
  await assert.rejects(late, { name: 'TimeoutError' });
  assert.equal((await next).threads, 1);
  server.closeAllConnections();
  server.close();
  await assert.rejects(init({ signal: 5 }), { code: 'invalid-type', message: 'signal: expected an AbortSignal, got 5' });
  `,
);

inNewProcess(
  'concurrent calls each wait for the workers',
  `
  const there = await Promise.all(
    [{ threads: 3 }, { threads: 3 }, undefined, { threads: 'auto' }].map(async (options) => {
      const { threads } = await init(options);
      return [threads, serving];
    }),
  );
  assert.deepEqual(there, [[3, 2], [3, 2], [3, 2], [3, 2]]);
  `,
);

inNewProcess(
  'requesting the automatic number explicitly starts the workers',
  `
  assert.equal((await init()).threads, 3);
  assert.equal(serving, 0);
  assert.equal((await init({ threads: 3 })).threads, 3);
  assert.equal(serving, 2);
  `,
);

inNewProcess(
  'init waits for workers that a large call has started, and keeps the program alive meanwhile',
  `
  await init();
  forward(2000);
  assert.equal((await init()).threads, 3);
  assert.equal(serving, 2);
  `,
);

inNewProcess(
  'the result of init follows dispose, also while workers start',
  `
  const told = await init({ threads: 3 });
  dispose();
  assert.equal(told.threads, 1);
  await until(() => alive === 0);
  let started = 0;
  useWorkers(class extends NodeWorker {
    constructor(...args) {
      super(...args);
      started++;
    }
  });
  const late = init({ threads: 3 });
  while (started < 2) await undefined;
  dispose();
  assert.equal((await late).threads, 1);
  await until(() => alive === 0);
  assert.equal((await init()).threads, 3);
  forward(2000);
  await init();
  assert.equal(serving, 2);
  `,
);

const fewerRights = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';
inNewProcess(
  'without permission to start workers there is one thread',
  `
  assert.equal((await init()).threads, 1);
  forward(300);
  await fails(init({ threads: 2 }), 'load-failed', /^threads: expected workers of worker.js, got .*(permission|restricted)/i);
  `,
  [fewerRights, '--no-warnings', '--allow-fs-read=*'],
);

/** An engine that allocates so many pages at most, of shared and of other memory. */
const memories = `
  const made = [];
  const refuseMemory = ({ shared: mostShared, alone: mostAlone }) => {
    const { Memory } = WebAssembly;
    WebAssembly.Memory = function ({ shared, maximum, initial }) {
      if (maximum > (shared ? mostShared : mostAlone)) throw new RangeError('could not allocate memory');
      made.push([maximum, shared]);
      return new Memory({ shared, maximum, initial });
    };
    WebAssembly.Memory.prototype = Memory.prototype;
  };
`;

for (const pages of [65536, 16384, 8192]) {
  for (const [shared, alone, asked, threads] of [
    [pages, 0, 2, 2],
    [0, pages, 1, 1],
    [0, pages, 'auto', 1],
  ]) {
    inNewProcess(
      `an engine that has ${pages} pages, ${shared} of them to share, computes on ${threads}: ${asked}`,
      `${memories}
      refuseMemory({ shared: ${shared}, alone: ${alone} });
      assert.equal((await init({ threads: ${JSON.stringify(asked)} })).threads, ${threads});
      assert.deepEqual(made, [[${pages}, ${shared > 0}]]);
      forward(300);
      if (${threads} === 1) {
        await fails(init({ threads: 2 }), 'unsupported', /^threads: expected 1, for which it is loaded, got 2$/);
      }
      `,
    );
  }
}

inNewProcess(
  'threads without memory to share, and no memory at all, are errors after which init may be called again',
  `${memories}
  const { Memory } = WebAssembly;
  refuseMemory({ shared: 8191, alone: 65536 });
  await fails(init({ threads: 2 }), 'load-failed', /^threads: expected 1, as .*share, got 2 \\(could not allocate memory\\)$/);
  refuseMemory({ shared: 0, alone: 8191 });
  for (const threads of [1, 'auto']) {
    await fails(init({ threads }), 'load-failed', /^memory: expected 512 MB of address space, got .*\\(could not allocate memory\\)$/);
  }
  assert.deepEqual([made, serving], [[], 0]);
  WebAssembly.Memory = Memory;
  assert.equal((await init({ threads: 2 })).threads, 2);
  forward(300);
  `,
);

inNewProcess(
  'with less address space memory is full sooner, and later calls work',
  `${memories}
  refuseMemory({ shared: 0, alone: 8192 });
  await init();
  const expected = forward(300);
  const sizes = { querySize: 96, keySize: 96, valueSize: 96 };
  const layer = new MultiHeadAttention({ numHiddens: 96, numHeads: 6, ...sizes });
  // 400 MB, and 200 MB beside it.
  const cache = layer.createCache({ batchSize: 1, maxLength: 520_000 });
  assert.throws(() => layer.createCache({ batchSize: 1, maxLength: 260_000 }), { code: 'out-of-memory' });
  cache.dispose();
  layer.createCache({ batchSize: 1, maxLength: 260_000 });
  assert.deepEqual(forward(300), expected);
  `,
);
