// Chromium and Firefox without a window.
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * How long anything is waited for. What is waited for comes within seconds, however little of a busy
 * machine is left for it; only what never comes takes as long as this.
 */
export const patience = 300_000;

const chromiumArguments = [
  // Root, and most containers, have no sandbox; all that is opened is our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How each is told where to save; Firefox does not heed puppeteer's own option for it. */
const saving = {
  chrome: (folder) => ({ downloadBehavior: { policy: 'allow', downloadPath: folder } }),
  firefox: (folder, preferences) => ({
    extraPrefsFirefox: {
      ...preferences,
      'browser.download.folderList': 2,
      'browser.download.dir': folder,
      // Once it is open, it has the keys and the next press.
      'browser.download.alwaysOpenPanel': false,
    },
  }),
};

/**
 * A browser with a fresh profile, which goes when the browser is closed or this process ends.
 *
 * @param {'chrome' | 'headlessChrome' | 'firefox'} name
 * @param {string} [downloads] the folder for files that a page hands to its reader
 * @param {Record<string, string | number | boolean>} [preferences] of Firefox, which has such a folder
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
 * A new page that waits as long as tests do.
 *
 * @param {{ newPage(): Promise<import('puppeteer-core').Page> }} opener a browser or a context of one
 */
export async function newPage(opener) {
  const page = await opener.newPage();
  page.setDefaultTimeout(patience);
  return page;
}
