// What the package costs whoever imports an entry that entries.test.mjs and inline.test.mjs do not measure, and how long
// a program takes to start with it. Needs build/packed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'rolldown';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';

const folder = mkdtempSync(join(fromRoot(packedProject), 'budgets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function minified(input) {
  const { output } = await build({
    input,
    platform: 'browser',
    write: false,
    output: { format: 'esm', minify: true },
  });
  return output
    .filter(({ type }) => type === 'chunk')
    .reduce((sum, { code }) => sum + brotliCompressSync(code).byteLength, 0);
}

test('headwise/worker: what a page loads before its worker does is small', async (t) => {
  const page = write(
    'page.js',
    `import { init, MultiHeadAttention, Tensor } from 'headwise/worker';
await init();
globalThis.used = [await new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }), Tensor];`,
  );
  const host = fromRoot(packedProject, 'node_modules/headwise/dist/in-worker-host.js');
  const [client, worker] = await Promise.all([page, host].map(minified));
  t.diagnostic(`headwise/worker, brotli: ${client} bytes, its worker's JavaScript ${worker}`);
  assert.ok(client <= 6_500, `${client} bytes`);
  assert.ok(worker <= 37_000, `${worker} bytes`);
});

test('headwise/view: what draws weights is small, and brings no WebAssembly', async (t) => {
  const page = write(
    'view.js',
    "import * as view from 'headwise/view'; view.defineAttentionHeads(); globalThis.view = view;",
  );
  const size = await minified(page);
  t.diagnostic(`headwise/view, brotli: ${size} bytes`);
  assert.ok(size < 25_000, `${size} bytes`);
  const file = fromRoot(packedProject, 'node_modules/headwise/dist/view.js');
  assert.doesNotMatch(readFileSync(file, 'utf8'), /WebAssembly|^import\b|\bimport\(/m);
});

test('a program with the layer starts in little more time than Node does', (t) => {
  const bare = write('bare.mjs', '');
  const layer = write(
    'layer.mjs',
    `import { init, MultiHeadAttention, Tensor } from 'headwise';
await init();
const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
const X = Tensor.ones([2, 4, 100]);
attention.forward(X, X, X);`,
  );
  const timed = (file) => {
    const began = performance.now();
    execFileSync(process.execPath, [file]);
    return performance.now() - began;
  };
  // In turn, and of each the least: a loaded machine slows both, and one quiet run is enough. A short program meets
  // a quiet moment sooner, so that the longer one has as many turns as it needs.
  const least = [Infinity, Infinity];
  const ratioSoFar = () => least[1] / least[0];
  for (let turn = 0; turn < 12 || (turn < 200 && ratioSoFar() > 3.5); turn++) {
    [bare, layer].forEach((file, i) => (least[i] = Math.min(least[i], timed(file))));
  }
  const ratio = ratioSoFar();
  t.diagnostic(`a program with the layer takes ${ratio.toFixed(2)} times as long as an empty one`);
  assert.ok(ratio <= 3.5, `${ratio} times`);
});
