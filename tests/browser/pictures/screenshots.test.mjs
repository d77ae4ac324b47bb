// Each act as a person sees it, as it opens and in use, light and dark, wide and narrow, kept for
// people to look at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, artefact, fitsAcross, open } from '../lib/pages.mjs';
import { twoFrames } from '../lib/until.mjs';

/** Keeps a picture of one part of the page, whole. */
async function keep(page, name, part) {
  await page.evaluate(() => window.scrollTo(0, 0));
  const { y, height } = await (await page.$(part)).boundingBox();
  assert.ok(height > 40, `${part} is ${height} high`);
  const { width } = page.viewport();
  const clip = { x: 0, y, width, height };
  await page.screenshot({ path: artefact(name), clip, captureBeyondViewport: true });
}

/** What makes an act show all it has. */
const uses = {
  async toy(page) {
    await page.click('#toy .question button');
    await page.waitForSelector('#toy .experiments-verdict:not(:empty)');
    await page.click('#toy .segment:last-of-type');
  },
  async heads(page) {
    await page.select('#heads .compare select', '2');
    await page.click('#heads .samples .cell');
  },
  async train(page) {
    await page.click('#train .playback .primary');
    await page.waitForSelector('#train .log [data-kind="goal"]');
    await page.click('#train .playback .primary');
    await page.click('#train .head-card');
    await (await page.waitForSelector('#train .enlarged .cell')).hover();
  },
  async prune(page) {
    await page.click('#prune .plant button');
    await page.waitForFunction(() =>
      /from 5 seeds/.test(document.querySelector('#prune .plant-status').textContent),
    );
    for (const head of ['1.2', '1.4', '2.3', '2.6']) {
      await page.click(`#prune .guess-tile[data-head="${head}"]`);
    }
    await page.click('#prune .guess-panel .primary');
    // What comes of it moves all that is below.
    await page.waitForFunction(() =>
      /^12 heads left/.test(document.querySelector('#prune .session-status').textContent),
    );
    await page.evaluate(twoFrames);
    for (const head of ['1.1', '2.4']) {
      await page.click(`#prune .tile[data-head="${head}"] button`);
      await page.waitForSelector(`#prune .tile[data-head="${head}"][data-standing="pruned"]`);
    }
  },
};

for (const scheme of ['light', 'dark']) {
  for (const width of [360, 768, 1280, 2560]) {
    test(`${width} pixels, ${scheme}`, async (t) => {
      const { page } = await open(t, '', { media: { scheme }, width });
      await fitsAcross(page);
      const paper = await page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
      assert.equal(paper, scheme === 'dark' ? 'rgb(21, 24, 29)' : 'rgb(255, 255, 255)');
      await keep(page, `header-${width}-${scheme}.png`, '.masthead');
      for (const act of await actsOf(page)) {
        await page.$eval(`#${act}`, (section) => section.scrollIntoView());
        await page.waitForSelector(`#${act} .live:not([data-awaited])`);
        if (act === 'train') await page.waitForSelector('#train .head-card');
        await keep(page, `${act}-${width}-${scheme}.png`, `#${act}`);
      }
      await keep(page, `footer-${width}-${scheme}.png`, '.colophon');
    });

    if (width !== 360 && width !== 1280) continue;
    test(`${width} pixels, ${scheme}, in use`, async (t) => {
      for (const [act, use] of Object.entries(uses)) {
        const { page } = await open(t, `?train-speed=full#${act}`, { media: { scheme }, width });
        await page.waitForSelector(`#${act} .live:not([data-awaited])`);
        await use(page);
        await fitsAcross(page, act);
        await keep(page, `${act}-in-use-${width}-${scheme}.png`, `#${act}`);
      }
    });
  }
}
