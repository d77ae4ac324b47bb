// headwise/inline: one file that needs no other. Needs build/packed/project.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { dist } from '../lib/project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'headwise-inline-'));
after(() => rmSync(folder, { recursive: true, force: true }));
cpSync(join(dist, 'inline.js'), join(folder, 'inline.mjs'));

const urlOf = (path) => JSON.stringify(pathToFileURL(path).href);
const suite = JSON.stringify(new URL('../../matrix/lib/suite.js', import.meta.url).href);

/** Runs a program beside the file, where there is nothing else. */
async function runs(text) {
  const program = `import assert from 'node:assert/strict';
import * as inline from './inline.mjs';
${text}`;
  const flags = ['--input-type=module', '--eval', program];
  const { stderr } = await promisify(execFile)(process.execPath, flags, { cwd: folder });
  assert.equal(stderr, '');
}

test('one file computes what the package does, models included', () =>
  runs(`
import * as there from ${urlOf(join(dist, 'index.js'))};
import { suite } from ${suite};
const results = await suite(inline);
assert.deepEqual([results.variant, results.threads], ['simd', 1]);
assert.deepEqual(results, await suite(there, { variant: 'simd', threads: 1 }));
assert.equal((await inline.init({ threads: 1 })).threads, 1);
`));

test('unsupported options are errors, and a file may be given', () =>
  runs(`
import { readFileSync } from 'node:fs';
const { init, MultiHeadAttention } = inline;
const fails = (options, message) => assert.rejects(init(options), { name: 'HeadwiseError', code: 'unsupported', message });
await fails({ threads: 2 }, 'threads: expected 1, as headwise/inline has no workers, got 2');
await fails({ variant: 'relaxed-simd' }, /^variant: expected 'simd', as headwise\\/inline has no other, got "relaxed-simd"$/);
const wasm = readFileSync(new URL(${urlOf(join(dist, 'headwise-simd.wasm'))}));
assert.equal((await init({ wasm })).variant, 'simd');
assert.throws(() => new MultiHeadAttention({ numHiddens: 4 }), { code: 'invalid-option' });
`));

test('it exports every name of the package, and loads no file', async () => {
  const code = readFileSync(join(dist, 'inline.js'), 'utf8');
  assert.doesNotMatch(code, /import\.meta|new URL\(\s*"|new Worker\(|^import\b|\bimport\(/m);
  const [names, all] = await Promise.all(
    ['inline.js', 'index.js'].map(async (file) =>
      Object.keys(await import(pathToFileURL(join(dist, file)).href)).sort(),
    ),
  );
  assert.deepEqual(names, all);
});
