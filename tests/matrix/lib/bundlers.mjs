// Tries the package in an application that a bundler builds and serves as docs/bundlers.md says, opened in Chromium.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { serveFolder } from '../../browser/lib/server.mjs';
import { openTab } from '../../browser/lib/shared.mjs';
import { blocks, readmeExample } from '../../packaging/lib/documents.mjs';
import { dist, fastest, fromRoot } from '../../packaging/lib/project.mjs';
import { judge, readmePrints } from './judge.mjs';
import { writeFolder } from './processes.mjs';

/** The code blocks of a section of the document. */
export const documented = (heading, ...languages) =>
  blocks('docs/bundlers.md', heading, ...languages);

/** Asserts that a text is what the document quotes, where `…` stands for anything. */
export function assertQuoted(text, quote) {
  const escaped = quote.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  assert.match(text, new RegExp(`^${escaped.replaceAll('…', '.*')}$`, 's'));
}

const [isolationText, withoutIsolation] = documented(
  'Threads: cross-origin isolation',
  'http',
  'text',
);

/** The headers that isolate a page. */
export const isolation = Object.fromEntries(
  isolationText
    .trim()
    .split('\n')
    .map((line) => line.split(': ')),
);

export const htmlPage = (body, head = '') => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>headwise</title><link rel="icon" href="data:," />${head}</head>
  <body>${body}</body>
</html>
`;

/** A module that makes the application's calls available to the test. */
export const main = "import { expose } from './shared/app.js';\n\nexpose();\n";

/** The README's example as a function, since not every format has `await` at the top of a module. */
function exampleModule() {
  const [imports, ...rest] = readmeExample().split('\n\n');
  return `${imports}\n\nexport async function example() {\n${rest.join('\n\n')}}\n`;
}

/** Writes an application with an installed headwise into build/matrix and returns its folder. */
export function writeApplication(name, files) {
  const shared = (file) => readFileSync(fromRoot('tests/matrix/lib', file), 'utf8');
  const folder = writeFolder(`applications/${name}`, {
    'package.json': '{ "private": true, "type": "module" }',
    'shared/app.js': shared('app.js'),
    'shared/suite.js': shared('suite.js'),
    'shared/example.js': exampleModule(),
    ...files,
  });
  cpSync(`${dist}/..`, `${folder}/node_modules/headwise`, { recursive: true });
  return folder;
}

/** The page of an application without a bundler, which begins with an import map. */
export const mappedPage = (importMap) =>
  htmlPage(`<script type="module">${main}</script>`, importMap);

/** Writes an application with the package's files beside its page. */
export function writeUnbundled(name, files) {
  const folder = writeApplication(name, files);
  cpSync(dist, `${folder}/headwise`, { recursive: true });
  return folder;
}

const [importMapOfCdn] = documented('Another origin', 'html');

/** Serves the package from another origin, as CDNs do, for a page with the documented import map. */
export async function serveCdn() {
  const server = await serveFolder(dist, { headers: { 'Access-Control-Allow-Origin': '*' } });
  const place = /https:\/\/cdn\.example\/headwise@.*?\/dist\//g;
  return { ...server, page: mappedPage(importMapOfCdn.replaceAll(place, server.url)) };
}

/** Serves files as any host does, with the headers that isolate pages or without; they are built once. */
export function servesFiles(build) {
  let built;
  return async (isIsolated) =>
    serveFolder(await (built ??= build()), { headers: isIsolated ? isolation : {} });
}

/** Opens a page, in which nothing may go wrong unless `mayFail`. `prepare` gets it before. */
export async function openPage(t, url, { isIsolated = false, mayFail = false, prepare } = {}) {
  const page = await openTab(t, { mayFail });
  await prepare?.(page);
  await page.goto(url);
  await page.waitForFunction(() => 'headwise' in window);
  assert.equal(await page.evaluate(() => window.crossOriginIsolated), isIsolated);
  return page;
}

/** Opens the page of a folder that is served with these headers. */
export async function openFolder(t, folder, headers = {}, options = {}) {
  const server = await serveFolder(folder, { headers });
  t.after(() => server.close());
  const isIsolated = 'Cross-Origin-Opener-Policy' in headers;
  return openPage(t, server.url, { isIsolated, ...options });
}

/** Calls a function of the application. */
export const call = (page, name, options) =>
  page.evaluate((called, given) => window.headwise[called](given), name, options);

/** The number of threads that `init` gives, or the message of its error. */
export const initIn = (page, options) =>
  page.evaluate(
    (given) =>
      window.headwise.init(given).then(
        ({ threads }) => threads,
        ({ message }) => message,
      ),
    options,
  );

/** Watches which WebAssembly files a page fetches. Returns what gives their names once the page is quiet. */
function watchFiles(page) {
  const sizes = new Map(
    readdirSync(dist)
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => [statSync(`${dist}/${name}`).size, name]),
  );
  const responses = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.wasm')) responses.push(response);
  });
  return async () => {
    await page.waitForNetworkIdle({ idleTime: 50 });
    const contents = await Promise.all(responses.map((response) => response.buffer()));
    return contents.map(({ length }) => sizes.get(length)).sort();
  };
}

const third = Math.fround(1 / 3);
const rowsOf = (row) => Array.from({ length: 5 * 4 }, () => row).flat();
const weights = [...rowsOf([third, third, third, 0, 0, 0]), ...rowsOf([0.5, 0.5, 0, 0, 0, 0])];

/** Answers 404 for the files that some bundlers do not copy. */
async function withoutFiles(page) {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (/\.wasm$|worker[\w.-]*\.js$/.test(request.url()))
      request.respond({ status: 404, headers: { 'Access-Control-Allow-Origin': '*' } });
    else request.continue();
  });
}

/** Every worker fails as soon as it starts. */
const withoutWorkers = (page) =>
  page.evaluateOnNewDocument(() => {
    window.Worker = class {
      constructor() {
        throw new Error('no workers today');
      }
    };
  });

/** Tests in a page, isolated or not. */
function tryPage(open, { isIsolated, loadsAll }) {
  const threads = isIsolated ? 3 : 1;
  const chosen = { variant: fastest, threads };
  const options = isIsolated ? { threads } : undefined;
  const suffix = isIsolated ? '-threads' : '';
  const layer = `headwise-${fastest}${suffix}.wasm`;
  const models = `headwise-models-${fastest}${suffix}.wasm`;
  const kind = isIsolated ? 'isolated page' : 'page';

  test(`${kind}: loads the layer, and models when they are imported`, async (t) => {
    const page = await open(t);
    const files = watchFiles(page);
    assert.deepEqual(await call(page, 'toy', options), { ...chosen, weights });
    assert.equal(page.workers().length, threads - 1);
    // Tools that leave the package in one piece import its models at once.
    assert.deepEqual(await files(), [loadsAll ? models : layer]);
    judge(await call(page, 'all', options), chosen);
    assert.deepEqual(await files(), loadsAll ? [models] : [models, layer]);
    assert.deepEqual(await call(page, 'toy', options), { ...chosen, weights });
  });

  test(`${kind}: runs the README's example, headwise/inline and headwise/worker`, async (t) => {
    const page = await open(t);
    const printed = [];
    page.on('console', (message) =>
      printed.push(Promise.all(message.args().map((each) => each.jsonValue()))),
    );
    await call(page, 'example');
    const lines = (await Promise.all(printed)).map(([value]) => JSON.stringify(value));
    assert.deepEqual(lines, readmePrints);
    const cores = isIsolated ? Math.min(availableParallelism(), 8) : 1;
    assert.equal(page.workers().length, cores - 1);

    const files = watchFiles(page);
    const ofInline = { variant: 'simd', threads: 1, weights };
    assert.deepEqual(await call(page, 'inline'), ofInline);
    assert.deepEqual(await files(), []);
    assert.deepEqual(await call(page, 'inWorker', options), { ...chosen, weights });
  });

  test(`${kind}: says which file is not there, and the option to give`, async (t) => {
    const page = await open(t, { mayFail: true, prepare: withoutFiles });
    // Next.js has addresses without a host.
    assert.match(
      await initIn(page, { threads: 1 }),
      /^wasm: expected a WebAssembly module at (http:\/)?\/.*\.wasm .*init\(\{ wasm \}\).*, got HTTP status 404$/,
    );
  });
}

