// The built page in Chromium, a fresh one for each test, which must meet no problem in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patience } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { sharedBrowser, sharedPage } from './shared.mjs';

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
 * Opens the page at an address. `media` are the reader's preferences, `prepare` gets the page before
 * it is opened, `causes` are the problems that the test makes on purpose, `server` is another than
 * that of all tests.
 */
export async function open(t, address = '', options = {}) {
  const { media = {}, width = 1280, prepare, until = isReady, causes } = options;
  const { server = await sharedPage(), withServiceWorker = false } = options;
  // A context of its own has no service worker and no file of the test before, and a window: a tab that
  // another one hides draws nothing.
  const context = await (await sharedBrowser()).createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
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
  return { page, problems, url: server.url };
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
