// What a screen reader is told without being asked: what came of an action, and nothing on its way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellAt, control, press, save, slide, textOf, write } from '../lib/heads-act.mjs';
import { loadAllActs, open } from '../lib/pages.mjs';

const isDrawn = { until: '#heads .map' };
const region = '.live-region';

test('the page has one place that speaks, beside the log of a run', async (t) => {
  const { page } = await open(t);
  await loadAllActs(page);
  const speaking = await page.$$eval(
    '[role="status"], [role="alert"], [role="log"], [role="timer"], [role="marquee"], [aria-live], output',
    (all) => all.map((each) => `${each.getAttribute('role')} ${each.className}`),
  );
  assert.deepEqual(speaking.sort(), ['log log-list', 'status live-region']);
});

describe('it says', () => {
  const says = async (page, pattern) =>
    assert.match(
      await page
        .waitForFunction(
          (where, source) =>
            new RegExp(source, 'u').test(document.querySelector(where).textContent) &&
            document.querySelector(where).textContent,
          {},
          region,
          pattern.source,
        )
        .then((told) => told.jsonValue()),
      pattern,
    );

  test('what was saved', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    await save(page, 'Save the numbers of the layer as JSON');
    await says(page, /^Saved as headwise-the-layer\.json\.$/);
  });

  test('that a seed is none, once while it is typed', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    await page.evaluate((where) => {
      window.told = [];
      new MutationObserver(() => {
        window.told.push(document.querySelector(where).textContent);
      }).observe(document.querySelector(where), { childList: true, subtree: true });
    }, region);
    await write(page, 'Seed', '-');
    await write(page, 'Seed', '-1');
    await says(page, /^Enter an integer from/);
    assert.equal((await page.evaluate(() => window.told)).length, 1);
  });

  test('what of the address could not be taken', async (t) => {
    const { page } = await open(t, '?heads=7#heads', isDrawn);
    await says(page, /7/);
    assert.equal(await textOf(page, region), await textOf(page, '#heads .notices'));
  });

  test('that a goal is reached', async (t) => {
    const { page } = await open(t, '?toy-guess=skipped#heads', isDrawn);
    await (await control(page, 'Random', 'radio', '#toy')).click();
    await says(page, /^Reached\. The parameters of the heads/);
  });
});

test('it is silent while a pointer goes over the maps, a slider moves and a run goes on', async (t) => {
  const { page } = await open(t, '#heads', isDrawn);
  await page.$eval('#train', (act) => act.scrollIntoView());
  await page.waitForSelector('#train .head-card');
  await page.evaluate((where) => {
    window.told = [];
    new MutationObserver(() => {
      window.told.push(document.querySelector(where).textContent);
    }).observe(document.querySelector(where), { childList: true, subtree: true });
  }, region);
  await (await control(page, 'Start', 'button', '#train')).click();
  await page.waitForFunction(() => {
    const step = /^Step (\d+)/.exec(document.querySelector('#train .run-status').textContent);
    return Number(step?.[1]) >= 20;
  });
  await (await control(page, 'Pause', 'button', '#train')).click();
  await (await cellAt(page, 0, 0, 0, 0)).hover();
  await (await cellAt(page, 0, 0, 1, 1)).hover();
  assert.match(await textOf(page, '#heads .read-out'), /query 2, key 2/);
  await slide(page, 'Gate of head 1', 'ArrowLeft', 'ArrowLeft');
  assert.deepEqual(await page.evaluate(() => window.told), []);
  // Its own voice is heard again.
  await press(page, 'Save', 'button');
  await (await control(page, 'Save the layer as SVG', 'button')).click();
  await page.waitForFunction(() => window.told.length === 1);
});
