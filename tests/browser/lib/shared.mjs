// A browser and a server that all tests of a process share. Each starts on first use and ends after the last test.
import { after } from 'node:test';
import { launchBrowser } from './browser.mjs';
import { servePage } from './server.mjs';

const ends = [];

after(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Returns a function that starts something once and closes it at the end. */
export function shared(start) {
  let started;
  return () => {
    started ??= start().then((found) => {
      ends.push(() => found.close());
      return found;
    });
    return started;
  };
}

/** Chromium, in which each test opens pages of its own. */
export const sharedBrowser = shared(() => launchBrowser('headlessChrome'));

/** The built page, as `npm start` serves it. */
export const sharedPage = shared(servePage);
