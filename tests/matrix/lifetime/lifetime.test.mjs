// What lives long: programs that make and drop much, two copies of the package, memory that grows. What is forgotten
// without `dispose` is in tests/node/memory. Needs build/packed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';

const dist = fromRoot(packedProject, 'node_modules/headwise/dist');

/** Runs a module in a process of its own, where the package is installed; it prints JSON. */
async function run(text, ...flags) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', text],
    { cwd: fromRoot(packedProject) },
  );
  return JSON.parse(stdout);
}

test('100,000 layers that come, compute and go take no more memory than 1,000', async () => {
  const { after, bytes } = await run(
    `
    import { init, MultiHeadAttention, ResidentTensor, Tensor } from 'headwise';
    import { memoryOfWhatLoads, usedBytes } from './tests/node/lib/watch-memory.mjs';
    const memory = await memoryOfWhatLoads(() => init({ threads: 1 }));
    const X = Tensor.randn([2, 3, 8], 1);
    const round = (i) => {
      const layer = new MultiHeadAttention({ numHiddens: 8, numHeads: 2, bias: i % 2 === 0 });
      const resident = new ResidentTensor([2, 3, 8]);
      resident.data.set(X.data);
      const { output } = layer.forward(resident, X, X, { requiresGrad: i % 3 === 0 });
      if (i % 3 === 0) layer.backward(output);
      resident.dispose();
      layer.dispose();
    };
    const measured = () => {
      gc();
      return { wasm: usedBytes(memory), heap: process.memoryUsage().heapUsed };
    };
    let i = 0;
    while (i < 1000) round(i++);
    const after = { thousand: measured() };
    while (i < 100_000) {
      round(i++);
      // Finalizers run between tasks.
      if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    after.all = measured();
    console.log(JSON.stringify({ after, bytes: memory.buffer.byteLength }));
    `,
    '--expose-gc',
  );
  assert.ok(after.all.wasm <= after.thousand.wasm, JSON.stringify(after));
  // 10 bytes a round: less than anything that could be kept of one.
  assert.ok(after.all.heap - after.thousand.heap < 1_000_000, JSON.stringify(after));
  assert.equal(bytes, 16 * 2 ** 20, 'memory never grew');
});

test('two copies of the package compute side by side and take each other for what they give', async (t) => {
  const folder = mkdtempSync(fromRoot(packedProject, 'copies-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['a', 'b']) cpSync(dist, join(folder, name), { recursive: true });
  const found = await run(`
    import * as a from '${folder}/a/index.js';
    import * as b from '${folder}/b/index.js';
    const said = [await a.init({ threads: 2 }), await b.init({ threads: 1 })].map(({ threads }) => threads);
    const make = ({ MultiHeadAttention }) => new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 });
    const numbers = (copy) => copy.Tensor.randn([1, 300, 128], 1);
    const [first, second] = [make(a), make(b)];
    const same = (x, y) => x.data.length > 0 && x.data.every((number, i) => Object.is(number, y.data[i]));
    const [X, Y] = [numbers(a), numbers(b)];
    const own = first.forward(X, X, X).output;
    const others = second.forward(X, X, X).output;
    const resident = new a.ResidentTensor([1, 300, 128]);
    resident.data.set(X.data);
    const fromResident = second.forward(resident, resident, resident).output;
    second.loadStateDict(first.stateDict());
    const loaded = second.forward(Y, X, Y).output;
    second.forward(X, X, X, { out: { output: resident.data } });
    const written = b.Tensor.from(resident);
    const wrong = (call) => { try { call(); } catch ({ name, code }) { return { name, code }; } };
    const cache = first.createCache({ batchSize: 1, maxLength: 400 });
    console.log(JSON.stringify({
      ...{ said, apart: a.Tensor !== b.Tensor },
      same: [others, fromResident, loaded, written].map((each) => same(own, each)),
      cache: wrong(() => second.forward(X, X, X, { cache })),
      optimizer: wrong(() => new b.SGD(first)),
    }));
    a.dispose();
  `);
  assert.deepEqual(found, {
    ...{ said: [2, 1], apart: true, same: [true, true, true, true] },
    // What lives in the other's memory is refused.
    cache: { name: 'HeadwiseError', code: 'invalid-type' },
    optimizer: { name: 'HeadwiseError', code: 'invalid-option' },
  });
});

for (const threads of [1, 2]) {
  test(`what there is stays good when memory grows between calls (threads: ${threads})`, async () => {
    const found = await run(`
      import { AttentionOnlyTransformer, init, MultiHeadAttention, ResidentTensor, Tensor } from 'headwise';
      import { memoryOfWhatLoads } from './tests/node/lib/watch-memory.mjs';
      const memory = await memoryOfWhatLoads(() => init({ threads: ${threads} }));
      const sizes = { querySize: 64, keySize: 64, valueSize: 64 };
      const layer = new MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1, ...sizes });
      const X = Tensor.randn([1, 8, 64], 1);
      const resident = new ResidentTensor([1, 8, 64]);
      resident.data.set(X.data);
      const model = new AttentionOnlyTransformer({ vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2, seed: 1 });
      const pass = (cache) => [
        layer.forward(X, X, X, { returnWeights: true }).attentionWeights,
        layer.forward(resident, resident, resident).output,
        layer.forward(X, X, X, { cache }).output,
        layer.forward(X, X, X, { cache, causal: true }).output,
        model.forward([0, 1, 2]).logits,
        layer.stateDict()['W_q.weight'],
      ];
      const cache = layer.createCache({ batchSize: 1, maxLength: 16 });
      const before = pass(cache);
      const kept = before.map(({ data }) => [...data]);
      cache.reset();
      layer.forward(X, X, X, { requiresGrad: true });
      const bytes = [memory.buffer.byteLength];
      const large = new ResidentTensor([1, 30000, 1024]);
      bytes.push(memory.buffer.byteLength);
      const gradients = layer.backward(X).queries;
      layer.forward(X, X, X, { requiresGrad: true });
      const expected = layer.backward(X).queries;
      const after = pass(cache);
      const same = (a, b) => a.length > 0 && a.length === b.length && a.every((number, i) => Object.is(number, b[i]));
      console.log(JSON.stringify({
        grew: bytes[1] > bytes[0],
        results: before.every(({ data }, i) => same(kept[i], [...data])),
        calls: after.map(({ data }, i) => same(kept[i], [...data])),
        resident: same([...X.data], [...resident.data]),
        pending: same([...gradients.data], [...expected.data]),
        large: large.data.length,
      }));
    `);
    assert.deepEqual(found, {
      ...{ grew: true, results: true, calls: Array.from({ length: 6 }, () => true) },
      ...{ resident: true, pending: true, large: 30_720_000 },
    });
  });
}
