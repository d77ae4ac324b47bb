// One way to use pages in each of three browsers: what the tests ask that run in all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { launchWebKit } from './webkit.mjs';

async function launchWithPuppeteer(name, downloads) {
  const browser = await launchBrowser(name, downloads);
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
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
    close: () => browser.close(),
  };
}

const engines = {
  chromium: (downloads) => launchWithPuppeteer('chrome', downloads),
  firefox: (downloads) => launchWithPuppeteer('firefox', downloads),
  webkit: launchWebKit,
};

/** Which one the tests run in: scripts/lib/browser-steps.mjs says it. */
export const engineName = process.env.HEADWISE_BROWSER ?? 'chromium';

/** The browser, and the folder where it leaves what a page hands to its reader. */
export async function launchEngine() {
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
}
