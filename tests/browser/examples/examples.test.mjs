// The examples that are pages, built by Vite against the installed tarball as a user would. Needs build/packed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { build } from 'vite';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';
import { patience } from '../lib/browser.mjs';
import { violations } from '../lib/axe.mjs';
import { watchForProblems } from '../lib/problems.mjs';
import { serveFolder } from '../lib/server.mjs';
import { sharedBrowser } from '../lib/shared.mjs';

async function open(t, example) {
  const outDir = fromRoot('build/example-pages', example);
  await build({
    root: fromRoot(packedProject, 'examples', example),
    ...{ configFile: false, logLevel: 'warn' },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
    worker: { format: 'es' },
  });
  const server = await serveFolder(outDir);
  const page = await (await sharedBrowser()).newPage();
  page.setDefaultTimeout(patience);
  const problems = watchForProblems(page);
  t.after(async () => {
    await page.close();
    await server.close();
    assert.deepEqual(problems, []);
  });
  await page.goto(server.url);
  return page;
}

test('heat maps of every head', async (t) => {
  const page = await open(t, 'heat-map');
  await page.waitForSelector('svg');
  assert.equal(await page.$$eval('svg g', (heads) => heads.length), 4);
  assert.equal(await page.$$eval('svg rect', (cells) => cells.length), 4 * 6 * 6);
  assert.deepEqual(await violations(page), []);
});

test('training in a worker, to its end', async (t) => {
  const page = await open(t, 'training-in-a-worker');
  await page.waitForSelector('#start:enabled');
  assert.deepEqual(await violations(page), []);
  await page.click('#start');
  await page.waitForFunction(() =>
    /^trained: \d+ bytes/.test(document.querySelector('output').textContent),
  );
  assert.equal(await page.$eval('progress', ({ value, max }) => value / max), 1);
  await page.waitForSelector('#start:enabled');
});

test('and stopped', async (t) => {
  const page = await open(t, 'training-in-a-worker');
  await page.waitForSelector('#start:enabled');
  await page.click('#start');
  await page.waitForFunction(() => document.querySelector('progress').value > 0);
  await page.click('#stop');
  await page.waitForFunction(() =>
    /^stopped: \d+ bytes/.test(document.querySelector('output').textContent),
  );
  assert.ok(await page.$eval('progress', ({ value, max }) => value < max));
});
