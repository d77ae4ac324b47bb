// Chromium and Firefox without a window.
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Timeout of every wait. Waits take seconds even on a busy machine; only a failure lasts this long.
 */
export const patience = 300_000;

const chromiumArguments = [
  // Root and most containers have no sandbox, and all pages are our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The download folder as an option of each browser. Firefox ignores puppeteer's option. */
const saving = {
  chrome: (folder) => ({ downloadBehavior: { policy: 'allow', downloadPath: folder } }),
  firefox: (folder, preferences) => ({
    extraPrefsFirefox: {
      ...preferences,
      'browser.download.folderList': 2,
      'browser.download.dir': folder,
      // An open panel would take the keys and the next click.
      'browser.download.alwaysOpenPanel': false,
    },
  }),
};

/**
 * A browser with a fresh profile, which is deleted when the browser or this process ends.
 *
 * @param {'chrome' | 'headlessChrome' | 'firefox'} name
 * @param {string} [downloads] the download folder
 * @param {Record<string, string | number | boolean>} [preferences] of Firefox, with a download folder
 */
export async function launchBrowser(name = 'chrome', downloads = undefined, preferences = {}) {
  const executablePath = toolchain()[name];
  if (!executablePath) throw new Error(`no ${name}: run scripts/setup.sh`);
  const browser = name === 'firefox' ? 'firefox' : 'chrome';
  return puppeteer.launch({
    browser,
    executablePath,
    headless: executablePath.endsWith('headless-shell') ? 'shell' : true,
    args: browser === 'chrome' ? chromiumArguments : [],
    timeout: patience,
    protocolTimeout: 2 * patience,
    ...(downloads === undefined ? {} : saving[browser](downloads, preferences)),
  });
}

/**
 * A new page with the timeout of the tests.
 *
 * @param {{ newPage(): Promise<import('puppeteer-core').Page> }} opener a browser or a context of one
 */
export async function newPage(opener) {
  const page = await opener.newPage();
  page.setDefaultTimeout(patience);
  return page;
}
