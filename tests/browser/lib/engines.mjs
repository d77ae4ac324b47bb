// One way to use pages in each of three browsers: what the tests ask that run in all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser, patience } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { shared, sharedBrowser } from './shared.mjs';
import { launchWebKit } from './webkit.mjs';

/** `opener` is a browser or a context of one, which is closed in the end. */
async function openWithPuppeteer(opener) {
  const page = await opener.newPage();
  page.setDefaultTimeout(patience);
  await page.setViewport({ width: 1280, height: 900 });
  const { mouse, keyboard } = page;
  return {
    open: (address) => page.goto(address),
    evaluate: (work, ...args) => page.evaluate(work, ...args),
    run: (script) => page.evaluate(script),
    waitFor: (selector) => page.waitForSelector(selector),
    screenshot: (path) => page.screenshot({ path }),
    moveTo: (x, y) => mouse.move(x, y),
    holdDown: () => mouse.down(),
    letGo: () => mouse.up(),
    async press(key, { shift = false } = {}) {
      if (shift) await keyboard.down('Shift');
      await keyboard.press(key);
      if (shift) await keyboard.up('Shift');
    },
    problems: watchForProblems(page),
    close: () => opener.close(),
  };
}

const engines = {
  async chromium(downloadPath) {
    const downloadBehavior = { policy: 'allow', downloadPath };
    const browser = await sharedBrowser();
    return openWithPuppeteer(await browser.createBrowserContext({ downloadBehavior }));
  },
  firefox: async (downloads) => openWithPuppeteer(await launchBrowser('firefox', downloads)),
  webkit: launchWebKit,
};

/** Which one the tests run in: scripts/lib/browser-steps.mjs says it. */
export const engineName = process.env.HEADWISE_BROWSER ?? 'chromium';

/** The browser, with one page for all tests, and the folder where it leaves what a page hands to its reader. */
export const sharedEngine = shared(async () => {
  const downloads = mkdtempSync(join(tmpdir(), 'headwise-'));
  const engine = await engines[engineName](downloads);
  return {
    ...engine,
    downloads,
    async close() {
      await engine.close();
      rmSync(downloads, { recursive: true });
    },
  };
});
