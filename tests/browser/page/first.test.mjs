// What the page opens with: a sentence under four heads of a trained model.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { open } from '../lib/pages.mjs';

const { heads, query, words } = JSON.parse(
  readFileSync(fromRoot('web/src/first/sentence.json'), 'utf8'),
);

/** The numbers below the words: of the shown heads' weights, the largest; empty for words that have none. */
const numbers = (page) =>
  page.$eval('attention-heads', ({ shadowRoot }) =>
    Array.from(shadowRoot.querySelectorAll('.word .number'), ({ textContent }) => textContent),
  );

const expected = (from, shown = heads) =>
  words.map((_word, key) => {
    const largest = Math.max(...shown.map(({ weights }) => weights[from][key]));
    const told = largest < 0.005 ? '' : (Math.round(100 * largest) / 100).toFixed(2);
    return key > from ? '' : told;
  });

const word = async (page, index) => {
  const all = await page.$$('attention-heads >>> [role="option"]');
  assert.equal(all.length, words.length);
  return all[index];
};

test('four fans before the layer has loaded, without a layout that shifts', async (t) => {
  const { page } = await open(t, '', {
    prepare: (tab) =>
      tab.evaluateOnNewDocument(() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
          window.shifts.push(...list.getEntries().map(({ value }) => value));
        }).observe({ type: 'layout-shift', buffered: true });
        new PerformanceObserver((list, observer) => {
          observer.disconnect();
          const fans = document.querySelector('attention-heads')?.shadowRoot;
          window.atFirstPaint = fans?.querySelectorAll('.curves path').length ?? 0;
        }).observe({ type: 'paint', buffered: true });
      }),
  });
  assert.ok((await page.evaluate(() => window.atFirstPaint)) >= heads.length);
  assert.deepEqual(await numbers(page), expected(query));
  for (const index of [1, 8, 4]) await (await word(page, index)).hover();
  // A number below a word may be a fraction of a pixel wider than the one before.
  const shifted = await page.evaluate(() => window.shifts.reduce((sum, each) => sum + each, 0));
  assert.ok(shifted < 0.001, `layout shift ${shifted}`);
});

test('the word under the pointer is the query, a chip shows one head', async (t) => {
  const { page } = await open(t);
  await (await word(page, 8)).hover();
  assert.deepEqual(await numbers(page), expected(8));
  const chips = await page.$$('attention-heads >>> .chip');
  assert.equal(chips.length, heads.length);
  await chips[2].click();
  await (await word(page, 6)).hover();
  assert.deepEqual(await numbers(page), expected(6, [heads[2]]));
});

test('and by keyboard', async (t) => {
  const { page } = await open(t);
  await (await word(page, query)).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await numbers(page), expected(1));
});

test('the heads, the sentence and what is asked of it stand in the first screen', async (t) => {
  for (const width of [1440, 390]) {
    const { page } = await open(t, '', { width });
    await page.setViewport({ width, height: width === 390 ? 844 : 900 });
    const bottom = await page.$eval(
      'attention-heads',
      (fans) => fans.getBoundingClientRect().bottom,
    );
    assert.ok(bottom < (await page.evaluate(() => window.innerHeight)), `${width}: ${bottom}`);
  }
});
