// Several threads, each test in a process of its own: the number of threads is chosen once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from '../lib/child.mjs';
import { inNewProcess as runInNewProcess, prelude } from '../lib/in-new-process.mjs';

const before = `
  import { createHash } from 'node:crypto';
  import { readdirSync } from 'node:fs';
  const { ResidentTensor, Transformer } = headwise;
  /** Results of calls that are large enough for several threads, as one text. */
  const hashOf = (results) => {
    const hash = createHash('sha256');
    let tensors = 0;
    const add = (value) => {
      if (ArrayBuffer.isView(value)) {
        hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
        tensors++;
      } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(add);
      else hash.update(String(value));
    };
    add(results);
    return tensors + ' ' + hash.digest('hex');
  };
  const ofLayers = () => {
    const X = Tensor.randn([2, 300, 96], 1);
    const results = [];
    const masks = [{ validLens: [300, 7], returnWeights: true }, { causal: true }];
    for (const options of [
      { numHeads: 6, numKvHeads: 2, bias: true, dropout: 0.5 },
      { numHeads: 3, pooling: 'additive', attentionHiddens: 5 },
    ]) {
      const layer = new MultiHeadAttention({ numHiddens: 96, ...options, seed: 2 }).train();
      const headGate = Array.from({ length: layer.numHeads }, (_, head) => head / 2);
      for (const given of [...masks, { headGate }]) results.push(layer.forward(X, X, X, given));
      const cache = layer.createCache({ batchSize: 2, maxLength: 700 });
      results.push(layer.forward(X, X, X, { cache }));
      results.push(layer.forward(X, X, X, { cache, causal: true }));
      layer.dispose();
    }
    return hashOf(results);
  };
  const tokensOf = (batch, length, seed) =>
    Array.from({ length: batch }, (_, row) => Array.from({ length }, (__, i) => (seed * i + 7 * row * i * i) % 61));
  const sizes = { numHiddens: 48, numHeads: 6, numLayers: 2, dropout: 0.25, seed: 3 };
  const ofTokens = { vocabularySize: 61, maxLength: 160, ...sizes };
  const ofModels = async () => {
    const [tokens, targets] = [tokensOf(3, 150, 5), tokensOf(3, 150, 11)];
    const results = [];
    const given = { source: tokensOf(3, 140, 3), sourceValidLens: [140, 9, 1] };
    const model = new Transformer({ ...ofTokens, encoder: { numLayers: 2 } });
    results.push(model.forward(tokens, { ...given, returnWeights: true, capture: ['scores', 'pooled'] }));
    results.push(model.train().lossAndGradients(tokens, targets, given), model.gradients());
    results.push(model.trainStep(tokens, targets, undefined, given), model.stateDict());
    const source = { source: given.source[0] };
    const options = { ...source, maxNewTokens: 20, temperature: 1, seed: 1 };
    results.push(await model.eval().generate(tokens[0].slice(0, 130), options));
    model.dispose();
    const reader = new Transformer({ ...sizes, patches: { imageSize: 48, patchSize: 4 } });
    results.push(reader.forward(Tensor.randn([2, 3, 48, 48], 1), { requiresGrad: true, returnWeights: true }));
    results.push(reader.backward(Tensor.randn([2, 145, 48], 2)));
    reader.dispose();
    return hashOf(results);
  };
`;

const resultsWith = (threads) =>
  runModule(`${prelude}${before}
    assert.equal((await init({ threads: ${threads} })).threads, ${threads});
    console.log(ofLayers(), await ofModels());
  `);

const inNewProcess = (name, text) => runInNewProcess(name, text, { before });

test('results of layers and models do not depend on the number of threads', () => {
  const alone = resultsWith(1);
  const [ofLayers, , ofModels] = alone.split(' ').map(Number);
  assert.ok(ofLayers > 10 && ofModels > 80, alone);
  for (const threads of [2, 7]) assert.equal(resultsWith(threads), alone);
});

inNewProcess(
  'requested workers start, share the work, and end with the program',
  `
  assert.equal((await init({ threads: 3 })).threads, 3);
  // Milliseconds of CPU time of each thread.
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
  'dispose ends the threads, calls still work, and init starts them again',
  `
  dispose();
  await init({ threads: 4 });
  const expected = ofLayers();
  for (let i = 0; i < 3; i++) {
    dispose();
    dispose();
    assert.equal(ofLayers(), expected);
    assert.equal((await init()).threads, 4);
    assert.equal(ofLayers(), expected);
  }
  `,
);

inNewProcess(
  'automatic threads start with large calls and change no result',
  `
  // As many cores as a test needs.
  process.getBuiltinModule('node:os').availableParallelism = () => 3;
  assert.equal((await init()).threads, 3);
  const small = Tensor.ones([1, 2, 4]);
  new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }).forward(small, small, small);
  const first = ofLayers();
  assert.equal(ofLayers(), first);
  dispose();
  assert.equal(ofLayers(), first);
  await init();
  assert.equal(ofLayers(), first);
  `,
);

inNewProcess(
  'workers learn of memory that grew while their tasks arrived',
  `
  process.getBuiltinModule('node:os').availableParallelism = () => 3;
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  // Node reads the memory's length before the objects of a message.
  const { postMessage } = Worker.prototype;
  const large = Array.from({ length: 500_000 }, (_, i) => ({ i }));
  Worker.prototype.postMessage = function (task) {
    postMessage.call(this, { large, ...task });
  };
  await init();
  forward(300);
  // The first tensor stays. Calls use the memory that the other one leaves, beyond the old length.
  const [, other] = [1, 2].map(() => new ResidentTensor([2 ** 24]));
  other.dispose();
  assert.equal((await init({ threads: 3 })).threads, 3);
  for (let i = 0; i < 50; i++) forward(700);
  `,
);

inNewProcess(
  'a given file must be the one for threads when threads are requested',
  `
  const wasm = readFileSync(url('headwise-simd.wasm'));
  await assert.rejects(init({ wasm, threads: 2 }), { code: 'load-failed' });
  assert.deepEqual(await init({ wasm: url('headwise-simd-threads.wasm'), threads: 2 }), { variant: 'simd', threads: 2 });
  ofLayers();
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
