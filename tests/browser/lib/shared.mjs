// What all tests of a process share: a browser, a server. Each is started when it is first asked for,
// and ended after the last test.
import { after } from 'node:test';
import { launchBrowser } from './browser.mjs';
import { servePage } from './server.mjs';

const ends = [];

after(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Gives a function that starts something once, and has it closed in the end. */
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
