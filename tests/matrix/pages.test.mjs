// The package in pages without a bundler, by import maps, from another origin, in module workers and in service workers.
// Needs build/packed/project and no installed tools.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { blocks } from '../packaging/lib/documents.mjs';
import { fastest, fromRoot } from '../packaging/lib/project.mjs';
import { call, documented, htmlPage, initIn, isolation } from './lib/bundlers.mjs';
import { mappedPage, openFolder } from './lib/bundlers.mjs';
import { serveCdn, servesFiles, tryApplication, writeUnbundled } from './lib/bundlers.mjs';
import { judge } from './lib/judge.mjs';

const [importMap] = documented('No bundler', 'html');

test('import maps have all entries of the package', () => {
  const { exports } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((name) => !/\.\w/.test(name));
  for (const map of [importMap, ...documented('Another origin', 'html')]) {
    const names = Object.keys(JSON.parse(/{.*}/s.exec(map)[0]).imports);
    assert.deepEqual(names.sort(), entries.map((name) => name.replace('.', 'headwise')).sort());
  }
});

tryApplication('import map', {
  loadsAll: true,
  serve: servesFiles(() => writeUnbundled('import-map', { 'index.html': mappedPage(importMap) })),
});

tryApplication('another origin', {
  loadsAll: true,
  async serve(isIsolated) {
    const cdn = await serveCdn();
    const folder = writeUnbundled(`other-origin-${isIsolated}`, { 'index.html': cdn.page });
    const { url, close } = await servesFiles(() => folder)(isIsolated);
    return { url, close: () => Promise.all([close(), cdn.close()]) };
  },
});

test('a service worker isolates the page of a host without headers', async (t) => {
  const [isolate, start] = blocks('docs/hosting.md', 'Hosts without headers', 'jsx', 'js');
  const script = `${start}if (crossOriginIsolated) (await import('./shared/app.js')).expose();`;
  const page = htmlPage(`<script type="module">${script}</script>`, importMap);
  const folder = writeUnbundled('isolate', { 'isolate.js': isolate, 'index.html': page });
  assert.equal(
    await initIn(await openFolder(t, folder, {}, { isIsolated: true }), { threads: 3 }),
    3,
  );
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
    folder = writeUnbundled('workers', files);
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
        judge(await call(page, place, options), { variant: fastest, threads });
      });
    }
  }
});
