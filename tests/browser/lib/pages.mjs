// The built page in Chromium, a fresh one for each test, which must meet no problem in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newPage } from './browser.mjs';
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

/** Goes to each act, whose code is loaded then, and back to where the page begins. */
export async function loadAllActs(page) {
  for (const act of await actsOf(page)) {
    await page.$eval(`#${act}`, (section) => section.scrollIntoView());
    await page.waitForSelector(`#${act} .live:not([data-awaited])`);
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** Whether anything is wider than the window, so that the page would scroll sideways. */
export const overflowOf = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Until nothing is wider than the window: a chart takes its width a frame after what is around it. */
export async function fitsAcross(page, what = '') {
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth)
    .catch(async () => assert.fail(`${what} ${await overflowOf(page)} pixels too wide`));
}

/** After one of these a tab is no longer as it was when it was new. */
const lasting = [
  ...['browserContext', 'close', 'createCDPSession', 'emulateCPUThrottling', 'exposeFunction'],
  ...['evaluateOnNewDocument', 'setCacheEnabled', 'setJavaScriptEnabled', 'setOfflineMode'],
  'setRequestInterception',
];

/** What the tests listen to. */
const events = ['console', 'pageerror', 'request', 'requestfailed', 'response', 'workercreated'];

/**
 * A tab in a context of its own: without a file of another test, and with a window, since a tab that another
 * one hides draws nothing.
 */
async function newTab(withServiceWorker) {
  const context = await (await sharedBrowser()).createBrowserContext();
  const page = await newPage(context);
  if (!withServiceWorker) await page.setBypassServiceWorker(true);
  await prefer(page);
  const tab = { context, page, isAltered: false };
  for (const name of lasting) {
    const method = page[name];
    page[name] = function (...args) {
      tab.isAltered = true;
      return method.apply(this, args);
    };
  }
  return tab;
}

/** Tabs that are free. A new one takes twice as long to open the page as one that has been used. */
const free = [];

/**
 * Opens the page at an address. `media` are the reader's preferences, `prepare` gets the page before
 * it is opened, `causes` are the problems that the test makes on purpose, `server` is another than
 * that of all tests.
 */
export async function open(t, address = '', options = {}) {
  const { media = {}, width = 1280, prepare, until = isReady, causes } = options;
  const { server = await sharedPage(), withServiceWorker = false } = options;
  // What a test brings about itself may be told late, or never.
  const isAlone = withServiceWorker || options.server || causes;
  const tab = (!isAlone && free.pop()) || (await newTab(withServiceWorker));
  const { page } = tab;
  const problems = watchForProblems(page);
  t.after(async () => {
    const others = problems.filter((problem) => !causes?.test(problem));
    // Of a test that has failed by then, the reporter shows no second failure.
    for (const problem of others) t.diagnostic(problem);
    if (isAlone || others.length > 0 || tab.isAltered) {
      await tab.context.close();
    } else {
      // Its workers end, and an address that differs by its fragment alone opens the page anew.
      await page.goto('about:blank');
      await page.mouse.reset();
      for (const event of events) page.removeAllListeners(event);
      free.push(tab);
    }
    assert.deepEqual(others, []);
  });
  await page.setViewport({ width, height: 900 });
  await prefer(page, media);
  await prepare?.(page);
  await page.goto(server.url + address);
  await page.waitForSelector(until);
  // The code of the act that is addressed comes later than the page.
  const [act] = (until === isReady && /#[a-z]+$/.exec(address)) || [];
  if (act !== undefined) await page.waitForSelector(`${act} .live:not([data-awaited])`);
  return { page, problems, url: server.url };
}

const sessions = new WeakMap();

/** What the reader asks of pages: still and light, unless told otherwise. */
export async function prefer(
  page,
  { scheme = 'light', motion = 'reduce', forcedColors = 'none' } = {},
) {
  // Puppeteer's own function for this does not know forced colours.
  if (!sessions.has(page)) sessions.set(page, await page.createCDPSession());
  await sessions.get(page).send('Emulation.setEmulatedMedia', {
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
