// Several threads, each test in a process of its own: the number of threads is chosen once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from '../lib/child.mjs';

const prelude = `
  import assert from 'node:assert/strict';
  import { readdirSync, readFileSync } from 'node:fs';
  import * as headwise from 'headwise';
  const { init, dispose, MultiHeadAttention, Tensor, HeadwiseError } = headwise;
  const url = (name) => new URL(name, import.meta.resolve('headwise'));
  /** Results of calls that are large enough for several threads, as one text. */
  function results() {
    const X = Tensor.randn([2, 300, 96], 1);
    const words = [];
    const add = (tensor) => {
      let sum = 0;
      const bits = new Int32Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.length);
      for (const word of bits) sum = (Math.imul(sum, 31) + word) | 0;
      words.push(sum);
    };
    const options = [
      {},
      { validLens: [300, 7], returnWeights: true },
      { causal: true },
      { window: [20, 0], emptyRows: 'uniform' },
    ];
    for (const layerOptions of [
      { numHiddens: 96, numHeads: 6 },
      { numHiddens: 96, numHeads: 6, numKvHeads: 2, bias: true },
      { numHiddens: 96, numHeads: 3, pooling: 'additive', attentionHiddens: 5 },
      { numHiddens: 96, numHeads: 6, projection: 'convolution' },
      { numHiddens: 96, numHeads: 6, dropout: 0.5 },
    ]) {
      const layer = new MultiHeadAttention({ ...layerOptions, seed: 2 }).train();
      const headGate = Array.from({ length: layer.numHeads }, (_, head) => head / 2);
      for (const forwardOptions of [...options, { headGate }]) {
        const { output, attentionWeights } = layer.forward(X, X, X, forwardOptions);
        add(output);
        if (attentionWeights) add(attentionWeights);
      }
      const cache = layer.createCache({ batchSize: 2, maxLength: 700 });
      add(layer.forward(X, X, X, { cache }).output);
      add(layer.forward(X, X, X, { cache, causal: true }).output);
      layer.dispose();
    }
    const q = new Tensor(X.data, [1, 1, 600, 96]);
    add(headwise.scaledDotProductAttention(q, q, q, { causal: true }).output);
    const parameters = { W_q: Tensor.randn([5, 96], 2), W_k: Tensor.randn([5, 96], 3), w_v: Tensor.randn([1, 5], 4) };
    add(headwise.additiveAttention(X, X, X, parameters).output);
    add(headwise.maskedSoftmax(X, [96, 1]));
    return words.join(' ');
  }
`;

const resultsWith = (threads) =>
  runModule(`${prelude}
    const { threads } = await init({ threads: ${threads} });
    assert.equal(threads, ${threads});
    console.log(results());
  `);

const inNewProcess = (name, text) =>
  test(name, () => {
    assert.equal(runModule(`${prelude}${text}; console.log('done')`), 'done\n');
  });

test('results do not depend on the number of threads', () => {
  const alone = resultsWith(1);
  assert.match(alone, /^(-?\d+ ){40,}-?\d+\n$/);
  for (const threads of [2, 3, 7]) {
    assert.equal(resultsWith(threads), alone);
  }
});

inNewProcess(
  'workers that were asked for are there, share the work, and end with the program',
  `
  assert.deepEqual((await init({ threads: 3 })).threads, 3);
  // Milliseconds that each thread of this process has run.
  const tasks = '/proc/self/task';
  const runtimes = () =>
    readdirSync(tasks).map((task) => readFileSync(\`\${tasks}/\${task}/schedstat\`, 'utf8').split(' ')[0] / 1e6);
  const layer = new MultiHeadAttention({ numHiddens: 96, numHeads: 6 });
  const long = Tensor.randn([1, 500, 96], 1);
  const out = { output: new Float32Array(500 * 96) };
  for (let i = 0; i < 20; i++) layer.forward(long, long, long, { out });
  const before = runtimes();
  const shared = () => runtimes().filter((time, i) => time - before[i] > 20).length;
  const end = performance.now() + 300_000;
  while (shared() < 3) {
    assert.ok(performance.now() < end, 'of three threads, some do not work');
    for (let i = 0; i < 10; i++) layer.forward(long, long, long, { out });
  }
  `,
);

inNewProcess(
  'with dispose the threads end and everything goes on, until init starts them again',
  `
  dispose();
  await init({ threads: 4 });
  const expected = results();
  for (let i = 0; i < 3; i++) {
    dispose();
    dispose();
    assert.equal(results(), expected);
    assert.equal((await init()).threads, 4);
    assert.equal(results(), expected);
  }
  `,
);

inNewProcess(
  'threads that init chose by itself start with large calls and change no result',
  `
  // As many cores as a test needs.
  process.getBuiltinModule('node:os').availableParallelism = () => 3;
  assert.equal((await init()).threads, 3);
  const small = Tensor.ones([1, 2, 4]);
  new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }).forward(small, small, small);
  const first = results();
  assert.equal(results(), first);
  dispose();
  assert.equal(results(), first);
  await init();
  assert.equal(results(), first);
  `,
);

inNewProcess(
  'one core is one thread',
  `
  process.getBuiltinModule('node:os').availableParallelism = () => 1;
  assert.equal((await init()).threads, 1);
  `,
);

inNewProcess(
  'an engine that shares no memory computes on one thread, and says so when asked for more',
  `
  globalThis.MessageChannel = class {
    port1 = { postMessage() { throw new Error('not cross-origin isolated'); } };
  };
  await assert.rejects(init({ threads: 2 }), (error) =>
    error instanceof HeadwiseError && error.code === 'unsupported' &&
    /^threads: expected 1, as this engine shares no memory.*, got 2$/.test(error.message));
  assert.equal((await init()).threads, 1);
  results();
  `,
);

inNewProcess(
  'a given file is the one for threads when threads are asked for',
  `
  const wasm = readFileSync(url('headwise-simd.wasm'));
  await assert.rejects(init({ wasm, threads: 2 }), { code: 'load-failed' });
  assert.deepEqual(await init({ wasm: url('headwise-simd-threads.wasm'), threads: 2 }), { variant: 'simd', threads: 2 });
  results();
  `,
);

inNewProcess(
  'a given file without a number of threads computes on one',
  `assert.equal((await init({ wasm: url('headwise-simd.wasm') })).threads, 1); results()`,
);

inNewProcess(
  'workers that cannot start are an error, and the next init works',
  `
  const own = process.getBuiltinModule('node:worker_threads');
  const { Worker } = own;
  own.Worker = class extends Worker {
    constructor() { super(new URL('data:text/javascript,throw new Error("no workers today")')); }
  };
  await assert.rejects(init({ threads: 2 }), (error) =>
    error.code === 'load-failed' && /^threads: expected workers of worker.js, got no workers today$/.test(error.message));
  own.Worker = Worker;
  assert.equal((await init({ threads: 2 })).threads, 2);
  results();
  `,
);

inNewProcess(
  'a worker of the program may use headwise with threads of its own',
  `
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const program = \`
    import { init, MultiHeadAttention, Tensor } from '\${import.meta.resolve('headwise')}';
    import { parentPort } from 'node:worker_threads';
    await init({ threads: 2 });
    const X = Tensor.ones([1, 300, 96]);
    const { output } = new MultiHeadAttention({ numHiddens: 96, numHeads: 6 }).forward(X, X, X);
    parentPort.postMessage(output.shape);
  \`;
  const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(program)));
  const shape = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.deepEqual(shape, [1, 300, 96]);
  `,
);
