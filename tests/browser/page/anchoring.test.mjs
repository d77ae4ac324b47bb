// What comes in above the window does not move what is in it, where browsers leave that to the page (WebKit).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../lib/pages.mjs';

/** Chromium, as if it had no scroll anchoring. */
const withoutAnchoring = (page) =>
  page.evaluateOnNewDocument(() => {
    const { supports } = CSS;
    CSS.supports = (...asked) => asked[0] !== 'overflow-anchor' && supports.apply(CSS, asked);
    document.addEventListener('DOMContentLoaded', () => {
      const none = new CSSStyleSheet();
      none.replaceSync('* { overflow-anchor: none }');
      document.adoptedStyleSheets.push(none);
    });
  });

const topOf = (page, act) => page.$eval(`#${act}`, (root) => root.getBoundingClientRect().top);

/** Makes an act higher; gives how far another one is from the top of the window, after the next two frames. */
const grow = (page, grown, seen) =>
  page.evaluate(
    async (above, act) => {
      const box = document.createElement('div');
      box.style.height = '250px';
      document.querySelector(`#${above}`).append(box);
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return document.querySelector(`#${act}`).getBoundingClientRect().top;
    },
    grown,
    seen,
  );

test('what grows above the act that is read does not move it; what grows below neither', async (t) => {
  const { page } = await open(t, '#why', { prepare: withoutAnchoring });
  // What its neighbours load has come.
  for (const act of ['heads', 'train']) {
    await page.waitForSelector(`#${act} .live:not([data-awaited])`);
  }
  const top = await topOf(page, 'why');
  for (const above of ['toy', 'heads']) {
    assert.ok(Math.abs((await grow(page, above, 'why')) - top) <= 1, above);
  }
  assert.ok(Math.abs((await grow(page, 'train', 'why')) - top) <= 1);
});

test('where the reader has scrolled to is kept, and the top of the page stays the top', async (t) => {
  const { page } = await open(t, '#why', { prepare: withoutAnchoring });
  await page.evaluate(async () => {
    window.scrollBy(0, 120);
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
  const top = await topOf(page, 'why');
  assert.ok(Math.abs((await grow(page, 'toy', 'why')) - top) <= 1);
  await page.evaluate(async () => {
    window.scrollTo(0, 0);
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
  await grow(page, 'toy', 'why');
  assert.equal(await page.evaluate(() => window.scrollY), 0);
});
