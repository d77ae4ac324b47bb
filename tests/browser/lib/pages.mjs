// The built page in Chromium, a fresh one for each test, which must meet no problem in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { servePage } from './server.mjs';

/** Where a test leaves what a person may look at. */
export function artefact(name) {
  const folder = fileURLToPath(new URL('../../../build/artefacts/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder + name;
}

/** The page has all it shows. */
export const isReady = 'main:not([aria-busy])';

/** The ids of the acts, in order. */
export const actsOf = (page) =>
  page.$$eval('main > section[id]', (sections) => sections.map(({ id }) => id));

/** Whether anything is wider than the window, so that the page would scroll sideways. */
export const overflowOf = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/**
 * Serves the page while the file's tests run; gives the function that opens it. `media` are the
 * reader's preferences, `prepare` gets the page before it is opened, `causes` are the problems that
 * the test makes on purpose.
 */
export function usePages({ serve = servePage, withServiceWorker = false } = {}) {
  let server;
  let browser;

  before(async () => {
    [server, browser] = await Promise.all([serve(), launchBrowser()]);
  });

  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(
    t,
    address = '',
    { media = {}, width = 1280, prepare, until = isReady, causes } = {},
  ) {
    // A context of its own has no service worker and no files of the test before.
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const problems = watchForProblems(page);
    t.after(async () => {
      await context.close();
      // What a test brings about itself may be told late, or never.
      const others = problems.filter((problem) => !causes?.test(problem));
      assert.deepEqual(others, []);
    });
    if (!withServiceWorker) await page.setBypassServiceWorker(true);
    await page.setViewport({ width, height: 900 });
    await prefer(page, media);
    await prepare?.(page);
    await page.goto(server.url + address);
    await page.waitForSelector(until);
    return { page, problems };
  }
  return { open, url: () => server.url, server: () => server };
}

/** What the reader asks of pages: still and light, unless told otherwise. */
export async function prefer(
  page,
  { scheme = 'light', motion = 'reduce', forcedColors = 'none' } = {},
) {
  // Puppeteer's own function for this does not know forced colours.
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', {
    features: [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: motion },
      { name: 'forced-colors', value: forcedColors },
    ],
  });
}

/** The query of the page's address as the page itself has it; the browser's own record comes later. */
export const searchOf = (page) => page.evaluate(() => window.location.search);

/** Until the address has this query: it may be behind what is shown. */
export const waitForSearch = (page, search) =>
  page.waitForFunction((wanted) => window.location.search === wanted, {}, search);
