// The page as a reader prints it, in forced colours, and without motion.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { patience } from '../lib/browser.mjs';
import { cellAt, control } from '../lib/heads-act.mjs';
import { readPixels } from '../lib/page-reader.mjs';
import { actsOf, artefact, fitsAcross, loadAllActs, open } from '../lib/pages.mjs';

describe('with other media', () => {
  test('nothing moves for a reader who asks for stillness', async (t) => {
    const { page } = await open(t, '', { media: { motion: 'reduce' } });
    await loadAllActs(page);
    const moving = await page.$$eval('*', (elements) =>
      elements
        .filter((element) => {
          const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
          const seconds = Math.max(...transitionDuration.split(',').map(parseFloat));
          return seconds > 0 || animationName !== 'none' || scrollBehavior === 'smooth';
        })
        .map(({ localName, className }) => `${localName}.${className}`),
    );
    assert.deepEqual([...new Set(moving)], []);
  });

  for (const scheme of ['light', 'dark']) {
    test(`forced colours, ${scheme}, tell what is chosen and what stands on the scale`, async (t) => {
      const { page } = await open(t, '#heads', { media: { forcedColors: 'active', scheme } });
      await loadAllActs(page);
      await page.screenshot({ path: artefact(`forced-colors-${scheme}.png`), fullPage: true });
      const seen = async (selector) => readPixels(page, await page.$(selector));
      const chosen = await seen('#heads .segment:has(:checked)');
      const other = await seen('#heads .segment:has(:not(:checked))');
      assert.notEqual(chosen.ground, other.ground);
      assert.ok(chosen.contrast >= 4.5);
      // In small maps there are no numbers.
      const cells = await page.$$('#heads .map:has(.cell-text) .cell:not([data-masked])');
      let read = 0;
      for (const cell of cells) {
        const isWritten = await cell.evaluate((rect) =>
          rect.closest('.map').querySelector('.cell-text').checkVisibility(),
        );
        if (!isWritten) continue;
        const { contrast } = await readPixels(page, cell);
        assert.ok(contrast >= 3, `${contrast}`);
        if (++read === 8) break;
      }
      assert.equal(read, 8);
    });
  }

  for (const scheme of ['light', 'dark']) {
    test(`on paper the figures are there, and nothing to press, from ${scheme}`, async (t) => {
      const { page } = await open(t, '', { media: { scheme } });
      await loadAllActs(page);
      const session = await page.createCDPSession();
      await session.send('Emulation.setEmulatedMedia', {
        media: 'print',
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
      // The width of A4 between its margins.
      await page.setViewport({ width: 718, height: 1000 });
      const visible = (selector) =>
        page.$$eval(selector, (found) => found.filter((each) => each.checkVisibility()).length);
      assert.equal(
        await visible('nav, button:not(:has(svg), .term), input, select, textarea, .skip-link'),
        0,
      );
      for (const act of await actsOf(page)) {
        assert.equal(await visible(`#${act} h2`), 1);
        const figures = (await page.$$(`#${act} svg.map`)).length;
        assert.equal(await visible(`#${act} svg.map`), figures);
      }
      assert.ok((await visible('.cell-text')) > 0, 'with their numbers');
      const paper = await page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
      assert.equal(paper, 'rgb(255, 255, 255)');
      await fitsAcross(page);
      await page.screenshot({ path: artefact(`print-${scheme}.png`), fullPage: true });
    });
  }
});

test('on paper a frame in which nothing is drawn yet is left out, and nothing sticks', async (t) => {
  const { page } = await open(t, '#train', { until: '#train .head-card' });
  await page.emulateMediaType('print');
  await page.setViewport({ width: 718, height: 1000 });
  const isShown = (selector) => page.$eval(selector, (found) => found.checkVisibility());
  assert.equal(await isShown('#train .chart'), false);
  assert.equal(
    await page.$eval('#train .rail-pinned', (bar) => getComputedStyle(bar).position),
    'static',
  );
  await page.emulateMediaType('screen');
  await (await control(page, 'Start', 'button', '#train')).click();
  await page.waitForFunction(() =>
    /L/.test(document.querySelector('#train .chart path').getAttribute('d')),
  );
  await page.emulateMediaType('print');
  assert.equal(await isShown('#train .chart'), true);
});

test('a ring is as wide in a small map as in a large one, and no title grows when its map is selected', async (t) => {
  const { page } = await open(t, '#heads', { until: '#heads .map' });
  const titles = () =>
    page.$$eval('#heads .samples .head-title', (all) =>
      all.map((title) => title.getBoundingClientRect().width),
    );
  const before = await titles();
  await (await cellAt(page, 0, 3, 1, 1)).click();
  await page.waitForSelector('#heads .head[data-selected] .ring[data-here]');
  assert.deepEqual(await titles(), before);
  const rings = await page.$$eval('#heads .ring[data-here] > rect', (all) =>
    all.map((rect) => {
      const { vectorEffect, strokeWidth, stroke } = getComputedStyle(rect);
      return `${vectorEffect} ${strokeWidth} ${stroke}`;
    }),
  );
  assert.deepEqual(
    [...new Set(rings)],
    ['non-scaling-stroke 6px rgb(0, 0, 0)', 'non-scaling-stroke 2px rgb(255, 255, 255)'],
  );
});

test('the page as a PDF has a few pages, as a reader prints it', async (t) => {
  const { page } = await open(t);
  await loadAllActs(page);
  const path = artefact('page.pdf');
  // A printer's process of its own starts for it.
  await page.pdf({ path, format: 'A4', timeout: patience });
  const pages = readFileSync(path, 'latin1').match(/\/Type\s*\/Page\b/g).length;
  const acts = (await actsOf(page)).length;
  assert.ok(pages >= 2 && pages <= 2 + 3 * acts, `${pages} pages for ${acts} acts`);
});
