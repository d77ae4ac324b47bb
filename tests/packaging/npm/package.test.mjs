// The package as npm packs and installs it. Needs build/packed/project.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { dist, filesIn, fromRoot, installed, project, root } from '../lib/project.mjs';

const run = promisify(execFile);
const variants = ['relaxed-simd-threads', 'relaxed-simd', 'simd-threads', 'simd'];
const wasmFiles = ['models-', ''].flatMap((extent) =>
  variants.map((variant) => `headwise-${extent}${variant}.wasm`),
);

const scripts = filesIn(dist).filter((name) => name.endsWith('.js'));
const isEntry = (name) => ['index.js', 'models.js'].includes(name);
const textOf = (name) => readFileSync(join(dist, name), 'utf8');
const codeOf = (name) => textOf(name).replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, '');

test('it has the expected files', () => {
  const files = filesIn(installed).filter((name) => !name.endsWith('.d.ts'));
  const held = ['files', 'in-worker', 'in-worker-host', 'layer', 'model', 'view', 'worker'];
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD_PARTY.md', 'package.json'],
    ...wasmFiles.map((name) => `dist/${name}`),
    // inline.js has the WebAssembly in it and no source map.
    ...['dist/index.js', 'dist/inline.js', 'dist/models.js'],
    ...held.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]),
  ];
  assert.deepEqual(files, expected.sort());
});

