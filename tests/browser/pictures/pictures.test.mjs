// Pictures of the page for its documents; docs/recipes.md says how to update them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artefact, loadAllActs, open, readSentence } from '../lib/pages.mjs';

/** Keeps what lies between the top of one part and the bottom of another. */
async function keep(page, name, first, last = first) {
  // What loads later would move them.
  await loadAllActs(page);
  const [above, below] = await Promise.all(
    [first, last].map(async (part) => (await page.$(part)).boundingBox()),
  );
  const height = below.y + below.height - above.y;
  assert.ok(height > 40, `${first} is ${height} high`);
  const clip = { x: above.x - 8, y: above.y - 8, width: above.width + 16, height: height + 16 };
  await page.screenshot({ path: artefact(name), clip, captureBeyondViewport: true });
}

async function train(page, steps) {
  await page.waitForSelector('#train .head-card');
  await page.click('#train .playback .primary');
  await page.waitForFunction(
    (wanted) =>
      Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) >= wanted,
    {},
    steps,
  );
  await page.click('#train .playback .primary');
}

for (const [name, address, first, last, prepare] of [
  ['first', '', '.masthead h1', '.first-hint'],
  ['page', '#look', '#look .views', undefined, readSentence],
  [
    'train',
    '?train-speed=60&train-head=2.1#train',
    '#train .act-stage',
    undefined,
    (page) => train(page, 190),
  ],
]) {
  test(`README: ${name}`, async (t) => {
    const { page } = await open(t, address, { width: 1440 });
    await prepare?.(page);
    await keep(page, `readme-${name}.png`, first, last);
  });
}

for (const [act, query, isDrawn] of [
  ['look', '', '.candidate'],
  ['inside', '?inside-step=3', '.inside-products'],
  ['equal-keys', '?input=random', '.key-tile'],
  ['train', '?train-at=200', '.run-status[data-step="200"]'],
  ['translate', '?translate-at=400', '.run-status[data-step="400"]'],
  ['prune', '?prune-check=1', '.guess-tile canvas'],
]) {
  test(`preview: ${act}`, async (t) => {
    const { page } = await open(t, `${query}#${act}`);
    // Scaled to 800 × 420.
    await page.setViewport({ width: 1200, height: 630, deviceScaleFactor: 2 / 3 });
    if (act === 'look') await readSentence(page);
    await page.waitForSelector(`#${act} ${isDrawn}`);
    await page.$eval(`#${act} .views`, (views) => views.scrollIntoView());
    await page.evaluate(() => window.scrollBy(0, -64));
    await page.screenshot({ path: artefact(`preview-${act}.png`) });
  });
}
