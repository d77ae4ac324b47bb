// The package as npm packs it. Needs build/packed, the project into which the tarball is installed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build as rolldown } from 'rolldown';
import { projectFiles } from '../../../scripts/lib/files.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const project = join(root, 'build/packed/project');
const installed = join(project, 'node_modules/headwise');
const variants = ['relaxed-simd-threads', 'relaxed-simd', 'simd-threads', 'simd'];
const builds = ['models-', ''].flatMap((extent) => variants.map((name) => extent + name));

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const scripts = filesOf(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
const isEntry = (name) => ['index.js', 'models.js'].includes(name);
/** inline.js, which has the WebAssembly in it, has no map of it. */
const hasMap = (name) => !isEntry(name) && name !== 'inline.js';
const textOf = (name) => readFileSync(join(installed, 'dist', name), 'utf8');
const codeOf = (name) => textOf(name).replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, '');

test('the package holds what it needs and nothing else', () => {
  const files = filesOf(installed).filter((name) => !name.endsWith('.d.ts'));
  const held = [
    ...['files', 'in-worker', 'in-worker-host', 'layer', 'model', 'models-build', 'view'],
    'worker',
  ];
  assert.deepEqual(
    files,
    [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD_PARTY.md', 'package.json'],
      ...builds.map((build) => `dist/headwise-${build}.wasm`),
      ...['dist/index.js', 'dist/inline.js', 'dist/models.js'],
      ...held.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]),
    ].sort(),
  );
});

