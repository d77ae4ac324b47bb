// The built page opened as a file, from which browsers load no modules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { newPage, root } from '../lib/browser.mjs';
import { open } from '../lib/pages.mjs';
import { sharedBrowser, sharedPage } from '../lib/shared.mjs';

const seen = (page) => page.evaluate(() => document.body.innerText.trim());

async function ownPage(t) {
  const context = await (await sharedBrowser()).createBrowserContext();
  t.after(() => context.close());
  return newPage(context);
}

test('from a file, it says why nothing is there and how to see it', async (t) => {
  const page = await ownPage(t);
  await page.goto(pathToFileURL(`${root}/build/page/index.html`).href);
  assert.match(await seen(page), /^Multi-head attention|^headwise/);
  assert.match(await seen(page), /opened as a file.*npm start.*python3 -m http\.server/);
});

test('from a server nothing of that is seen, not before the page has begun either', async (t) => {
  const page = await ownPage(t);
  await page.setRequestInterception(true);
  page.on('request', (request) =>
    request.resourceType() === 'script' ? request.abort() : request.continue(),
  );
  const { url } = await sharedPage();
  await page.goto(url);
  assert.equal(await seen(page), '');
  const { page: begun } = await open(t);
  assert.equal(await begun.$('.not-served'), null);
});