test('its JavaScript keeps lines, names and comments', () => {
  for (const name of scripts) {
    // Except for the text that is WebAssembly.
    const lines = textOf(name)
      .split('\n')
      .filter((line) => !/^var \w+ = "AGFzbQ/.test(line));
    const longest = Math.max(...lines.map(({ length }) => length));
    assert.ok(longest < 1000, `${name}: a line of ${longest} characters`);
    if (!isEntry(name)) assert.match(textOf(name), /^\/\*\*/m, `${name}: no doc comment`);
  }
  assert.match(textOf('layer.js'), /^async function init\(options\) \{$/m);
});

test('an uncaught error is short, and names calls and sources', async () => {
  const program = `import { init, MultiHeadAttention, Tensor } from 'headwise';
await init();
const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, querySize: 4, keySize: 4, valueSize: 4 });
const X = Tensor.ones([1, 2, 5]);
layer.forward(X, X, X);`;
  for (const [flags, place] of [
    [[], /dist\/layer\.js:\d+/],
    [
      ['--enable-source-maps'],
      /bindings\/js\/runtime\/core\.ts:\d+\n +throw new HeadwiseError\([^]*js\/layer\/forward\.ts:\d+/,
    ],
  ]) {
    const { stderr } = await run(
      process.execPath,
      [...flags, '--input-type=module', '-e', program],
      { cwd: project },
    ).catch((error) => error);
    const message = /^HeadwiseError: queries: expected \(batch, queries, 4\), got \(1, 2, 5\)$/m;
    for (const expected of [
      message,
      /^ {4}at runForward \(/m,
      /^ {4}at MultiHeadAttention\.forward \(/m,
      place,
    ]) {
      assert.match(stderr, expected);
    }
    assert.ok(stderr.length < 3000, `${stderr.length} characters:\n${stderr}`);
  }
});

test('its source maps hold their sources and name no folder of the machine', () => {
  for (const name of scripts.filter((each) => !isEntry(each) && each !== 'inline.js')) {
    const map = textOf(`${name}.map`);
    const { sources, sourcesContent } = JSON.parse(map);
    assert.equal(sourcesContent.length, sources.length);
    for (const source of sources) {
      assert.match(source, /^\.\.\/(bindings\/js|build\/(wasm|generated)|node_modules)\//, name);
    }
    assert.doesNotMatch(map, /file:\/\/\/\w/, name);
  }
});

test('its JavaScript evaluates no text and imports nothing but its own files', () => {
  for (const name of scripts) {
    const code = codeOf(name)
      // Methods may be named eval, as MultiHeadAttention's is; and errors name what a policy must allow.
      .replaceAll(/\.eval\(|\beval\(\)\s*\{|unsafe-eval/g, '')
      // A worker of another origin imports its file by a script of the page's.
      .replace('`import "${href}"`', '');
    for (const wrong of [
      ...[/\beval\b/, /\bFunction\s*\(/, /\brequire\s*\(|createRequire/],
      ...[/\bfrom\s*["'`](?!\.)/, /\bimport\s*\(?\s*["'`](?!\.)/],
      // It makes bundlers add a `process` to the page.
      /typeof process\b(?!\?)/,
    ]) {
      assert.doesNotMatch(code, wrong, name);
    }
    // Bundlers follow literals, and turn variables into folders.
    const literal = /new URL\(\s*"\.\/[\w-]+\.(wasm|js)",\s*import\.meta\.url\s*\)/g;
    assert.equal(code.match(literal)?.length, code.match(/import\.meta\.url/g)?.length, name);
  }
});

test('its manifest leads to the project, and to files for import and require', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  const places = Object.entries(manifest.exports)
    .filter(([name]) => !name.includes('*'))
    .flatMap(([, place]) => (typeof place === 'string' ? place : Object.values(place)));
  assert.equal(places.length, 13);
  for (const place of [manifest.main, manifest.types, ...places]) {
    assert.ok(existsSync(join(installed, place)), place);
  }
  const home = 'github.com/headwise/headwise';
  assert.equal(manifest.repository.url, `git+https://${home}.git`);
  assert.equal(manifest.homepage, `https://${home}#readme`);
  assert.equal(manifest.bugs.url, `https://${home}/issues`);
  assert.equal(manifest.author, 'The headwise authors');

  const { resolve } = createRequire(join(project, 'package.json'));
  for (const file of ['worker.js', ...wasmFiles]) {
    assert.equal(resolve(`headwise/${file}`), join(dist, file));
  }
  assert.throws(() => resolve('headwise/dist/index.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});

test('links of its README lead to files of the repository', () => {
  const text = readFileSync(join(installed, 'README.md'), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target);
  const own = targets.flatMap((target) => {
    assert.match(target, /^https:\/\//);
    const place =
      /^https:\/\/(?:raw\.githubusercontent\.com\/headwise\/headwise|github\.com\/headwise\/headwise\/(?:blob|tree))\/main\/(.*)$/;
    return place.exec(target)?.slice(1) ?? [];
  });
  assert.ok(own.length >= 20, String(own));
  for (const path of own) assert.ok(existsSync(fromRoot(path)), path);
});

test('classes keep their names, which consoles and debuggers show', async () => {
  const headwise = await import(join(dist, 'index.js'));
  for (const name of ['Transformer', 'HeadwiseError', 'MultiHeadAttention', 'Tensor']) {
    assert.equal(headwise[name].name, name);
  }
});

test('installing runs no scripts, and publishing uses pinned actions', () => {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const locks = listed.filter((path) => path.endsWith('package-lock.json'));
  assert.ok(locks.length >= 2, String(locks));
  for (const lock of locks) {
    // For packages with install scripts npm installs only the files.
    const configuration = readFileSync(fromRoot(dirname(lock), '.npmrc'), 'utf8');
    const runsNone = /^ignore-scripts=true$/m.test(configuration);
    const { packages } = JSON.parse(readFileSync(fromRoot(lock), 'utf8'));
    for (const [path, { resolved, hasInstallScript }] of Object.entries(packages)) {
      assert.equal(resolved, undefined, `${lock}: ${path}`);
      assert.ok(runsNone || !hasInstallScript, `${lock}: ${path}`);
    }
  }
  const workflows = listed.filter((path) => path.startsWith('.github/workflows/'));
  const uses = workflows.flatMap((path) => [
    ...readFileSync(fromRoot(path), 'utf8').matchAll(/^.*\buses:\s*(.*)$/gm),
  ]);
  assert.ok(uses.length >= 3);
  for (const [, used] of uses) {
    assert.match(used, /^(\.\/.*|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  }
  const release = readFileSync(fromRoot('.github/workflows/release.yml'), 'utf8');
  assert.equal(release.match(/id-token: write/g)?.length, 1);
  assert.match(release, /npm publish .* --provenance .*--ignore-scripts/);
});
