// The examples that are pages, built by Vite against the installed tarball as a user would. Needs build/packed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { violations } from '../lib/axe.mjs';
import { serveFolder } from '../lib/server.mjs';
import { openTab } from '../lib/shared.mjs';

const packedProject = 'build/packed/project';

async function open(t, example) {
  const outDir = fromRoot('build/example-pages', example);
  await build({
    root: fromRoot(packedProject, 'examples', example),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  });
  const server = await serveFolder(outDir);
  const page = await openTab(t);
  t.after(() => server.close());
  await page.goto(server.url);
  return page;
}

test('heat maps of every head', async (t) => {
  const page = await open(t, 'heat-map');
  await page.waitForSelector('svg');
  assert.equal(await page.$$eval('svg text', (heads) => heads.length), 4);
  assert.equal(await page.$$eval('svg title', (cells) => cells.length), 4 * 6 * 6);
  assert.deepEqual(await violations(page), []);
});

test('training in a worker: stopped, then to its end', async (t) => {
  const page = await open(t, 'training-in-a-worker');
  await page.waitForSelector('#start:enabled');
  assert.deepEqual(await violations(page), []);
  const outputIs = (text) =>
    page.waitForFunction(`document.querySelector('output').textContent.startsWith('${text}:')`);
  await page.click('#start');
  // At once: it trains on meanwhile.
  await page.waitForFunction(() => {
    const hasBegun = document.querySelector('progress').value > 0;
    if (hasBegun) document.querySelector('#stop').click();
    return hasBegun;
  });
  await outputIs('stopped');
  assert.ok(await page.$eval('progress', ({ value, max }) => value < max));
  await page.click('#start:enabled');
  await outputIs('trained');
  assert.ok(await page.$eval('progress', ({ value, max }) => value === max));
});

test('attention of a model in one file, opened without a server', async (t) => {
  const project = fromRoot(packedProject);
  const file = fromRoot('build/example-pages/attention.html');
  mkdirSync(fromRoot('build/example-pages'), { recursive: true });
  execFileSync(process.execPath, ['examples/attention-view/main.mjs', file], { cwd: project });
  const page = await openTab(t);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  const [arcs, model] = await page.$$('attention-heads');
  const countOf = (element, selector) =>
    element.evaluate((view, inside) => view.shadowRoot.querySelectorAll(inside).length, selector);
  assert.ok((await countOf(arcs, '.curves path')) > 4);
  assert.equal(await countOf(model, 'canvas'), 25);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith('data:')),
    [pathToFileURL(file).href],
  );
});
