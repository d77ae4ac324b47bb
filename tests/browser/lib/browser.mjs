// Chromium without a window.
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { locateToolchain } from '../../../scripts/setup/locate.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A browser with a fresh profile, which goes when the browser is closed or this process ends. */
export async function launchBrowser() {
  const { chrome } = locateToolchain(root);
  if (!chrome) throw new Error('no Chrome or Chromium: run node scripts/setup.mjs');
  return puppeteer.launch({
    executablePath: chrome,
    args: [
      // Root, and most containers, have no sandbox; all that is opened is our own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
