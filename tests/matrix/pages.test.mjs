// The package in pages without a bundler: by import maps, from another origin, under a Content-Security-Policy, and in
// module workers and service workers.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { serveFolder } from '../browser/lib/server.mjs';
import { blocks } from '../packaging/lib/documents.mjs';
import { dist } from '../packaging/lib/project.mjs';
import { assertQuoted, call, documented, htmlPage, initIn, isolation } from './lib/bundlers.mjs';
import { main, openFolder, servesFiles } from './lib/bundlers.mjs';
import { tryApplication, writeApplication } from './lib/bundlers.mjs';
import { judge } from './lib/judge.mjs';
import { shell } from './lib/processes.mjs';

const [importMap] = documented('No bundler', 'html');
const [importMapOfCdn] = documented('Another origin', 'html');

/** An application whose page begins with an import map; the package lies beside it. */
function writeMapped(name, map) {
  const index = htmlPage(`<script type="module">${main}</script>`, map);
  const folder = writeApplication(name, { 'index.html': index });
  cpSync(dist, `${folder}/headwise`, { recursive: true });
  return { folder, index };
}

const serveCdn = () => serveFolder(dist, { headers: { 'Access-Control-Allow-Origin': '*' } });
const mapTo = (url) =>
  importMapOfCdn.replaceAll(/https:\/\/cdn\.example\/headwise@.*?\/dist\//g, url);

tryApplication('import map', {
  loadsAll: true,
  serve: servesFiles(() => writeMapped('import-map', importMap).folder),
});

tryApplication('another origin', {
  loadsAll: true,
  async serve(isIsolated) {
    const cdn = await serveCdn();
    const { folder } = writeMapped(`other-origin-${isIsolated}`, mapTo(cdn.url));
    const { url, close } = await servesFiles(() => folder)(isIsolated);
    return { url, close: () => Promise.all([close(), cdn.close()]) };
  },
});

const [own, withoutEval, withoutConnect, withoutWorkers, ofCdn, manifest] = documented(
  'Content-Security-Policy',
  ...['http', 'text', 'text', 'text', 'http', 'json'],
);

/** Headers with a documented policy, in which some directives are others. */
function policy(text, changes = {}) {
  const directives = text
    .trim()
    .replace(/^Content-Security-Policy: /, '')
    .split('; ')
    .map((directive) => changes[directive.split(' ')[0]] ?? directive);
  for (const directive of Object.values(changes)) assert.ok(directives.includes(directive), text);
  // The icon of the pages here.
  return { 'Content-Security-Policy': [...directives, 'img-src data:'].join('; ') };
}

describe('Content-Security-Policy', () => {
  let folder;
  before(async () => {
    const index = htmlPage('<script src="main.js"></script>');
    const place = writeApplication('policies', { 'main.js': main, 'dist/index.html': index });
    const [, , , script] = documented('esbuild', 'text', 'sh', 'text', 'sh');
    await shell(script.replaceAll('npx ', ''), place);
    folder = `${place}/dist`;
  });

  const ofExtension = JSON.parse(manifest).content_security_policy.extension_pages;
  for (const [kind, text] of Object.entries({ 'a page': own, 'an extension': ofExtension })) {
    for (const threads of [1, 3]) {
      test(`of ${kind}: everything works on ${threads} threads`, async (t) => {
        const headers = { ...policy(text), ...(threads > 1 && isolation) };
        const page = await openFolder(t, folder, headers);
        judge(await call(page, 'all', { threads }), { threads });
        assert.equal((await call(page, 'inWorker', { threads })).threads, threads);
      });
    }
  }

  for (const [changes, quote] of [
    [{ 'script-src': "script-src 'self'" }, withoutEval],
    [{ 'connect-src': "connect-src 'none'" }, withoutConnect],
  ]) {
    test(`${Object.values(changes)}: the error that the document quotes`, async (t) => {
      const page = await openFolder(t, folder, policy(own, changes), { mayFail: true });
      assertQuoted(await initIn(page), quote);
    });
  }

  test("worker-src 'none': one thread, or the error that the document quotes", async (t) => {
    const headers = { ...policy(own, { 'worker-src': "worker-src 'none'" }), ...isolation };
    const page = await openFolder(t, folder, headers, { mayFail: true });
    assertQuoted(await initIn(page, { threads: 3 }), withoutWorkers);
    assert.equal(await initIn(page), 1);
  });
});

describe('Content-Security-Policy with the package from another origin', () => {
  let cdn, mapped;
  before(async () => {
    cdn = await serveCdn();
    mapped = writeMapped('policies-other-origin', mapTo(cdn.url));
  });
  after(() => cdn.close());

  /** Opens the page under the policy, to which the hashes of its scripts are added. */
  function open(t, changes, options) {
    const scripts = [...mapped.index.matchAll(/<script[^>]*>(.*?)<\/script>/gs)];
    const hashes = scripts.map(([, text]) => createHash('sha256').update(text).digest('base64'));
    const headers = policy(ofCdn, changes);
    const allowing = headers['Content-Security-Policy']
      .replaceAll('https://cdn.example', cdn.url)
      .replace('script-src ', `script-src ${hashes.map((hash) => `'sha256-${hash}'`).join(' ')} `);
    const all = { 'Content-Security-Policy': allowing, ...isolation };
    return openFolder(t, mapped.folder, all, options);
  }

  test('workers run', async (t) => {
    judge(await call(await open(t), 'all', { threads: 3 }), { threads: 3 });
  });

  for (const sources of ['blob:', 'https://cdn.example']) {
    test(`worker-src ${sources} alone: one thread, or an error`, async (t) => {
      const page = await open(t, { 'worker-src': `worker-src ${sources}` }, { mayFail: true });
      assertQuoted(await initIn(page, { threads: 3 }), withoutWorkers);
      assert.equal(await initIn(page), 1);
    });
  }
});

const [startWorker, startServiceWorker] = blocks(
  'docs/runtimes.md',
  'Workers of pages',
  ...['js', 'js'],
);
const [registration] = documented('Service workers', 'js');
assert.equal(registration.replace('./', '/'), `await ${startServiceWorker}`);

describe('workers of pages', () => {
  const run = `import * as headwise from './headwise/models.js';
import { suite } from './shared/suite.js';

export const run = (options) => suite(headwise, options).catch(({ stack }) => stack);
`;
  const files = {
    'run.js': run,
    'attention.js': `import { run } from './run.js';
onmessage = async ({ data }) => postMessage(await run(data));
postMessage('loaded');
`,
    'service-worker.js': `import { run } from './run.js';
onmessage = (event) =>
  event.waitUntil(run(event.data).then((results) => event.source.postMessage(results)));
`,
    'page.js': `const answerOf = (place) => new Promise((resolve) => (place.onmessage = ({ data }) => resolve(data)));
window.headwise = {
  async moduleWorker(options) {
    const worker = ${startWorker}
    await answerOf(worker);
    worker.postMessage(options);
    return answerOf(worker);
  },
  async serviceWorker(options) {
    ${registration}
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage(options);
    return answerOf(navigator.serviceWorker);
  },
};
`,
    'index.html': htmlPage('<script type="module" src="page.js"></script>'),
  };

  let folder;
  before(() => {
    folder = writeApplication('workers', files);
    cpSync(dist, `${folder}/headwise`, { recursive: true });
  });

  for (const [place, isolatedThreads] of [
    ['moduleWorker', 3],
    ['serviceWorker', 1],
  ]) {
    for (const headers of [{}, isolation]) {
      const isIsolated = headers === isolation;
      const threads = isIsolated ? isolatedThreads : 1;
      test(`${place}, ${isIsolated ? '' : 'not '}isolated: ${threads} threads`, async (t) => {
        const page = await openFolder(t, folder, headers);
        const options = threads > 1 ? { threads } : {};
        judge(await call(page, place, options), { variant: 'relaxed-simd', threads });
      });
    }
  }
});
