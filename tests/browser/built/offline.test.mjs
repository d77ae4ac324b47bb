// The page without a network, after one visit, and in a folder of any host.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { assertDrawnAsWeighed, readCells } from '../lib/page-reader.mjs';
import { actsOf, isReady, open } from '../lib/pages.mjs';
import { headers, serveFolder, servePage, servePageBelow } from '../lib/server.mjs';

for (const { name, serve, isolated } of [
  { name: 'isolated', serve: servePage, isolated: true },
  {
    name: 'not isolated, in a folder',
    serve: servePageBelow,
    isolated: false,
  },
]) {
  describe(`the page, ${name},`, () => {
    test('loads again without its host, and works', async (t) => {
      const server = await serve();
      const { page } = await open(t, '#heads', {
        server,
        withServiceWorker: true,
        // The browser asks whether there is a newer one, and there is nobody to answer.
        causes: /service-worker\.js/,
      });
      const acts = await actsOf(page);
      const weights = await readCells(page, 'heads');
      await page.evaluate(() => navigator.serviceWorker.ready);

      await server.close();
      // What an act loads when it is first used, though the page came without a service worker.
      for (const file of listFiles(['build/page/assets'])) {
        const answer = page.evaluate(async (path) => (await fetch(path)).status, file.slice(11));
        assert.equal(await answer, 200, file);
      }
      await page.goto(`${server.url}?heads=2&input=random&seed=7&valid=6,1#heads`);
      await page.waitForSelector(isReady);
      await page.waitForSelector('#heads .live:not([data-awaited])');
      assert.deepEqual(await actsOf(page), acts);
      assert.equal((await page.$$('.failure')).length, 0);
      const cells = await readCells(page, 'heads');
      assert.equal(cells.length, 2 * 2 * 4 * 6);
      assertDrawnAsWeighed(cells, [6, 1]);
      assert.notDeepEqual(cells, weights);

      assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
      const loaded = await page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => name),
      );
      assert.match(
        loaded.find((file) => file.endsWith('.wasm')),
        /simd-(?!threads)/,
      );
    });
  });
}

describe('a page that changes', () => {
  test('shows its new version at once where there is a network', async (t) => {
    const copy = fromRoot('build/changing-page');
    cpSync(fromRoot('build/page'), copy, { recursive: true });
    const server = await serveFolder(copy, { headers: headers.security });
    t.after(() => server.close());
    const { page, url } = await open(t, '', { server, withServiceWorker: true });
    await page.evaluate(() => navigator.serviceWorker.ready);
    const file = `${copy}/index.html`;
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/<title>.*<\/title>/, '<title>new</title>'),
    );
    await page.goto(url);
    assert.equal(await page.title(), 'new');
  });
});
