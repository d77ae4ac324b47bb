// Pages of an application in Chromium, a fresh one for each test, which must meet no problem in it.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { newPage } from '../../../browser/lib/browser.mjs';
import { watchForProblems } from '../../../browser/lib/problems.mjs';
import { installed } from './applications.mjs';

/**
 * What opens an application's page. `spoil` gets the page before that; its problems are then its own.
 *
 * @param {() => Promise<import('puppeteer-core').Browser>} browser
 * @param {(isIsolated: boolean) => string} address
 */
export const opener =
  (browser, address) =>
  async (t, { isIsolated, spoil }) => {
    const page = await newPage(await browser());
    const problems = watchForProblems(page);
    t.after(async () => {
      await page.close();
      if (!spoil) assert.deepEqual(problems, []);
    });
    await spoil?.(page);
    await page.goto(address(isIsolated));
    await page.waitForFunction(() => 'headwise' in window);
    assert.equal(await page.evaluate(() => window.crossOriginIsolated), isIsolated);
    return page;
  };

const dist = () => installed('node_modules/headwise/dist');

/**
 * Watches which WebAssembly files a page fetches from now on.
 *
 * @returns gives their names in the package, once the page is quiet
 */
export function watchFiles(page) {
  const sizes = new Map(
    readdirSync(dist())
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => [statSync(`${dist()}/${name}`).size, name]),
  );
  const names = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.wasm')) {
      names.push(response.buffer().then(({ length }) => sizes.get(length)));
    }
  });
  return async () => {
    await page.waitForNetworkIdle({ idleTime: 50 });
    return Promise.all(names);
  };
}
