// The published package without a bundler, served with a Content-Security-Policy that allows WebAssembly and no eval.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './browser.mjs';
import { serveFolder } from './server.mjs';
import { openTab, shared } from './shared.mjs';

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
  "connect-src 'self'; img-src data:";

export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const layFolder = shared(async () => {
  const folder = join(root, 'build/browser-package');
  rmSync(folder, { recursive: true, force: true });
  cpSync(fileURLToPath(new URL('../package/served', import.meta.url)), folder, { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'headwise'), { recursive: true });
  return { folder, close: () => undefined };
});

const serverWith = (headers) =>
  shared(async () => {
    const { folder } = await layFolder();
    return serveFolder(folder, { headers: { 'Content-Security-Policy': policy, ...headers } });
  });

const plain = serverWith({});
const isolated = serverWith(isolation);

const openAt = (server) => async (t) => {
  const { url } = await server();
  const page = await openTab(t);
  await page.goto(url);
  return page;
};

/** Open a page with the package, and one that is cross-origin isolated. */
export const openPlain = openAt(plain);
export const openIsolated = openAt(isolated);

/** Starts a worker in a page, sends it `question` and returns its first message. */
export const messageOf = (page, script, question) =>
  page.evaluate(
    (file, asked) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(file, { type: 'module' });
        worker.onmessage = ({ data }) => {
          worker.terminate();
          resolve(data);
        };
        worker.onerror = ({ message }) => reject(new Error(message ?? 'the worker failed to load'));
        worker.postMessage(asked);
      }),
    script,
    question,
  );
