// The package as it is shipped, without a bundler, in a page and in a worker, under a
// Content-Security-Policy that allows WebAssembly and no eval.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from './lib/browser.mjs';
import { watchForProblems } from './lib/problems.mjs';
import { serveFolder } from './lib/server.mjs';

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
  "connect-src 'self'; img-src data:";

const folder = fileURLToPath(new URL('../../build/browser-package', import.meta.url));
let server;
let browser;

before(async () => {
  rmSync(folder, { recursive: true, force: true });
  const lay = (from, to) =>
    cpSync(fileURLToPath(new URL(from, import.meta.url)), join(folder, to), { recursive: true });
  lay('package', '.');
  lay('../../dist', 'headwise');
  const headers = { 'Content-Security-Policy': policy };
  [server, browser] = await Promise.all([serveFolder(folder, { headers }), launchBrowser()]);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

async function open(t) {
  const page = await browser.newPage();
  const problems = watchForProblems(page);
  t.after(async () => {
    await page.close();
    assert.deepEqual(problems, []);
  });
  await page.goto(server.url);
  return page;
}

function assertIsToyExample({ variant, outputShape, weightsShape, weights }) {
  assert.equal(variant, 'relaxed-simd');
  assert.deepEqual(outputShape, [2, 4, 100]);
  assert.deepEqual(weightsShape, [2, 5, 4, 6]);
  const third = Math.fround(1 / 3);
  const rowsOfSample = (row) => Array.from({ length: 5 * 4 }, () => row).flat();
  assert.deepEqual(weights, [
    ...rowsOfSample([third, third, third, 0, 0, 0]),
    ...rowsOfSample([0.5, 0.5, 0, 0, 0, 0]),
  ]);
}

test('the toy example in a page', async (t) => {
  const page = await open(t);
  const result = await page.evaluate(async () => {
    const { toy } = await import('/toy.js');
    return toy();
  });
  assertIsToyExample(result);
});

test('the toy example in a worker', async (t) => {
  const page = await open(t);
  const result = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/worker.js', { type: 'module' });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message ?? 'the worker failed to load'));
      }),
  );
  assertIsToyExample(result);
});
