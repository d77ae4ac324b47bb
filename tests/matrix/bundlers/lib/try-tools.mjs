// The trials of a tool: the installed tarball in an application that it builds and serves as docs/bundlers.md says, opened
// in Chromium. Needs build/matrix/bundlers, see scripts/lib/matrix.mjs.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { sharedBrowser } from '../../../browser/lib/shared.mjs';
import { trialsOf } from '../../lib/trials.mjs';
import { judge, oracleCases, readmeExample } from '../../shared/judge.mjs';
import { installed } from './applications.mjs';
import { opener, watchFiles } from './pages.mjs';

/** The table's columns. */
const tried = ['loads', 'example', 'oracle', 'models', 'threads', 'worker', 'inline', 'errors'];

const third = Math.fround(1 / 3);
const rowsOf = (row) => Array.from({ length: 5 * 4 }, () => row).flat();
const weights = [...rowsOf([third, third, third, 0, 0, 0]), ...rowsOf([0.5, 0.5, 0, 0, 0, 0])];
const cases = oracleCases();

const toy = (page, options) => page.evaluate((given) => window.headwise.toy(given), options);

/** What a promise of the page is rejected with. */
const rejection = (page, options) =>
  page.evaluate(
    (given) =>
      window.headwise
        .init(given)
        .then(() => 'no error')
        .catch(({ name, code, message }) => ({ name, code, message })),
    options,
  );

/** As HTTP has it where the files are not there. */
async function withoutFiles(page) {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (/\.wasm$|worker[\w.-]*\.js$/.test(request.url()))
      request.respond({ status: 404, headers: { 'Access-Control-Allow-Origin': '*' } });
    else request.continue();
  });
}

