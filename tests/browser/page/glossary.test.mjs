// Terms that open their definition, wherever they stand.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofColours, violations } from '../lib/axe.mjs';
import { loadAllActs, open } from '../lib/pages.mjs';

const definition = '.definition:popover-open';
const shown = (page) => page.waitForSelector(definition, { visible: true });
const hidden = (page) =>
  page.waitForFunction((each) => !document.querySelector(each), {}, definition);
const textOf = (page) => page.$eval('.definition', ({ textContent }) => textContent);

/** Every term there is: also in the figure's steps, and in all answers. */
async function openEverything(page) {
  await loadAllActs(page);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

test('every term is in the glossary, in each act the first time it is used', async (t) => {
  const { page } = await open(t);
  await openEverything(page);
  const terms = new Map();
  const collect = async () => {
    const found = await page.$$eval('.term', (all) =>
      all.map((each, at) => [at, each.dataset.term]),
    );
    for (const [at, term] of found) {
      if (terms.has(term)) continue;
      await page.evaluate((index) => document.querySelectorAll('.term')[index].click(), at);
      await page.waitForFunction(
        (index) =>
          document.querySelectorAll('.term')[index].getAttribute('aria-expanded') === 'true',
        {},
        at,
      );
      terms.set(term, await textOf(page));
    }
  };
  await collect();
  for (let step = 2; step <= 9; step++) {
    await page.click(`#figure .figure-steps input[value="${step}"]`);
    await collect();
  }
  assert.ok(terms.size >= 15, [...terms.keys()].join());
  for (const [term, text] of terms) {
    assert.match(text, /^[A-Z][^.]*(?:\.\d[^.]*)*\.$/, `${term}: one sentence, and not “${text}”`);
    assert.ok(text.length < 180, term);
  }
});

describe('a definition', () => {
  const term = '#align .act-lead .term';

  test('opens and closes by pointer, and moves nothing', async (t) => {
    const { page } = await open(t, '#align');
    await page.waitForSelector('#align .live:not([data-awaited])');
    // From the title: what is above it may still come.
    const boxes = () =>
      page.evaluate(() => {
        const { top } = document.querySelector('#align h2').getBoundingClientRect();
        return ['.act-lead', '.notices', '.live'].map(
          (each) => document.querySelector(`#align ${each}`).getBoundingClientRect().top - top,
        );
      });
    const before = await boxes();
    const sentence = await page.$eval('#align .act-lead', ({ textContent }) => textContent);
    assert.match(sentence, /^In cross-attention, queries come from one sequence/);
    await page.click(term);
    await shown(page);
    assert.match(await textOf(page), /^A decoder writes a sequence token by token/);
    assert.deepEqual(await boxes(), before);
    await page.click(term);
    await hidden(page);
    await page.click(term);
    await shown(page);
    await page.mouse.click(5, 400);
    await hidden(page);
    // Of another one, in its place.
    await page.click(term);
    await shown(page);
    await page.click('#align .prose .term');
    await page.waitForFunction(
      (selector) => /^The attention weight /.test(document.querySelector(selector)?.textContent),
      {},
      definition,
    );
    const expanded = await page.$$eval('.term[aria-expanded="true"]', (all) =>
      all.map(({ dataset }) => dataset.term),
    );
    assert.deepEqual(expanded, ['attention weight']);
  });

  test('opens by keyboard and closes by Escape, the focus staying', async (t) => {
    const { page } = await open(t, '#align');
    await page.focus(term);
    for (const key of ['Enter', ' ']) {
      await page.keyboard.press(key);
      await shown(page);
      const { expanded, described } = await page.evaluate(() => ({
        expanded: document.activeElement.ariaExpanded,
        described: document.getElementById(document.activeElement.getAttribute('aria-describedby'))
          ?.className,
      }));
      assert.deepEqual({ expanded, described }, { expanded: 'true', described: 'definition' });
      await page.keyboard.press('Escape');
      await hidden(page);
      assert.equal(await page.evaluate(() => document.activeElement.dataset.term), 'decoder');
    }
  });

  test('opens by touch, within the window of a phone', async (t) => {
    const { page } = await open(t, '', { width: 360 });
    await openEverything(page);
    const count = await page.$$eval(
      '#align .term, #words .term, .first .term',
      (all) => all.length,
    );
    assert.ok(count >= 5);
    for (let at = 0; at < count; at++) {
      const one = (await page.$$('#align .term, #words .term, .first .term'))[at];
      await one.scrollIntoView();
      await one.tap();
      await shown(page);
      await page.waitForFunction(
        (selector) => {
          const { left, right, top, bottom } = document
            .querySelector(selector)
            .getBoundingClientRect();
          return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        },
        {},
        definition,
      );
      await page.keyboard.press('Escape');
      await hidden(page);
    }
  });

  test('that does not load says so', async (t) => {
    const prepare = async (page) => {
      await page.setRequestInterception(true);
      page.on('request', (request) =>
        /\/glossary-[^/]+\.js$/.test(request.url()) ? request.abort() : request.continue(),
      );
    };
    const causes = /glossary|ERR_FAILED|dynamically imported module/;
    const { page } = await open(t, '#align', { prepare, causes });
    await page.click(term);
    await page.waitForSelector('#align .definition');
    assert.match(await textOf(page), /^This definition did not load/);
  });

  test('is loaded when the first one is opened', async (t) => {
    const { page } = await open(t, '#align');
    await page.waitForSelector('#align .live:not([data-awaited])');
    const isLoaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => /glossary-/.test(name)),
      );
    assert.equal(await isLoaded(), false);
    await page.click(term);
    await shown(page);
    assert.equal(await isLoaded(), true);
  });

  for (const scheme of ['light', 'dark']) {
    test(`axe-core finds nothing in it, ${scheme}`, async (t) => {
      const { page } = await open(t, '#align', { media: { scheme } });
      await page.click(term);
      await shown(page);
      assert.deepEqual(await violations(page, { scope: '#align .act-lead' }), []);
      assert.deepEqual(await violations(page, ofColours), []);
    });
  }

  test('is left out on paper, and its term is a word of the sentence', async (t) => {
    const { page } = await open(t, '#align');
    await page.click(term);
    await shown(page);
    await page.emulateMediaType('print');
    const seen = await page.evaluate(
      (word) => ({
        term: document.querySelector(word).checkVisibility(),
        definition: document.querySelector('.definition').checkVisibility(),
      }),
      term,
    );
    await page.emulateMediaType('screen');
    assert.deepEqual(seen, { term: true, definition: false });
  });
});
