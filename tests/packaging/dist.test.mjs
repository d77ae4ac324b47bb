// The package as npm packs it. Needs build/packed, the project into which the tarball is installed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const project = join(root, 'build/packed/project');
const installed = join(project, 'node_modules/headwise');
const builds = ['relaxed-simd-threads', 'relaxed-simd', 'simd-threads', 'simd'];

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const scripts = filesOf(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
const textOf = (name) => readFileSync(join(installed, 'dist', name), 'utf8');

test('the package holds what it needs and nothing else', () => {
  const files = filesOf(installed).filter((name) => !name.endsWith('.d.ts'));
  assert.deepEqual(files, [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    ...builds.map((build) => `dist/headwise-${build}.wasm`),
    'dist/index.js',
    'dist/worker.js',
    'package.json',
  ]);
});

test('its JavaScript evaluates no text', () => {
  for (const name of scripts) {
    // Methods may be named eval, as MultiHeadAttention's is.
    const text = textOf(name).replaceAll(/\.eval\(|\beval\(\)\s*\{/g, '');
    assert.doesNotMatch(text, /\beval\b/, name);
    assert.doesNotMatch(text, /\bFunction\s*\(/, name);
  }
});

test('its JavaScript imports nothing but its own files', () => {
  for (const name of scripts) {
    const text = textOf(name);
    assert.doesNotMatch(text, /\bfrom\s*["'`](?!\.)/, name);
    assert.doesNotMatch(text, /\bimport\s*\(?\s*["'`](?!\.)/, name);
    assert.doesNotMatch(text, /\brequire\s*\(|createRequire/, name);
  }
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(dependencies, undefined);
});

test('classes keep their names, which consoles and debuggers show', async () => {
  const headwise = await import(join(installed, 'dist/index.js'));
  for (const name of [
    'AttentionOnlyTransformer',
    'HeadwiseError',
    'MultiHeadAttention',
    'Tensor',
  ]) {
    assert.equal(headwise[name].name, name);
  }
});

for (const moduleResolution of ['nodenext', 'bundler']) {
  test(`its types are complete for moduleResolution ${moduleResolution}`, async () => {
    const source = join(project, 'consumer.ts');
    writeFileSync(
      source,
      `import {
  Adam, AttentionOnlyTransformer, init, loadSafetensors, measureHeadImportance, MultiHeadAttention,
  saveSafetensors, SortTask, Tensor, type IntegerTensor,
} from 'headwise';
await init();
using attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
const X = Tensor.ones([2, 4, 100]);
const { output } = attention.forward(X, X, X, { validLens: [3, 2] });
const shape: readonly number[] = output.shape;
using cache = attention.createCache({ batchSize: 2, maxLength: 8 });
attention.forward(X, X, X, {
  mask: [[true, true, false, true]],
  causal: 'bottom-right',
  window: [2, Infinity],
  headGate: Float32Array.of(1, 1, 0, 1, 1),
  weightsStage: 'masked',
  out: { output: new Float32Array(800) },
});
attention.forward(X, null, null, { cache, validLens: [3n, 2n] });
attention.forward(X, X, X, { requiresGrad: true });
const gate: Tensor = attention.backward(output).headGate;
using optimizer = new Adam(attention, { learningRate: 0.1, betas: [0.9, 0.99] });
optimizer.step();
attention.pruneHeads([1, 3]);
const task = new SortTask({ numSymbols: 9, numItems: 4 });
using model = new AttentionOnlyTransformer({
  vocabularySize: task.vocabularySize, maxLength: task.length, numHiddens: 8, numHeads: 2,
});
const { tokens, targets } = task.batch(1, 2);
const loss: number = model.trainStep(tokens, targets);
const { signal } = new AbortController();
const importance: number[][] = await measureHeadImportance(model, {
  measure: 'ablation', batches: [{ tokens, targets }], signal, onProgress: ({ done, total }) => done / total,
});
const file = loadSafetensors(new Uint8Array());
const positions: Tensor | IntegerTensor | undefined = file.tensors['position_ids'];
if (positions instanceof Tensor) {
  const numbers: Float32Array = positions.data;
  numbers.fill(0);
} else if (positions?.dtype === 'I64') {
  const numbers: BigInt64Array = positions.data;
  numbers.fill(0n);
} else if (positions?.dtype === 'BOOL') {
  attention.forward(X, X, X, { mask: positions });
}
attention.loadStateDict(file.tensors);
model.loadStateDict(file.tensors);
MultiHeadAttention.fromStateDict({ ...file.tensors, bias: [1, 2] }, { numHeads: 5 }).dispose();
const bytes: Uint8Array = saveSafetensors(file.tensors, file.metadata);
loadSafetensors(bytes.buffer);
// @ts-expect-error it may be a BigInt64Array
const floats: Float32Array = loadSafetensors(bytes).tensors['position_ids']?.data;
// @ts-expect-error there is no such measure
measureHeadImportance(model, { measure: 'weight', batches: [] });
// @ts-expect-error only layers and models are trained
new Adam(gate);
// @ts-expect-error heads are counted in numbers
new MultiHeadAttention({ numHiddens: 100, numHeads: 'five' });
// @ts-expect-error a window has two sides
attention.forward(X, X, X, { window: [2] });
// @ts-expect-error there is no such stage
attention.forward(X, X, X, { weightsStage: 'scores' });
export { floats, gate, importance, loss, shape };
`,
    );
    const options = {
      moduleResolution,
      module: moduleResolution === 'nodenext' ? 'nodenext' : 'esnext',
      target: 'es2022',
      lib: 'es2022,dom,esnext.disposable',
    };
    await run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes'],
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      source,
    ]).catch(({ stdout }) => assert.fail(stdout));
  });
}

test('what a page loads stays small', (t) => {
  const sizeOf = (name) =>
    brotliCompressSync(readFileSync(join(installed, 'dist', name))).byteLength;
  for (const build of builds) {
    const loaded = build.endsWith('-threads') ? ['index.js', 'worker.js'] : ['index.js'];
    const scriptsSize = loaded.map(sizeOf).reduce((sum, size) => sum + size, 0);
    const wasmSize = sizeOf(`headwise-${build}.wasm`);
    const all = scriptsSize + wasmSize;
    t.diagnostic(
      `${build}, brotli: JavaScript ${scriptsSize} + WebAssembly ${wasmSize} = ${all} bytes`,
    );
    assert.ok(all <= 66_500, `${build}: ${all} bytes`);
  }
});

test('the lock has no addresses, and nothing that is installed runs a script', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { resolved, hasInstallScript }] of Object.entries(packages)) {
    assert.equal(resolved, undefined, path);
    assert.equal(hasInstallScript, undefined, path);
  }
});
