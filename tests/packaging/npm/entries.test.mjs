// Programs that import parts of the installed package, bundled and run. Needs build/packed/project.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { readmeExample } from '../lib/documents.mjs';
import { dist, project } from '../lib/project.mjs';

const run = promisify(execFile);
const folder = mkdtempSync(join(project, 'entries-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let programs = 0;
/** Writes a program where the package is installed and returns its path. */
function write(text) {
  const file = join(folder, `program-${programs++}.js`);
  writeFileSync(file, text);
  return file;
}

/** The code that a bundler ships of a file. */
async function codeOf(input) {
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return output.filter(({ type }) => type === 'chunk').map(({ code }) => code);
}
/** By the error that says so where they are missing; the glue has the name of one of their files. */
const loadsModels = (code) => code.join().includes('headwise-models-*');

const sizeOf = (bytes) => brotliCompressSync(bytes).byteLength;

/** The largest of the WebAssembly files for layers, and of those for everything. */
const wasmSizes = Object.fromEntries(
  ['', 'models-'].map((extent) => {
    const isOne = new RegExp(`^headwise-${extent}(relaxed-)?simd(-threads)?\\.wasm$`);
    const names = readdirSync(dist).filter((name) => isOne.test(name));
    assert.equal(names.length, 4);
    return [extent, Math.max(...names.map((name) => sizeOf(readFileSync(join(dist, name)))))];
  }),
);

const example = write(readmeExample());
const everything = write("import * as all from 'headwise/models'; globalThis.all = all;");
const client = write(`import { init, MultiHeadAttention, Tensor } from 'headwise/worker';
await init();
globalThis.used = [await new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }), Tensor];`);
const view = write("import * as view from 'headwise/view'; globalThis.view = view;");

// tests/matrix sees which files pages load.
for (const [name, input, wasm, most] of [
  ["the README's example", example, '', 72_500],
  ['everything', everything, 'models-', 167_900],
  ['headwise/worker', client, undefined, 7_450],
  ["headwise/worker's worker", join(dist, 'in-worker-host.js'), undefined, 45_400],
  ['headwise/view', view, undefined, 16_000],
  ['headwise/inline', join(dist, 'inline.js'), undefined, 199_500],
]) {
  test(`${name}: at most ${most} bytes of brotli`, async (t) => {
    const code = await codeOf(input);
    if (input === example) assert.ok(!loadsModels(code), 'models are loaded for the layer');
    if (input === everything) assert.ok(loadsModels(code));
    if (input === view) assert.doesNotMatch(code.join(), /WebAssembly|\bimport\(/);
    const scripts = code.reduce((sum, text) => sum + sizeOf(text), 0);
    const size = scripts + (wasmSizes[wasm] ?? 0);
    t.diagnostic(`${size} bytes, of which JavaScript ${scripts}`);
    assert.ok(size <= most, `${size} bytes`);
  });
}

/** Names that do not need the build with models. */
const layerNames = [
  ...['HeadwiseError', 'KeyValueCache', 'ModelCache', 'MultiHeadAttention'],
  ...['ResidentTensor', 'Tensor', 'additiveAttention'],
  ...['dispose', 'init', 'maskedSoftmax', 'positionalEncoding'],
  ...['scaledDotProductAttention', 'splitHeads', 'transposeOutput', 'transposeQkv'],
];

test('a single name, imported from either entry, loads models only if it needs them', async () => {
  const names = Object.keys(await import(pathToFileURL(join(dist, 'index.js')).href));
  const ofModels = Object.keys(await import(pathToFileURL(join(dist, 'models.js')).href));
  assert.deepEqual(ofModels.sort(), names.sort());
  for (const entry of ['headwise', 'headwise/models']) {
    for (const name of names) {
      const input = write(`import { ${name} } from '${entry}'; globalThis.used = ${name};`);
      const code = await codeOf(input);
      assert.equal(loadsModels(code), !layerNames.includes(name), `${name} from ${entry}`);
      assert.equal(code.join().includes('GGUF'), name === 'loadGguf', `${name} from ${entry}`);
    }
  }
});

test('headwise/view can be imported without a document, and defines nothing there', async () => {
  const program = `
    import * as view from 'headwise/view';
    const { AttentionHeadsElement, headColour } = view;
    for (const name of ['AttentionHeads', 'HeadScores', 'LogitLens']) view['define' + name]();
    console.log(AttentionHeadsElement.name, headColour(8) === headColour(0), typeof customElements);`;
  const flags = ['--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, flags, { cwd: project });
  assert.equal(stdout, 'AttentionHeadsElement true undefined\n');
});

/** Helpers of a program: notes which files it loads, and checks errors. */
const tools = `
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync(new URL(name, import.meta.url));
const compiled = [];
const { compile } = WebAssembly;
WebAssembly.compile = (bytes) => {
  compiled.push(bytes.byteLength);
  return compile(bytes);
};
const sizes = (...names) => names.map((name) => read(name).byteLength);
const code = (expected) => (error) => error.name === 'HeadwiseError' && error.code === expected;
const sizesOfModel = { vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2 };
`;

/**
 * Bundles a program, which code splitting divides, lays the package's other files beside it, runs it in Node and fails
 * with what it printed.
 */
function runs(name, text) {
  test(name, async (t) => {
    const out = mkdtempSync(join(folder, 'out-'));
    t.after(() => rmSync(out, { recursive: true, force: true }));
    const bundle = await rolldown({ input: write(tools + text), platform: 'node' });
    await bundle.write({ dir: out, format: 'esm' });
    for (const file of readdirSync(dist)) {
      if (/\.wasm$|^worker\.js$/.test(file)) cpSync(join(dist, file), join(out, file));
    }
    const [main] = readdirSync(out).filter((file) => file.startsWith('program-'));
    await run(process.execPath, [join(out, main)]).catch(({ stderr }) => assert.fail(stderr));
  });
}

const simd = "{ variant: 'simd', threads: 1 }";

runs(
  'init loads models that were imported before it, from either entry',
  `
  import { init, MultiHeadAttention } from 'headwise';
  import { Adam, AttentionOnlyTransformer, init as same } from 'headwise/models';
  assert.equal(init, same);
  await init(${simd});
  await same();
  const layer = new MultiHeadAttention({ numHiddens: 8, numHeads: 2 });
  new Adam([layer, new AttentionOnlyTransformer(sizesOfModel)]);
  assert.deepEqual(compiled, sizes('headwise-models-simd.wasm'));
`,
);

runs(
  'another init loads models that were imported later, and earlier objects still work',
  `
  import { dispose, init, MultiHeadAttention, Tensor } from 'headwise';
  const sizesOfLayer = { numHiddens: 8, numHeads: 2, querySize: 8, keySize: 8, valueSize: 8 };
  const X = Tensor.ones([1, 3, 8]);
  const outputOf = (layer) => layer.forward(X, X, X, { causal: true }).output.data;

  await init(${simd});
  await init();
  assert.deepEqual(compiled, sizes('headwise-simd.wasm'));
  const early = new MultiHeadAttention({ ...sizesOfLayer, seed: 1 });
  const cache = early.createCache({ batchSize: 1, maxLength: 8 });
  const before = outputOf(early);
  early.forward(X, X, X, { requiresGrad: true });

  const { Adam, AttentionOnlyTransformer, CopyTask, clipGradientNorm, loadNpy, measureHeadImportance, saveNpy } =
    await import('headwise/models');
  for (const needy of [
    () => new AttentionOnlyTransformer(sizesOfModel),
    () => new Adam(early),
    () => clipGradientNorm(early, 1),
    () => new CopyTask({ numSymbols: 5, length: 8 }),
    () => saveNpy(X),
    () => loadNpy(new Uint8Array(8)),
  ]) {
    assert.throws(needy, code('not-initialized'));
  }
  assert.deepEqual(outputOf(early), before);

  assert.equal((await init()).variant, 'simd');
  await init();
  assert.deepEqual(compiled, sizes('headwise-simd.wasm', 'headwise-models-simd.wasm'));
  const model = new AttentionOnlyTransformer(sizesOfModel);
  const late = new MultiHeadAttention({ ...sizesOfLayer, seed: 1 });
  const task = new CopyTask({ numSymbols: 5, length: 8 });
  const optimizer = new Adam([late, model]);
  for (let turn = 0; turn < 2; turn++) {
    // Each object uses the build in which it was made.
    const { tokens, targets } = task.batch(1, 2);
    assert.ok(model.trainStep(tokens, targets) > 0);
    assert.deepEqual(outputOf(early), before);
    assert.deepEqual(outputOf(late), before);
    assert.deepEqual(early.stateDict(), late.stateDict());
    early.forward(X, X, X, { cache });
    cache.truncate(0);
    early.train().eval();
    late.zeroGradients();
    model.zeroGradients();
    assert.deepEqual(loadNpy(saveNpy(X)), X);
    assert.throws(() => new Adam([late, early]), code('not-initialized'));
    assert.throws(() => clipGradientNorm([early, late], 1), code('not-initialized'));
  }
  // A getter may use another layer in the midst of a call.
  const options = { get causal() { outputOf(early); return true; } };
  assert.deepEqual(late.forward(X, X, X, options).output.data, before);
  assert.deepEqual(early.backward(X).queries.shape, [1, 3, 8]);
  const measured = { measure: 'confidence', batches: [{ queries: X, keys: X, values: X }] };
  assert.deepEqual(
    await measureHeadImportance(early, measured), await measureHeadImportance(late, measured),
  );
  early.pruneHeads([1]);
  assert.equal(early.numHeads, 1);
  early.dispose();
  cache.dispose();
  model.dispose();
  late.dispose();
  optimizer.dispose();
  dispose();
`,
);

runs(
  'threads belong to the newest build; earlier objects compute the same on one',
  `
  import { init, MultiHeadAttention, Tensor } from 'headwise';
  await init({ variant: 'simd', threads: 2 });
  const sizesOfLayer = { numHiddens: 64, numHeads: 4, seed: 1 };
  const input = Tensor.randn([4, 64, 64], 1);
  const early = new MultiHeadAttention(sizesOfLayer);
  const { data } = early.forward(input, input, input).output;
  const { SGD } = await import('headwise/models');
  assert.throws(() => new SGD(early), code('not-initialized'));
  assert.equal((await init()).threads, 2);
  const late = new MultiHeadAttention(sizesOfLayer);
  for (const layer of [early, late, early]) {
    assert.deepEqual(layer.forward(input, input, input).output.data, data);
  }
  process.exit(0);
`,
);

runs(
  'a given file decides whether there are models',
  `
  import { init, MultiHeadAttention } from 'headwise';
  import { AttentionOnlyTransformer } from 'headwise/models';
  const layers = await compile(read('headwise-simd.wasm'));
  await init({ wasm: layers });
  await init({ wasm: layers });
  await init();
  new MultiHeadAttention({ numHiddens: 8, numHeads: 2 });
  assert.throws(() => new AttentionOnlyTransformer(sizesOfModel), (error) =>
    code('not-initialized')(error) && /^headwise: expected headwise-models-\\*\\.wasm, .* got headwise-\\*\\.wasm/.test(error.message));
  assert.deepEqual(compiled, []);
  await init({ wasm: read('headwise-models-simd.wasm') });
  new AttentionOnlyTransformer(sizesOfModel);
  await init({ wasm: read('headwise-models-simd.wasm') });
  await assert.rejects(init({ wasm: layers }), code('unsupported'));
  new AttentionOnlyTransformer(sizesOfModel);
`,
);