/** The trials in one kind of page, isolated or not, of a tool whose application is built. */
function trialsInPages(tool, trial, open, isIsolated) {
  const kind = isIsolated ? 'an isolated page' : 'a page';
  const threads = isIsolated ? 3 : 1;
  const loaded = { variant: 'relaxed-simd', threads };
  const options = isIsolated ? { threads } : undefined;

  trial('loads', `${kind} loads one file, and a worker for each thread`, async (t) => {
    const page = await open(t, { isIsolated });
    const files = watchFiles(page);
    assert.deepEqual(await toy(page, options), { ...loaded, weights });
    assert.equal(page.workers().length, threads - 1);
    const suffix = isIsolated ? '-threads' : '';
    // Where nothing takes a program apart, all of it is imported at once, and models are.
    const extent = tool.loadsAll ? 'models-' : '';
    assert.deepEqual(await files(), [`headwise-${extent}relaxed-simd${suffix}.wasm`]);
  });

  trial('example', `the README's example prints in ${kind} what it says`, async (t) => {
    const page = await open(t, { isIsolated });
    const printed = [];
    page.on('console', (message) =>
      printed.push(Promise.all(message.args().map((each) => each.jsonValue()))),
    );
    await page.evaluate(() => window.headwise.example());
    const lines = (await Promise.all(printed)).map((values) => JSON.stringify(values[0]));
    assert.deepEqual(lines, readmeExample().printed);
  });

  /** One page runs the whole suite, which some trials judge. */
  let run;
  const results = (t) =>
    (run ??= (async () => {
      const page = await open(t, { isIsolated });
      return page.evaluate((given, how) => window.headwise.all(given, how), cases, options);
    })());

  trial('oracle', `${kind} computes what PyTorch does`, async (t) => {
    judge.oracle(await results(t));
  });

  trial('models', `${kind} trains a model that is imported when it is asked for`, async (t) => {
    const page = await open(t, { isIsolated });
    const files = watchFiles(page);
    await toy(page, options);
    const found = await page.evaluate((given) => window.headwise.all([], given), options);
    judge.models(found);
    judge.loads(found, loaded);
    assert.deepEqual(await toy(page, options), { ...loaded, weights });
    const suffix = isIsolated ? '-threads' : '';
    const expected = ['headwise-models-relaxed-simd', 'headwise-relaxed-simd'];
    assert.deepEqual(
      (await files()).sort(),
      expected.slice(0, tool.loadsAll ? 1 : 2).map((name) => `${name}${suffix}.wasm`),
    );
  });

  trial('worker', `${kind} leaves the work to a worker`, async (t) => {
    const page = await open(t, { isIsolated });
    const run = (given) => window.headwise.inWorker(given);
    assert.deepEqual(await page.evaluate(run, options), { ...loaded, weights });
  });

  trial('inline', `${kind} computes without another file`, async (t) => {
    const page = await open(t, { isIsolated });
    const files = watchFiles(page);
    const expected = { variant: 'simd', threads: 1, weights };
    assert.deepEqual(await page.evaluate(() => window.headwise.inline()), expected);
    assert.deepEqual(await files(), []);
  });

  trial('errors', `${kind} tells of bad input`, async (t) => {
    judge.errors(await results(t));
  });

  trial('errors', `${kind} without the files says which, and the option to give`, async (t) => {
    const page = await open(t, { isIsolated, spoil: withoutFiles });
    const { name, code, message } = await rejection(page, { threads: 1 });
    assert.deepEqual([name, code], ['HeadwiseError', 'load-failed'], message);
    // Next.js has addresses without a host.
    assert.match(
      message,
      /^wasm: expected a WebAssembly module at (http:\/)?\/.*\.wasm .*init\(\{ wasm \}\).*, got HTTP status 404$/,
    );
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

/** @param {import('../tools.mjs').Tool} tool */
function tryTool(tool) {
  describe(tool.name, { skip: tool.skip }, () => {
    const trial = trialsOf('bundlers', tool.name);
    if (tool.skip) {
      for (const name of tried) trial.without(name, tool.skip);
      return;
    }

    const servers = {};
    before(async () => {
      try {
        const serve = await tool.build();
        for (const isIsolated of tool.isIsolatedOnly ? [true] : [false, true]) {
          servers[isIsolated] = await serve(isIsolated);
        }
      } catch (error) {
        for (const name of tried) trial.without(name, 'failed');
        throw error;
      }
    });
    after(async () => {
      for (const server of Object.values(servers)) await server.close();
    });
    const open = opener(sharedBrowser, (isIsolated) => servers[isIsolated].url);

    if (!tool.isIsolatedOnly) trialsInPages(tool, trial, open, false);
    trialsInPages(tool, trial, open, true);

    trial('loads', 'the file that is asked for', async (t) => {
      const page = await open(t, { isIsolated: true });
      const expected = { variant: 'simd', threads: 1, weights };
      assert.deepEqual(await toy(page, { variant: 'simd', threads: 1 }), expected);
    });

    trial('threads', 'results of several are those of one', async (t) => {
      const page = await open(t, { isIsolated: true });
      const run = (given) => window.headwise.all([], given);
      judge.threads(await page.evaluate(run, { threads: 3 }), 3);
    });

    trial('threads', 'as many as there are cores, if none are asked for', async (t) => {
      const page = await open(t, { isIsolated: true });
      const count = Math.min(availableParallelism(), 8);
      assert.equal((await toy(page)).threads, count);
      assert.equal(page.workers().length, count - 1);
      await page.evaluate(() => window.headwise.dispose());
    });

    trial('threads', 'without its workers it computes on one, and says so', async (t) => {
      const page = await open(t, { isIsolated: true, spoil: withoutWorkers });
      assert.deepEqual(await toy(page), { variant: 'relaxed-simd', threads: 1, weights });
      const { code, message } = await rejection(page, { threads: 3 });
      assert.deepEqual(
        [code, /^threads: expected workers/.test(message)],
        ['load-failed', true],
        message,
      );
    });

    if (tool.computes) {
      trial('threads', 'its server computes on two threads', async () => {
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

/** Tries tools one after the other; no test goes on beside another. */
export function tryTools(...tools) {
  for (const tool of tools) tryTool(tool);

  test('what is installed is the tarball', () => {
    const files = (folder) => readdirSync(folder, { recursive: true }).sort();
    const packed = fromRoot('build/packed/project/node_modules/headwise');
    assert.deepEqual(files(installed('node_modules/headwise')), files(packed));
  });
}
