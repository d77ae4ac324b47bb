// The installed tarball in applications that bundle it with their tools' own settings, opened in Chromium. Needs
// build/matrix/bundlers, see scripts/lib/matrix.mjs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { launchBrowser } from '../../browser/lib/browser.mjs';
import { isolation } from '../../browser/lib/package-server.mjs';
import { watchForProblems } from '../../browser/lib/problems.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';

const run = promisify(execFile);
const built = (...parts) => fromRoot(matrixFolder('bundlers'), ...parts);

/** Runs a program of Node in the folder where the bundlers are installed, and fails with what it printed. */
const runNode = (...args) =>
  run(process.execPath, args, {
    cwd: built(),
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  }).catch(({ stdout, stderr }) => assert.fail(`${stdout}\n${stderr}`));

const next = (folder, ...flags) =>
  runNode('node_modules/next/dist/bin/next', 'build', folder, ...flags);

/** By name: the application, and how it is built into `out` in its folder. */
const bundlers = {
  webpack: {
    application: 'webpack',
    async build(folder) {
      await runNode(join(folder, 'build.mjs'));
      cpSync(built(folder, 'index.html'), built(folder, 'out', 'index.html'));
    },
  },
  'Next.js (Turbopack)': { application: 'next', build: (folder) => next(folder) },
  'Next.js (webpack)': { application: 'next', build: (folder) => next(folder, '--webpack') },
};

let browser;
before(async () => {
  for (const path of ['shared', 'webpack', 'next']) {
    cpSync(fromRoot('tests/matrix/bundlers', path), built(path), { recursive: true });
  }
  browser = await launchBrowser('headlessChrome');
});
after(() => browser?.close());

const third = Math.fround(1 / 3);
const rowsOf = (row) => Array.from({ length: 5 * 4 }, () => row).flat();
const weights = [...rowsOf([third, third, third, 0, 0, 0]), ...rowsOf([0.5, 0.5, 0, 0, 0, 0])];

for (const [name, { application, build }] of Object.entries(bundlers)) {
  describe(name, () => {
    const folder = `built-${name.replaceAll(/\W+/g, '-').toLowerCase()}`;

    before(async () => {
      rmSync(built(folder), { recursive: true, force: true });
      cpSync(built(application), built(folder), { recursive: true });
      await build(folder);
    });

    /** Opens the application; `spoil` gets the page before that, whose problems are then its own. */
    async function open(t, { headers = {}, spoil } = {}) {
      const server = await serveFolder(built(folder, 'out'), { headers });
      const page = await browser.newPage();
      const problems = watchForProblems(page);
      t.after(async () => {
        await page.close();
        await server.close();
        if (!spoil) assert.deepEqual(problems, []);
      });
      await spoil?.(page);
      await page.goto(server.url);
      await page.waitForFunction(() => 'headwise' in window);
      return page;
    }

    /** Names in the package of the WebAssembly files that the page fetches from now on. */
    function watchFiles(page) {
      const sizes = new Map(
        readdirSync(built('node_modules/headwise/dist'))
          .filter((name) => name.endsWith('.wasm'))
          .map((name) => [statSync(built('node_modules/headwise/dist', name)).size, name]),
      );
      const names = [];
      page.on('response', async (response) => {
        if (response.url().endsWith('.wasm')) {
          const place = names.push(undefined) - 1;
          names[place] = sizes.get((await response.buffer()).length);
        }
      });
      return names;
    }

    const toy = (page, options) => page.evaluate((given) => window.headwise.toy(given), options);

    test('on one thread, in a page that is not isolated', async (t) => {
      const page = await open(t);
      assert.deepEqual(await toy(page), { variant: 'relaxed-simd', threads: 1, weights });
      assert.equal(page.workers().length, 0);
    });

    test('on several, in one that is', async (t) => {
      const page = await open(t, { headers: isolation });
      assert.deepEqual(await toy(page, { threads: 3 }), {
        ...{ variant: 'relaxed-simd', threads: 3, weights },
      });
      assert.equal(page.workers().length, 2);
    });

    test('with models, once they are asked for, and not before', async (t) => {
      const page = await open(t);
      const files = watchFiles(page);
      const expected = { variant: 'relaxed-simd', threads: 1 };
      assert.deepEqual(await toy(page), { ...expected, weights });
      assert.deepEqual(await page.evaluate(() => window.headwise.train()), {
        ...{ ...expected, hasLearnt: true },
      });
      assert.deepEqual(await toy(page), { ...expected, weights });
      await page.waitForNetworkIdle({ idleTime: 50 });
      assert.deepEqual(files, ['headwise-relaxed-simd.wasm', 'headwise-models-relaxed-simd.wasm']);
    });

    test('with the file that is asked for', async (t) => {
      const page = await open(t);
      const expected = { variant: 'simd', threads: 1, weights };
      assert.deepEqual(await toy(page, { variant: 'simd' }), expected);
    });

    test('without the files it says which option to use', async (t) => {
      const page = await open(t, {
        headers: isolation,
        async spoil(spoilt) {
          await spoilt.setRequestInterception(true);
          spoilt.on('request', (request) => {
            if (/\.wasm$|worker/.test(request.url())) request.respond({ status: 404 });
            else request.continue();
          });
        },
      });
      const error = await page.evaluate(() =>
        window.headwise
          .init({ threads: 1 })
          .catch(({ name, code, message }) => ({ name, code, message })),
      );
      assert.equal(error.name, 'HeadwiseError');
      assert.equal(error.code, 'load-failed');
      // Next.js has addresses without a host.
      assert.match(
        error.message,
        /^wasm: expected a WebAssembly module at (http:\/)?\/.*\.wasm, got HTTP status 404$/,
      );
    });
  });
}

test('what is installed is the tarball', () => {
  const files = (folder) => readdirSync(folder, { recursive: true }).sort();
  const installed = built('node_modules/headwise');
  assert.deepEqual(files(installed), files(fromRoot('build/packed/project/node_modules/headwise')));
});