test('its JavaScript reads as it was written: lines, names and comments', () => {
  for (const name of scripts) {
    // But for the text that is WebAssembly.
    const lines = textOf(name)
      .split('\n')
      .filter((line) => !/^var \w+ = "AGFzbQ/.test(line));
    const longest = Math.max(...lines.map(({ length }) => length));
    assert.ok(longest < 1000, `${name}: a line of ${longest} characters`);
    // Entries name what others hold.
    if (!isEntry(name)) assert.match(textOf(name), /^\/\*\*/m, `${name}: no doc comment`);
  }
  assert.match(textOf('layer.js'), /^async function init\(options\) \{$/m);
});

test('an uncaught error is told in a few lines, with the names of calls', async () => {
  const program = `import { init, MultiHeadAttention, Tensor } from 'headwise';
await init();
const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, querySize: 4, keySize: 4, valueSize: 4 });
const X = Tensor.ones([1, 2, 5]);
layer.forward(X, X, X);`;
  const told = async (...flags) => {
    const { stderr } = await run(
      process.execPath,
      [...flags, '--input-type=module', '-e', program],
      {
        cwd: project,
      },
    ).catch((error) => error);
    assert.match(
      stderr,
      /^HeadwiseError: queries: expected \(batch, queries, 4\), got \(1, 2, 5\)$/m,
    );
    assert.match(stderr, /^ {4}at checkShape \(/m);
    assert.match(stderr, /^ {4}at MultiHeadAttention\.forward \(/m);
    assert.ok(stderr.length < 3000, `${stderr.length} characters:\n${stderr}`);
    return stderr;
  };
  assert.match(await told(), /dist\/layer\.js:\d+/);
  // By the source maps, which have the sources in them.
  const mapped = await told('--enable-source-maps');
  assert.match(mapped, /bindings\/js\/tensor\/shapes\.ts:\d+/);
  assert.match(mapped, /bindings\/js\/runtime\/errors\.ts:\d+\n {2}throw new HeadwiseError\(/);
});

test('its source maps name no folder of the machine', () => {
  for (const name of scripts.filter(hasMap)) {
    const { sources, sourcesContent } = JSON.parse(textOf(`${name}.map`));
    assert.equal(sourcesContent.length, sources.length);
    for (const source of sources) {
      assert.match(source, /^\.\.\/(bindings\/js|build\/(wasm|generated)|node_modules)\//, name);
    }
    assert.doesNotMatch(textOf(`${name}.map`), /file:\/\/\/\w/, name);
  }
});

test('its JavaScript evaluates no text', () => {
  for (const name of scripts) {
    // Methods may be named eval, as MultiHeadAttention's is; and errors name what a policy must allow.
    const text = codeOf(name).replaceAll(/\.eval\(|\beval\(\)\s*\{|unsafe-eval/g, '');
    assert.doesNotMatch(text, /\beval\b/, name);
    assert.doesNotMatch(text, /\bFunction\s*\(/, name);
  }
});

test('its JavaScript imports nothing but its own files', () => {
  for (const name of scripts) {
    // A worker of another origin imports its file by a script of the page's.
    const text = codeOf(name).replace('`import "${href}"`', '');
    assert.doesNotMatch(text, /\bfrom\s*["'`](?!\.)/, name);
    assert.doesNotMatch(text, /\bimport\s*\(?\s*["'`](?!\.)/, name);
    assert.doesNotMatch(text, /\brequire\s*\(|createRequire/, name);
    // Bundlers follow what stands there; of a variable they make a folder.
    const urls = [...text.matchAll(/import\.meta\.url/g)].length;
    assert.equal(
      [...text.matchAll(/new URL\(\s*"\.\/[\w-]+\.(wasm|js)",\s*import\.meta\.url\s*\)/g)].length,
      urls,
    );
    // A bundler that meets it lends the page a process of its own.
    assert.doesNotMatch(text, /typeof process\b(?!\?)/, name);
  }
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(dependencies, undefined);
});

test('its manifest says what it is and where its files are', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const places = Object.entries(manifest.exports)
    .filter(([name]) => !name.includes('*'))
    .flatMap(([, place]) => (typeof place === 'string' ? place : Object.values(place)));
  assert.equal(places.length, 13);
  for (const entry of [manifest.main, manifest.types, ...places]) {
    assert.ok(existsSync(join(installed, entry)), entry);
  }
  const place = 'github.com/headwise/headwise';
  assert.equal(manifest.repository.url, `git+https://${place}.git`);
  assert.equal(manifest.homepage, `https://${place}#readme`);
  assert.equal(manifest.bugs.url, `https://${place}/issues`);
  assert.equal(manifest.author, 'The headwise authors');
});

test('links of its README lead to the repository from wherever it is read', () => {
  const text = readFileSync(join(installed, 'README.md'), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target);
  const own = targets.flatMap((target) => {
    assert.match(target, /^https:\/\//);
    const place =
      /^https:\/\/(?:raw\.githubusercontent\.com\/headwise\/headwise|github\.com\/headwise\/headwise\/(?:blob|tree))\/main\/(.*)$/;
    return place.exec(target)?.slice(1) ?? [];
  });
  assert.ok(own.length > 20, String(own));
  for (const path of own) assert.ok(existsSync(join(root, path)), path);
});

test('its files are found by name, through import and require', () => {
  // What bundlers and a program's own build ask for.
  const { resolve } = createRequire(join(project, 'package.json'));
  for (const file of ['worker.js', ...builds.map((build) => `headwise-${build}.wasm`)]) {
    assert.equal(resolve(`headwise/${file}`), join(installed, 'dist', file));
  }
  assert.throws(() => resolve('headwise/dist/index.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
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
import { Adam as SameAdam, init as sameInit, type Trainable } from 'headwise/models';
await init();
await sameInit();
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
const trained: Trainable = attention;
using optimizer: Adam = new SameAdam(trained, { learningRate: 0.1, betas: [0.9, 0.99] });
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

test('what a page loads with all of it stays small', async (t) => {
  const sizeOf = (bytes) => brotliCompressSync(bytes).byteLength;
  // JavaScript is shipped to be read: pages load what their bundlers make of it, all exports kept.
  const minifiedSize = async (name) => {
    const { output } = await rolldown({
      input: join(installed, 'dist', name),
      platform: 'neutral',
      write: false,
      output: { format: 'esm', minify: true },
    });
    assert.equal(output.length, 1);
    return sizeOf(output[0].code);
  };
  const [index, worker] = await Promise.all(['index.js', 'worker.js'].map(minifiedSize));
  for (const build of builds.filter((name) => name.startsWith('models-'))) {
    const scriptsSize = build.endsWith('-threads') ? index + worker : index;
    const wasmSize = sizeOf(readFileSync(join(installed, 'dist', `headwise-${build}.wasm`)));
    const all = scriptsSize + wasmSize;
    t.diagnostic(
      `${build}, brotli: minified JavaScript ${scriptsSize} + WebAssembly ${wasmSize} = ${all} bytes`,
    );
    // All exports kept, also those that share code: more than what a bundler ships (entries.test.mjs).
    assert.ok(all <= 103_000, `${build}: ${all} bytes`);
  }
});

test('locks have no addresses, and nothing that is installed runs a script', () => {
  const locks = projectFiles((path) => path.endsWith('package-lock.json'));
  assert.ok(locks.length > 5, String(locks));
  for (const lock of locks) {
    // Of tools that would run one, npm installs the files alone.
    const runsNone = /^ignore-scripts=true$/m.test(
      readFileSync(join(root, dirname(lock), '.npmrc'), 'utf8'),
    );
    for (const [path, { resolved, hasInstallScript }] of Object.entries(
      JSON.parse(readFileSync(join(root, lock), 'utf8')).packages,
    )) {
      assert.equal(resolved, undefined, `${lock}: ${path}`);
      assert.ok(runsNone || !hasInstallScript, `${lock}: ${path}`);
    }
  }
});
