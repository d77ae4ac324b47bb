// headwise/inline: one file that needs no other. Needs build/packed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'rolldown';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';

const run = promisify(execFile);
const dist = fromRoot(packedProject, 'node_modules/headwise/dist');
const folder = mkdtempSync(join(tmpdir(), 'headwise-inline-'));
after(() => rmSync(folder, { recursive: true, force: true }));
cpSync(join(dist, 'inline.js'), join(folder, 'inline.mjs'));

/** Runs a program beside the file, where there is nothing else, and fails with what it printed. */
async function runs(text) {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, `import assert from 'node:assert/strict';\n${text}`);
  const { stderr } = await run(process.execPath, [program], { cwd: folder }).catch(
    ({ stdout, stderr: told }) => assert.fail(`${stdout}\n${told}`),
  );
  assert.equal(stderr, '');
}

test('one file computes what the package computes, models included', async () => {
  await runs(`
import { dispose, init, MultiHeadAttention, saveSafetensors, loadSafetensors, SortTask, AttentionOnlyTransformer, Tensor } from './inline.mjs';
const chosen = await init();
assert.deepEqual([chosen.variant, chosen.threads], ['simd', 1]);
const there = await import(${JSON.stringify(pathToFileURL(join(dist, 'index.js')).href)});
await there.init({ variant: 'simd', threads: 1 });
const outputs = [MultiHeadAttention, there.MultiHeadAttention].map((Layer) => {
  const layer = new Layer({ numHiddens: 24, numHeads: 3, seed: 1 });
  const X = Tensor.randn([2, 7, 24], 2);
  return layer.forward(X, X, X, { causal: true, returnWeights: true });
});
assert.deepEqual(outputs[0].output.data, outputs[1].output.data);
assert.deepEqual(outputs[0].attentionWeights.data, outputs[1].attentionWeights.data);
const task = new SortTask({ numSymbols: 5, numItems: 4 });
const model = new AttentionOnlyTransformer({ vocabularySize: task.vocabularySize, maxLength: task.length, numHiddens: 16, numHeads: 2, seed: 1 });
const { tokens, targets } = task.batch(1, 8);
const losses = Array.from({ length: 20 }, () => model.trainStep(tokens, targets));
assert.ok(losses.at(-1) < losses[0], String(losses));
const tensors = model.stateDict();
const [[name, { data }]] = Object.entries(tensors);
assert.deepEqual(loadSafetensors(saveSafetensors(tensors)).tensors[name].data, data);
dispose();
assert.equal((await init({ threads: 1 })).threads, 1);
`);
});

test('it says what it does not have, and takes a file that is given', async () => {
  await runs(`
import { init, MultiHeadAttention } from './inline.mjs';
import { readFileSync } from 'node:fs';
const fails = (options, message) => assert.rejects(init(options), { name: 'HeadwiseError', code: 'unsupported', message });
await fails({ threads: 2 }, 'threads: expected 1, as headwise/inline has no workers, got 2');
await fails({ variant: 'relaxed-simd' }, /^variant: expected 'simd', as headwise\\/inline has no other, got "relaxed-simd"$/);
const wasm = readFileSync(${JSON.stringify(join(dist, 'headwise-simd.wasm'))});
assert.equal((await init({ wasm })).variant, 'simd');
assert.throws(() => new MultiHeadAttention({ numHiddens: 4 }), { code: 'invalid-option' });
`);
});

test('it has all that the package has, asks for no file, and stays small', async (t) => {
  const code = readFileSync(join(dist, 'inline.js'), 'utf8');
  assert.doesNotMatch(code, /import\.meta|new URL\(\s*"|new Worker\(|^import\b|\bimport\(/m);
  const [names, all] = await Promise.all(
    ['inline.js', 'index.js'].map(async (file) =>
      Object.keys(await import(pathToFileURL(join(dist, file)).href)).sort(),
    ),
  );
  assert.deepEqual(names, all);
  const { output } = await build({
    input: join(dist, 'inline.js'),
    write: false,
    output: { format: 'iife', name: 'headwise', minify: true },
  });
  assert.equal(output.length, 1);
  const size = brotliCompressSync(output[0].code).byteLength;
  t.diagnostic(`headwise/inline, brotli: ${size} bytes`);
  assert.ok(size <= 125_000, `${size} bytes`);
});
