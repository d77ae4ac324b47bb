// The package as it is shipped, without a bundler, served to a browser under a Content-Security-Policy
// that allows WebAssembly and no eval.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { serveFolder } from './server.mjs';

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
  "connect-src 'self'; img-src data:";

export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Serves the package while the file's tests run; gives the function that opens a page of it. */
export function servePackage(name, { isolated = false } = {}) {
  const folder = fileURLToPath(new URL(`../../../build/browser-package/${name}`, import.meta.url));
  let server;
  let browser;

  before(async () => {
    rmSync(folder, { recursive: true, force: true });
    const lay = (from, to) =>
      cpSync(fileURLToPath(new URL(from, import.meta.url)), join(folder, to), { recursive: true });
    lay('../package', '.');
    lay('../../../dist', 'headwise');
    const headers = { 'Content-Security-Policy': policy, ...(isolated ? isolation : {}) };
    [server, browser] = await Promise.all([serveFolder(folder, { headers }), launchBrowser()]);
  });

  after(async () => {
    await browser?.close();
    await server?.close();
  });

  return async function open(t) {
    const page = await browser.newPage();
    const problems = watchForProblems(page);
    t.after(async () => {
      await page.close();
      assert.deepEqual(problems, []);
    });
    await page.goto(server.url);
    return page;
  };
}
