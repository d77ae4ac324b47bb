// The installed tarball in a page of Chromium, its module workers and its service worker, without a bundler. Needs
// build/packed.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { after, before } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';
import { launchBrowser, newPage } from '../../browser/lib/browser.mjs';
import { isolation } from '../../browser/lib/package-server.mjs';
import { watchForProblems } from '../../browser/lib/problems.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { showsLine } from '../lib/snippets.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { judge, oracleCases } from '../shared/judge.mjs';

const folder = fromRoot('build/matrix/pages');
const cases = oracleCases();

let browser;
before(async () => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(fromRoot('tests/matrix/runtimes/pages'), folder, { recursive: true });
  cpSync(fromRoot('tests/matrix/shared/suite.js'), `${folder}/suite.js`);
  cpSync(fromRoot(packedProject, 'node_modules/headwise/dist'), `${folder}/headwise`, {
    recursive: true,
  });
  browser = await launchBrowser('headlessChrome');
});
after(() => browser?.close());

/** By the table's name, what runs in the page to get the results. */
const places = {
  page: async (given) => (await import('/run.js')).run(given),
  'module worker': (given) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.js', location.href), { type: 'module' });
      worker.onerror = ({ message }) => reject(new Error(message ?? 'a worker that does not load'));
      worker.onmessage = ({ data }) => {
        if (data === 'loaded') worker.postMessage(given);
        else if (data.error) reject(new Error(data.error));
        else resolve(data.results);
      };
    }),
  'service worker': async (given) => {
    await navigator.serviceWorker.register('/service-worker.js', { type: 'module' });
    const { active } = await navigator.serviceWorker.ready;
    return new Promise((resolve, reject) => {
      navigator.serviceWorker.onmessage = ({ data }) =>
        data.error ? reject(new Error(data.error)) : resolve(data.results);
      active.postMessage(given);
    });
  },
};
assert.ok(
  showsLine(
    'docs/runtimes.md',
    "navigator.serviceWorker.register('/service-worker.js', { type: 'module' });",
  ),
);

for (const [place, run] of Object.entries(places)) {
  const trial = trialsOf('runtimes', `Chromium, ${place}`);

  /** The results; nothing else may go wrong than what `wrong` asks for. */
  async function resultsIn({ headers, options }) {
    const server = await serveFolder(folder, { headers });
    const page = await newPage(browser);
    try {
      const problems = watchForProblems(page);
      await page.goto(server.url);
      const results = await page.evaluate(run, { cases, options });
      assert.deepEqual(
        problems.filter((each) => !each.includes('nowhere.wasm')),
        [],
      );
      return results;
    } finally {
      await page.close();
      await server.close();
    }
  }

  let results;
  const once = () => (results ??= resultsIn({ headers: {}, options: {} }));
  trial('loads', 'imports the package, on one thread', async () =>
    judge.loads(await once(), { variant: 'relaxed-simd', threads: 1 }),
  );
  trial('oracle', 'oracle cases', async () => judge.oracle(await once()));
  trial('models', 'models', async () => judge.models(await once()));
  trial('errors', 'errors of bad calls, and of a file that is not there', async () => {
    judge.errors(await once());
    const { message, ...wrong } = (await once()).wrong;
    assert.deepEqual(wrong, { name: 'HeadwiseError', code: 'load-failed' });
    assert.match(
      message,
      /^wasm: expected a WebAssembly module at http:.*\/nowhere\.wasm, got HTTP status 404$/,
    );
  });

  if (place === 'service worker') {
    trial.without('threads', 'has none');
    trial('loads', 'on one thread, isolated or not', async () => {
      const found = await resultsIn({ headers: isolation, options: {} });
      judge.loads(found, { threads: 1 });
      judge.oracle(found);
    });
  } else {
    trial('threads', 'three threads, isolated', async () => {
      const found = await resultsIn({ headers: isolation, options: { threads: 3 } });
      judge.loads(found, { threads: 3 });
      judge.threads(found, 3);
      judge.oracle(found);
    });
  }
}
