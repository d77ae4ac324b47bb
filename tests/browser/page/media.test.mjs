// The page on paper, without motion, and in forced colours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { control } from '../lib/heads-act.mjs';
import { readPixels } from '../lib/page-reader.mjs';
import { actsOf, artefact, fitsAcross, loadAllActs, open, prefer } from '../lib/pages.mjs';

test('a page without motion has none, and on paper it shows figures and nothing to press', async (t) => {
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

  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', {
    media: 'print',
    features: [{ name: 'prefers-color-scheme', value: 'dark' }],
  });
  // The width of A4 between its margins.
  await page.setViewport({ width: 718, height: 1000 });
  const visible = (selector) =>
    page.$$eval(selector, (found) => found.filter((each) => each.checkVisibility()).length);
  const pressable = 'nav, button:not(:has(svg), .term), input, select, textarea, .skip-link';
  assert.equal(await visible(pressable), 0);
  for (const act of await actsOf(page)) {
    assert.equal(await visible(`#${act} h2`), 1);
    assert.equal(await visible(`#${act} svg.map`), (await page.$$(`#${act} svg.map`)).length);
  }
  assert.ok((await visible('.cell-text')) > 0, 'with their numbers');
  const paper = await page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
  assert.equal(paper, 'rgb(255, 255, 255)');
  await fitsAcross(page);
  assert.equal(await visible('#train .chart'), 0, 'a chart without lines is left out');
  const bar = await page.$eval('#train .rail-pinned', (each) => getComputedStyle(each).position);
  assert.equal(bar, 'static');
  await page.screenshot({ path: artefact('print.png'), fullPage: true });

  await session.send('Emulation.setEmulatedMedia', { media: 'screen' });
  await (await control(page, 'Start', 'button', '#train')).click();
  await page.waitForFunction(() =>
    /L/.test(document.querySelector('#train .chart path').getAttribute('d')),
  );
  await session.send('Emulation.setEmulatedMedia', { media: 'print' });
  assert.equal(await visible('#train .chart'), 1);
});

test('forced colours tell what is chosen and what stands on the scale', async (t) => {
  const { page } = await open(t, '#heads', { media: { forcedColors: 'active' } });
  for (const scheme of ['light', 'dark']) {
    await prefer(page, { forcedColors: 'active', scheme });
    const look = async (selector) => readPixels(page, await page.$(selector));
    const chosen = await look('#heads .segment:has(:checked)');
    const other = await look('#heads .segment:has(:not(:checked))');
    assert.notEqual(chosen.ground, other.ground);
    assert.ok(chosen.contrast >= 4.5);
    // Small maps have no numbers.
    const cells = await page.$$('#heads .close-up .map .cell:not([data-masked])');
    assert.ok(cells.length >= 3);
    for (const cell of cells.slice(0, 3)) {
      const { contrast } = await readPixels(page, cell);
      assert.ok(contrast >= 3, `${contrast}`);
    }
  }
});
