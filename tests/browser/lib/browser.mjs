// Chromium without a window.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { locateToolchain } from '../../../scripts/setup/locate.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A browser of its own, with nothing left from earlier runs; `close` removes what it wrote. */
export async function launchBrowser() {
  const { chrome } = locateToolchain(root);
  if (!chrome) throw new Error('no Chrome or Chromium: run node scripts/setup.mjs');
  const userDataDir = mkdtempSync(join(tmpdir(), 'headwise-browser-'));
  const browser = await puppeteer.launch({
    executablePath: chrome,
    userDataDir,
    args: [
      // Root, and most containers, have no sandbox; all that is opened is our own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const close = browser.close.bind(browser);
  browser.close = async () => {
    await close();
    rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return browser;
}
