// The built page in Chromium, a fresh one for each test, which must meet no problem in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newPage } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { sharedBrowser, sharedPage } from './shared.mjs';
import { twoFrames } from './until.mjs';

/** Path of a picture for people to look at. */
export function artefact(name) {
  const folder = fileURLToPath(new URL('../../../build/artefacts/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder + name;
}

/** The page is drawn by its script. What the document shows before is not busy either, and is no #acts. */
export const isReady = '#acts:not([aria-busy])';

/** The ids of the acts, in order. */
export const actsOf = (page) =>
  page.$$eval('main > section[id]', (sections) => sections.map(({ id }) => id));

/**
 * Has the page scroll no more by itself: it holds the place of the address, or of a link, from the frame after it was
 * pressed, until the reader does something.
 */
async function takeOver(page) {
  await page.evaluate(twoFrames);
  await page.keyboard.press('Shift');
}

/** Scrolls to each act, which loads its code, and back to the top. */
export async function loadAllActs(page) {
  await takeOver(page);
  for (const act of await actsOf(page)) {
    await page.$eval(`#${act}`, (section) => section.scrollIntoView());
    await page.waitForSelector(`#${act} .live:not([data-awaited])`);
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** Waits until Look's model has read the sentence. It loads once the reader comes near. */
export async function readSentence(page) {
  await takeOver(page);
  await page.$eval('#look .live', (part) => part.scrollIntoView());
  await page.waitForSelector('#look .candidate');
}

/** The addresses of files that the page has loaded and that match. */
export const loadedFiles = async (page, pattern) => {
  const files = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  return files.filter((name) => pattern.test(name));
};

/** How many pixels the page is wider than the window. */
export const overflowOf = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Waits until nothing is wider than the window: a chart is resized a frame later than its container. */
export async function fitsAcross(page, what = '') {
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth)
    .catch(async () => assert.fail(`${what} ${await overflowOf(page)} pixels too wide`));
}

/** Methods whose effect on a tab lasts, so that it cannot be reused. */
const lasting = [
  ...['browserContext', 'close', 'createCDPSession', 'emulateCPUThrottling', 'exposeFunction'],
  ...['evaluateOnNewDocument', 'setCacheEnabled', 'setJavaScriptEnabled', 'setOfflineMode'],
  'setRequestInterception',
];

/** Events that tests listen to. */
const events = ['console', 'pageerror', 'request', 'requestfailed', 'response', 'workercreated'];

/**
 * A tab in a context of its own: it shares no storage with other tests, and it has a window, since a hidden tab
 * draws nothing.
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

/** Tabs for reuse: opening the page in a new one takes twice as long. */
const free = [];

/**
 * Opens the page at an address. `media` are the reader's preferences, `prepare` is called with the tab before
 * navigation, `causes` matches problems that the test causes on purpose, and `server` replaces the shared server.
 */
export async function open(t, address = '', options = {}) {
  const { media = {}, width = 1280, prepare, until = isReady, causes } = options;
  const { server = await sharedPage(), withServiceWorker = false } = options;
  // Problems that a test causes may be reported late.
  const isAlone = withServiceWorker || options.server || causes;
  const tab = (!isAlone && free.pop()) || (await newTab(withServiceWorker));
  const { page } = tab;
  const problems = watchForProblems(page);
  t.after(async () => {
    const others = problems.filter((problem) => !causes?.test(problem));
    // If the test has already failed, the reporter shows no second failure.
    for (const problem of others) t.diagnostic(problem);
    if (isAlone || others.length > 0 || tab.isAltered) {
      await tab.context.close();
    } else {
      // Ends its workers, and makes the next address load even if only its fragment differs.
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
  // The code of an act loads after the page.
  const [act] = (until === isReady && /#[a-z-]+$/.exec(address)) || [];
  if (act !== undefined) await page.waitForSelector(`${act} .live:not([data-awaited])`);
  return { page, problems, url: server.url };
}

const sessions = new WeakMap();

/** Sets the reader's preferences: light and without motion by default. */
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

/** The query of the address as the page sees it; puppeteer's record lags behind. */
export const searchOf = (page) => page.evaluate(() => window.location.search);

/** Waits until so many elements match. */
export const waitForCount = (page, selector, count) =>
  page.waitForFunction(
    (where, wanted) => document.querySelectorAll(where).length === wanted,
    {},
    ...[selector, count],
  );

/** Waits until the text of the first match is as expected. */
export const waitForText = (page, selector, { source, flags }) =>
  page.waitForFunction(
    (where, ...pattern) => new RegExp(...pattern).test(document.querySelector(where)?.textContent),
    {},
    ...[selector, source, flags],
  );

/** Waits until the address has this query, which may follow later than the drawing. */
export const waitForSearch = (page, search) =>
  page.waitForFunction((wanted) => window.location.search === wanted, {}, search);