/**
 * Tries an application.
 *
 * @param {string} name of the tool
 * @param {object} how
 * @param {(isIsolated: boolean) => Promise<{ url: string, close(): Promise<void> }>} how.serve
 * @param {boolean[]} [how.kinds] of its pages: isolated or not
 * @param {boolean} [how.loadsAll] whether it leaves the package in one piece
 * @param {boolean} [how.hasRoute] whether its server computes at /attention
 */
export function tryApplication(name, { serve, kinds = [false, true], loadsAll, hasRoute }) {
  describe(name, () => {
    const servers = {};
    before(async () => {
      for (const isIsolated of kinds) servers[isIsolated] = await serve(isIsolated);
    });
    after(() => Promise.all(Object.values(servers).map((server) => server.close())));
    const openIn = (isIsolated) => (t, options) =>
      openPage(t, servers[isIsolated].url, { isIsolated, ...options });

    for (const isIsolated of kinds) tryPage(openIn(isIsolated), { isIsolated, loadsAll });

    if (kinds.includes(false)) {
      test('page: threads need isolation', async (t) => {
        assertQuoted(await initIn(await openIn(false)(t), { threads: 3 }), withoutIsolation);
      });
    }

    test('isolated page: loads the variant that is asked for', async (t) => {
      const options = { variant: 'simd', threads: 1 };
      const page = await openIn(true)(t);
      assert.deepEqual(await call(page, 'toy', options), { ...options, weights });
    });

    test('isolated page: without its workers it computes on one thread, or says so', async (t) => {
      const page = await openIn(true)(t, { mayFail: true, prepare: withoutWorkers });
      assert.deepEqual(await call(page, 'toy'), { variant: fastest, threads: 1, weights });
      assert.match(await initIn(page, { threads: 3 }), /^threads: expected workers/);
    });

    if (hasRoute) {
      test('its server computes on two threads', async () => {
        const answer = await fetch(`${servers.true.url}attention`);
        assert.equal(answer.status, 200, await answer.clone().text());
        const { threads, weights: found } = await answer.json();
        assert.equal(threads, 2);
        assert.deepEqual(found.shape, [2, 5, 4, 4]);
        assert.equal(found.data[0], third);
      });
    }
  });
}
