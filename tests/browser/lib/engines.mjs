// One interface to pages of three browsers, for tests that run in all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser, newPage } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
import { shared, sharedBrowser } from './shared.mjs';
import { launchWebKit } from './webkit.mjs';

const desk = { width: 1280, height: 900 };
/** A phone, used in the dark. */
const phone = { width: 390, height: 844 };

/** `opener` is a browser or a browser context, closed at the end. */
async function openWithPuppeteer(opener, { viewport = desk, media = [] } = {}) {
  const page = await newPage(opener);
  await page.setViewport(viewport);
  if (media.length > 0) await page.emulateMediaFeatures(media);
  const { mouse, keyboard, touchscreen } = page;
  return {
    open: (address) => page.goto(address),
    evaluate: (work, ...args) => page.evaluate(work, ...args),
    run: (script) => page.evaluate(script),
    waitFor: (selector) => page.waitForSelector(selector),
    screenshot: (path) => page.screenshot({ path }),
    moveTo: (x, y) => mouse.move(x, y),
    holdDown: () => mouse.down(),
    letGo: () => mouse.up(),
    touch: (x, y) => touchscreen.tap(x, y),
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

/** Puppeteer cannot set Firefox's colour scheme (0 is dark), and Firefox makes no touch events without a touch screen. */
const firefoxPhone = {
  'layout.css.prefers-color-scheme.content-override': 0,
  'dom.w3c_touch_events.enabled': 1,
};

/** The same browsers with the size of a phone, touch and dark colours. */
const phones = {
  async chromium() {
    const context = await (await sharedBrowser()).createBrowserContext();
    return openWithPuppeteer(context, {
      viewport: { ...phone, hasTouch: true, isMobile: true },
      media: [{ name: 'prefers-color-scheme', value: 'dark' }],
    });
  },
  firefox: async (downloads) =>
    openWithPuppeteer(await launchBrowser('firefox', downloads, firefoxPhone), { viewport: phone }),
  webkit: (downloads) => launchWebKit(downloads, { size: phone, isDark: true }),
};

/** The browser under test: the option --browser of tests/run.mjs. */
export const engineName = process.env.HEADWISE_BROWSER ?? 'chromium';

/** Starts a browser with one page and a download folder. */
const start = async (launch) => {
  const downloads = mkdtempSync(join(tmpdir(), 'headwise-'));
  const engine = await launch(downloads);
  return {
    ...engine,
    downloads,
    async close() {
      await engine.close();
      rmSync(downloads, { recursive: true });
    },
  };
};

/** The browser that all tests share. */
export const sharedEngine = shared(() => start(engines[engineName]));

/** The phone that all tests share. */
export const sharedPhone = shared(() => start(phones[engineName]));
