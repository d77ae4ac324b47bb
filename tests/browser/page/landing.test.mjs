// Links, addresses and the navigation lead to the top of an act, though acts load and grow above it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, isReady, loadAllActs, open } from '../lib/pages.mjs';
import { press } from '../lib/press.mjs';

/** Resolves once the page has not changed its height for half a second, and no act in view waits. */
const settle = (page) =>
  page.evaluate(async () => {
    const { documentElement: root } = document;
    const isWaiting = () =>
      [...document.querySelectorAll('.live[data-awaited]')].some((live) => {
        const { top, bottom } = live.getBoundingClientRect();
        return top < innerHeight && bottom > 0;
      });
    let [height, since] = [0, performance.now()];
    while (performance.now() - since < 500) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (height === root.scrollHeight && !isWaiting()) continue;
      [height, since] = [root.scrollHeight, performance.now()];
    }
  });

/** How far the top of an act is from where a link leads: below the navigation, or at the end of the page. */
const missOf = (page, act) =>
  page.evaluate((id) => {
    const before = window.scrollY;
    document.getElementById(id).scrollIntoView();
    const miss = Math.abs(window.scrollY - before);
    window.scrollTo(0, before);
    return miss;
  }, act);

for (const width of [1440, 1024, 720, 390]) {
  test(`no act is missed at ${width} pixels, by address and by the navigation, cold and warm`, async (t) => {
    const { page, url } = await open(t, '', { width });
    const acts = await actsOf(page);
    const misses = {};
    const check = async (how, act) => {
      await settle(page);
      const miss = await missOf(page, act);
      if (miss > 2) misses[`${how} ${act}`] = miss;
    };
    for (const act of acts) {
      await page.goto('about:blank');
      await page.goto(`${url}#${act}`);
      await page.waitForSelector(isReady);
      await check('address', act);
    }
    for (const isWarm of [false, true]) {
      await page.goto('about:blank');
      await page.goto(url);
      await page.waitForSelector(isReady);
      if (isWarm) await loadAllActs(page);
      for (const act of acts.toReversed()) {
        await press(page, `.navigation a[href="#${act}"]`);
        await check(isWarm ? 'warm link' : 'link', act);
      }
    }
    assert.deepEqual(misses, {});
  });
}
