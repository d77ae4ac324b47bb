// A browser and a server that all tests of a process share. Each starts on first use and ends after the last test.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { launchBrowser, newPage } from './browser.mjs';
import { watchForProblems } from './problems.mjs';
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

/** A new page of Chromium, which must meet no problem unless it `mayFail`. */
export async function openTab(t, { mayFail = false } = {}) {
  const page = await newPage(await sharedBrowser());
  const problems = watchForProblems(page);
  t.after(async () => {
    await page.close();
    if (!mayFail) assert.deepEqual(problems, []);
  });
  return page;
}

/** The built page, as `npm start` serves it. */
export const sharedPage = shared(servePage);
