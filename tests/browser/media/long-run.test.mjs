// A run that went on for long: its lines have no more points than the page has room for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../lib/pages.mjs';
import { restingStepOf } from '../lib/train-act.mjs';

/** The points of each path: from `M0,1L2,3`. */
const pointsOf = (page, selector) =>
  page.$$eval(selector, (paths) =>
    paths.map((path) =>
      path
        .getAttribute('d')
        .slice(1)
        .split('L')
        .map((point) => point.split(',').map(Number)),
    ),
  );

test('lines of many steps are thinned, and still end where the run is', async (t) => {
  const { page } = await open(t, '?train-speed=full&train-layers=1&train-heads=1#train');
  await page.waitForSelector('#train .head-card');
  await page.click('#train .playback .primary');
  await page.waitForFunction(
    () => Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) > 1700,
  );
  await page.click('#train .playback .primary');
  await restingStepOf(page);
  const [curve] = await pointsOf(page, '#train .chart [data-series="training"]');
  const width = await page.$eval('#train .chart', (chart) => chart.getBoundingClientRect().width);
  assert.ok(curve.length > width / 3 && curve.length <= width + 1, `${curve.length} for ${width}`);
  const xs = curve.map(([x]) => x);
  assert.deepEqual(
    xs,
    xs.toSorted((a, b) => a - b),
  );

  for (const line of await pointsOf(page, '#train .score-lines path')) {
    assert.ok(line.length > 60 && line.length <= 201, `${line.length}`);
    const step = Number(
      /\d+/.exec(await page.$eval('#train .run-status', (status) => status.textContent)),
    );
    // 200 units are as many steps as the axis shows, and every fourth is measured.
    const [last] = line.at(-1);
    assert.ok(Math.abs(last - (200 * step) / 3200) < 1, `${last} at step ${step}`);
  }
});
