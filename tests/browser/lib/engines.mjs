// One way to open pages in each of three browsers: what the tests ask that run in all of them.
import { launchBrowser } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { launchWebKit } from './webkit.mjs';

async function launchWithPuppeteer(name) {
  const browser = await launchBrowser(name);
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  await page.setViewport({ width: 1280, height: 900 });
  return {
    open: (address) => page.goto(address),
    evaluate: (work, ...args) => page.evaluate(work, ...args),
    waitFor: (selector) => page.waitForSelector(selector),
    screenshot: (path) => page.screenshot({ path }),
    problems: watchForProblems(page),
    close: () => browser.close(),
  };
}

const engines = {
  chromium: () => launchWithPuppeteer('chrome'),
  firefox: () => launchWithPuppeteer('firefox'),
  webkit: launchWebKit,
};

/** Which one the tests run in: scripts/lib/browser-steps.mjs says it. */
export const engineName = process.env.HEADWISE_BROWSER ?? 'chromium';

export const launchEngine = () => engines[engineName]();
