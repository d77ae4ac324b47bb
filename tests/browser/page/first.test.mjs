// The first screen: a sentence under four heads of a trained model, and the reader's own sentence.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { isReady, loadedFiles, open, readSentence, searchOf } from '../lib/pages.mjs';
import { waitForSearch, waitForText } from '../lib/pages.mjs';
import { headers, serveFolder, servePage } from '../lib/server.mjs';
import { press } from '../lib/press.mjs';

const { heads, query, text, words } = JSON.parse(
  readFileSync(fromRoot('web/src/reading/sentence.json'), 'utf8'),
);

/** The numbers below the words. */
const numbers = (page) =>
  page.$eval('attention-heads', ({ shadowRoot }) =>
    Array.from(shadowRoot.querySelectorAll('.word .number'), ({ textContent }) => textContent),
  );

/** The largest weight of the shown heads; empty for words that have none. */
const expected = (from, shown = heads) =>
  words.map((_word, key) => {
    const largest = Math.max(...shown.map(({ weights }) => weights[from][key]));
    const told = largest < 0.005 ? '' : (Math.round(100 * largest) / 100).toFixed(2);
    return key > from ? '' : told;
  });

const part = async (page, selector, index) =>
  (await page.$$(`attention-heads >>> ${selector}`))[index];
const word = (page, index) => part(page, '[role="option"]', index);

test('arcs are drawn at the first paint, and the layout never shifts', async (t) => {
  const { page } = await open(t, '', {
    prepare: (tab) =>
      tab.evaluateOnNewDocument(() => {
        window.shifts = [];
        window.places = () =>
          ['.masthead h1', 'h2', '.act-lead'].map((each) =>
            Math.round(document.querySelector(each).getBoundingClientRect().top),
          );
        new PerformanceObserver((list) => {
          window.shifts.push(...list.getEntries().map(({ value }) => value));
        }).observe({ type: 'layout-shift', buffered: true });
        new PerformanceObserver((list, observer) => {
          observer.disconnect();
          // The page as its HTML has it, or already as its script draws it, which is by the next frame.
          requestAnimationFrame(() => {
            const fans = document.querySelector('attention-heads')?.shadowRoot;
            const arcs = (fans ?? document).querySelectorAll('.curves path, .opening svg path');
            window.atFirstPaint = { arcs: arcs.length, places: window.places() };
          });
        }).observe({ type: 'paint', buffered: true });
      }),
  });
  await page.waitForFunction(() => window.atFirstPaint !== undefined);
  const { arcs, places } = await page.evaluate(() => window.atFirstPaint);
  // One head attends to the word itself, to which the page's HTML has no arc.
  assert.ok(arcs >= heads.length - 1);
  assert.deepEqual(await page.evaluate(() => window.places()), places);
  assert.deepEqual(await numbers(page), expected(query));
  for (const index of [1, 8, 4]) {
    await (await word(page, index)).hover();
    assert.deepEqual(await numbers(page), expected(index));
  }
  // A number below a word may be a fraction of a pixel wider than the one before.
  const shifted = await page.evaluate(() => window.shifts.reduce((sum, each) => sum + each, 0));
  assert.ok(shifted < 0.001, `layout shift ${shifted}`);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ]) {
    await page.setViewport({ width, height });
    const bottom = await page.$eval(
      'attention-heads',
      (fans) => fans.getBoundingClientRect().bottom,
    );
    assert.ok(bottom < height, `${width}: ${bottom}`);
  }
});

test('a chosen word and head are in the address, those under the pointer are not', async (t) => {
  const { page } = await open(t);
  await (await word(page, 2)).hover();
  assert.equal(await searchOf(page), '');
  await (await word(page, 8)).click();
  await waitForSearch(page, '?look-query=9');
  await (await part(page, '.chip', 1)).click();
  await waitForSearch(page, '?look-query=9&look-arcs=2');
  await page.mouse.move(0, 0);
  assert.deepEqual(await numbers(page), expected(8, [heads[1]]));
  await page.goBack();
  await waitForSearch(page, '?look-query=9');
  assert.deepEqual(await numbers(page), expected(8));
  await page.reload();
  await page.waitForSelector(isReady);
  assert.deepEqual(await numbers(page), expected(8));
});

