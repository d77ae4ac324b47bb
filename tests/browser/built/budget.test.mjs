// What the page weighs and asks for. How long it takes is told here and measured by
// benchmarks/web/page-load.mjs: as a bound it would say more about the machine than about the page.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { open } from '../lib/pages.mjs';

const brotli = (path) => brotliCompressSync(readFileSync(fromRoot(path))).length;
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

const weigh = (files) => files.reduce((sum, file) => sum + brotli(file), 0);

test('all files together, three more languages of 20 KB each included, are under 435 KB', (t) => {
  // Licences lie beside the page; no visit loads them.
  const isAside = (file) => /\/(?:LICENSE|THIRD_PARTY\.md|model\/[^/]+)$/.test(file);
  const files = listFiles(['build/page'], (file) => !isAside(file));
  const total = weigh(files);
  t.diagnostic(`the page, all ${files.length} files: ${kilobytes(total)} with brotli`);
  assert.ok(total < 435_000, `${total} bytes`);
});

test('the language model is under 2.5 MB', (t) => {
  const files = listFiles(['build/page/model']);
  assert.ok(
    files.some((file) => file.endsWith('.safetensors')),
    files.join(),
  );
  // Float16 of trained weights: brotli makes little of it smaller, and takes long.
  const total = files.reduce((sum, file) => sum + statSync(fromRoot(file)).size, 0);
  t.diagnostic(`the language model: ${kilobytes(total)}`);
  assert.ok(total < 2_500_000, `${total} bytes`);
});

test('a first visit asks for one WebAssembly file, and for little beside it', async (t) => {
  const { page, url } = await open(t);
  const asked = await page.evaluate(() =>
    [...performance.getEntriesByType('resource')].map(({ name }) => name),
  );
  const files = new Set(['index.html', ...asked.map((file) => file.replace(url, ''))]);
  const total = weigh([...files].map((file) => `build/page/${file}`));
  t.diagnostic(`a first visit: ${files.size} files, ${kilobytes(total)} with brotli`);
  assert.equal([...files].filter((file) => file.endsWith('.wasm')).length, 1);
  assert.ok(files.size <= 8, [...files].join());
  assert.ok(total < 150_000, `${total} bytes`);

  const [paint, interactive] = await page.evaluate(() =>
    ['first-paint', 'interactive'].map((name) => performance.getEntriesByName(name)[0]?.startTime),
  );
  assert.ok(interactive > 0);
  t.diagnostic(`first paint ${paint?.toFixed(0)} ms, interactive ${interactive.toFixed(0)} ms`);
});
