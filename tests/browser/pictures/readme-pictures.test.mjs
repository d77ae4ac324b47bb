// The pictures of the README, as the page draws them now; docs/hacking.md says how they get there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artefact, open } from '../lib/pages.mjs';

/** Keeps what lies between the top of one part and the bottom of another. */
async function keep(page, name, first, last) {
  await page.evaluate(() => window.scrollTo(0, 0));
  const [above, below] = await Promise.all(
    [first, last].map(async (part) => (await page.$(part)).boundingBox()),
  );
  const margin = 8;
  const clip = {
    x: above.x - margin,
    y: above.y - margin,
    width: above.width + 2 * margin,
    height: below.y + below.height - above.y + 2 * margin,
  };
  assert.ok(clip.height > 400 && clip.height < 1200, `${clip.height}`);
  await page.screenshot({ path: artefact(name), clip, captureBeyondViewport: true });
}

test('the first screen', async (t) => {
  const { page } = await open(t, '', { width: 1440 });
  await keep(page, 'readme-first.png', '.masthead h1', '.first-hint');
});

test('planted patterns', async (t) => {
  const { page } = await open(t, '?input=patterns&names=1#heads', { width: 1440 });
  await page.waitForSelector('#heads .map');
  await keep(page, 'readme-page.png', '#heads .views', '#heads .views');
});

test('a model that has learnt', async (t) => {
  const { page } = await open(t, '?train-speed=60&train-head=2.1#train', { width: 1440 });
  await page.waitForSelector('#train .head-card');
  await page.click('#train .playback .primary');
  await page.waitForFunction(
    () => Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) >= 190,
  );
  await page.click('#train .playback .primary');
  await keep(page, 'readme-train.png', '#train .views', '#train .views');
});
