// Chromium and Firefox without a window.
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { locateToolchain } from '../../../scripts/setup/locate.mjs';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

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
  firefox: (folder) => ({
    extraPrefsFirefox: { 'browser.download.folderList': 2, 'browser.download.dir': folder },
  }),
};

/**
 * A browser with a fresh profile, which goes when the browser is closed or this process ends.
 *
 * @param {'chrome' | 'firefox'} name
 * @param {string} [downloads] the folder for files that a page hands to its reader
 */
export async function launchBrowser(name = 'chrome', downloads = undefined) {
  const executablePath = locateToolchain(root)[name];
  if (!executablePath) throw new Error(`no ${name}: run scripts/setup.sh`);
  return puppeteer.launch({
    browser: name,
    executablePath,
    args: name === 'chrome' ? chromiumArguments : [],
    // Of a machine with other things to do, Firefox takes long to make its first profile.
    timeout: 60_000,
    ...(downloads === undefined ? {} : saving[name](downloads)),
  });
}
