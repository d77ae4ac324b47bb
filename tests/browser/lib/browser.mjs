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

/**
 * A browser with a fresh profile, which goes when the browser is closed or this process ends.
 *
 * @param {'chrome' | 'firefox'} name
 */
export async function launchBrowser(name = 'chrome') {
  const executablePath = locateToolchain(root)[name];
  if (!executablePath) throw new Error(`no ${name}: run node scripts/setup.mjs`);
  const args = name === 'chrome' ? chromiumArguments : [];
  // Of a machine with other things to do, Firefox takes long to make its first profile.
  return puppeteer.launch({ browser: name, executablePath, args, timeout: 60_000 });
}