const field = '.first .sentence-text';
const status = '.first .sentence-status';
const example = 'I am what I am and you are what you are';

/** Waits for the tokens of a text and their weights in the four heads. */
const waitForReading = (page, written) =>
  page.waitForFunction(
    (wanted, count) => {
      const { tokens, weights } = document.querySelector('attention-heads');
      return tokens.join('') === wanted && weights.data.length === count * tokens.length ** 2;
    },
    {},
    ...[written.replaceAll(' ', ''), heads.length],
  );

describe('the reader’s own sentence', () => {
  test('is read by the model, which loads when the reader writes, and keeps its field in place', async (t) => {
    const { page } = await open(t, '', { width: 390 });
    // The sentence that the page opens with needs no model.
    assert.deepEqual(await numbers(page), expected(query));
    await page.$eval(field, (input) => {
      input.focus();
      input.select();
    });
    assert.deepEqual(await loadedFiles(page, /model-worker/), [], 'the focus alone loads nothing');
    const top = () => page.$eval(field, (input) => input.getBoundingClientRect().top);
    const before = await top();
    const long = 'something extraordinarily complicated becomes increasingly uncomfortable';
    await page.keyboard.type(long);
    await waitForReading(page, long);
    assert.ok(Math.abs((await top()) - before) <= 1, `${await top()}, before ${before}`);
    await waitForSearch(page, `?text=${long.replaceAll(' ', '+')}`);
    await waitForText(page, status, /pieces\./);
  });

  test('may be an example or come from the address, and is a step of the history', async (t) => {
    const begin = words.slice(0, 6);
    const { page } = await open(t, `?text=${begin.join('+')}&look-arcs=1&look-query=2`);
    await waitForReading(page, begin.join(' '));
    assert.match((await numbers(page)).join(), /^(?:0\.9\d|1\.00),[\d.]*,,,,$/);
    assert.equal(await page.$eval(field, ({ value }) => value), begin.join(' '));
    // Of the same words as in the opening sentence, but for the rounding to 8 bits.
    const shown = await page.$eval('attention-heads', (view) => [...view.weights.data]);
    const kept = heads.flatMap(({ weights }) => begin.flatMap((_, at) => weights[at].slice(0, 6)));
    shown.forEach((weight, i) => assert.ok(Math.abs(weight - kept[i]) < 0.05, `${i}: ${weight}`));
    const [first, other] = await page.$$('.sentence-examples button');
    await other.click();
    await waitForReading(page, example);
    assert.equal(await page.$eval(field, ({ value }) => value), example);
    await first.click();
    await waitForReading(page, text);
    await page.goBack();
    await waitForReading(page, example);
  });

  test('is read without a network once the model has been loaded', async (t) => {
    const server = await servePage();
    t.after(() => server.close());
    const { page } = await open(t, '?text=peace', {
      server,
      withServiceWorker: true,
      causes: /service-worker\.js/,
    });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.type(field, ' is');
    await waitForReading(page, 'peace is');
    await page.waitForFunction(async () => {
      const cache = await caches.open('language-model');
      return (await cache.keys()).length > 0;
    });
    await server.close();
    await page.goto(`${server.url}?text=war+and+peace`);
    await page.waitForSelector(isReady);
    await waitForReading(page, 'war and peace');
    await waitForText(page, status, /3 tokens\./);
    await page.goto(`${server.url}?look-shut=2.2#look`);
    await page.waitForSelector(isReady);
    await readSentence(page);
  });

  test('waits for a model that failed to load, and is read on another try', async (t) => {
    const copy = fromRoot('build/page-without-model');
    rmSync(copy, { recursive: true, force: true });
    cpSync(fromRoot('build/page'), copy, { recursive: true });
    renameSync(`${copy}/model`, `${copy}/later`);
    const server = await serveFolder(copy, { headers: headers.security });
    t.after(() => server.close());
    const { page } = await open(t, '?text=peace', { server, causes: /404|ERR_ABORTED/ });
    await page.waitForSelector('.first .failure button');
    const told = await page.$eval('.first .failure', ({ textContent }) => textContent);
    assert.match(told, /not found \(404\)/);
    renameSync(`${copy}/later`, `${copy}/model`);
    await press(page, '.first .failure button');
    await waitForReading(page, 'peace');
    assert.equal(await page.$('.first .failure'), null);
  });
});
