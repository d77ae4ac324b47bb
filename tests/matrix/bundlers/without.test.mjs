// What one sees without the lines that docs/bundlers.md gives: the document quotes it, and nothing else.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { isolation } from '../../browser/lib/package-server.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { sharedBrowser } from '../../browser/lib/shared.mjs';
import { copyPage, layOut, shell, startServer } from './lib/applications.mjs';
import { blocksOf, isQuoted, policies } from './lib/document.mjs';
import { opener } from './lib/pages.mjs';
import { layOutNext } from './tools.mjs';

const quotes = blocksOf('text');
const unseen = new Set(quotes);

/** Asserts that the document quotes this. */
function assertQuoted(text) {
  const found = quotes.find((quote) => isQuoted(quote, text));
  assert.ok(found, `docs/bundlers.md does not have:\n${text}`);
  unseen.delete(found);
}

/** The message of the error of `init` in the page of a folder. */
async function messageOf(t, folder, { headers = {}, options } = {}) {
  const server = await serveFolder(folder, { headers });
  t.after(() => server.close());
  const isIsolated = 'Cross-Origin-Opener-Policy' in headers;
  const spoil = () => undefined;
  const page = await opener(sharedBrowser, () => server.url)(t, { isIsolated, spoil });
  return page.evaluate(
    (given) =>
      window.headwise.init(given).then(
        () => 'no error',
        ({ message }) => message,
      ),
    options,
  );
}

async function build(name, application, line, change) {
  const folder = layOut(`without-${name}`, [application]);
  change?.(folder);
  await shell(line, folder);
  copyPage(folder);
  return `${folder}/dist`;
}

test('Rollup without the plugin', async (t) => {
  const folder = await build('rollup', 'rollup', 'rollup --config', (place) => {
    const file = `${place}/rollup.config.js`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(', importMetaAssets()', ''));
  });
  assertQuoted(await messageOf(t, folder));
});

test('esbuild without the files', async (t) => {
  const line = 'esbuild main.js --bundle --format=esm --splitting --outdir=dist';
  assertQuoted(await messageOf(t, await build('esbuild', 'esbuild-esm', line)));
});

test("esbuild's script without its place", async (t) => {
  const line = 'esbuild main.js --bundle --outdir=dist';
  assertQuoted(await messageOf(t, await build('define', 'esbuild-iife', line)));
});

test('Parcel without exports', async () => {
  const folder = layOut('without-parcel', ['parcel']);
  writeFileSync(`${folder}/package-lock.json`, '{}');
  writeFileSync(`${folder}/package.json`, '{ "private": true }');
  const { message } = await shell('parcel build index.html', folder).catch((error) => error);
  const line = /^@parcel\/core: .*$/m.exec(message);
  assert.ok(line, message);
  assertQuoted(line[0]);
});

test("Next.js's server, built by webpack, without an external package", async (t) => {
  const folder = layOutNext('without-next', ['next', 'next-server'], {
    without: ['serverExternalPackages'],
  });
  await shell('next build --webpack', folder);
  const server = await startServer(
    (port) => `next start --hostname localhost --port ${port}`,
    folder,
  );
  t.after(() => server.close());
  const answer = await fetch(`${server.url}attention`);
  assert.equal(answer.status, 500);
  const line = /\[HeadwiseError\]: (.*)$/m.exec(server.printed());
  assert.ok(line, server.printed());
  assertQuoted(line[1]);
});

let pages;
const ownPages = () => (pages ??= build('vite', 'vite', 'vite build'));

test('a page that is not isolated, and threads', async (t) => {
  assertQuoted(await messageOf(t, await ownPages(), { options: { threads: 3 } }));
});

/** The first policy that the document gives, with another directive in place of one. */
function policyWith(directive) {
  const [name] = directive.split(' ');
  const changed = policies()[0]
    .split('; ')
    .map((each) => (each.startsWith(`${name} `) ? directive : each));
  assert.ok(changed.includes(directive));
  return { 'Content-Security-Policy': changed.join('; ') };
}

for (const directive of ["script-src 'self'", "connect-src 'none'"]) {
  test(`a policy with ${directive}`, async (t) => {
    const headers = policyWith(directive);
    assertQuoted(await messageOf(t, await ownPages(), { headers }));
  });
}

test("a policy with worker-src 'none'", async (t) => {
  const headers = { ...policyWith("worker-src 'none'"), ...isolation };
  const options = { threads: 3 };
  assertQuoted(await messageOf(t, await ownPages(), { headers, options }));
});

test('nothing that is quoted was not seen', () => {
  assert.deepEqual([...unseen], []);
});
