// What a reader presses stays where it is when a goal is reached: what is told above it would push it away.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from '../lib/pages.mjs';
import { twoFrames } from '../lib/until.mjs';

/** From now on, frame by frame, those of some controls that move within the window. */
async function watchPlaces(page, controls) {
  await page.evaluate(
    (...watched) => {
      const isSeen = (place) => place >= 0 && place < window.innerHeight;
      const places = new Map();
      window.moved = [];
      const look = () => {
        for (const control of watched) {
          if (!control.checkVisibility()) continue;
          const place = Math.round(control.getBoundingClientRect().top);
          const was = places.get(control) ?? place;
          places.set(control, place);
          if (Math.abs(place - was) <= 1 || !isSeen(was)) continue;
          const name = control.ariaLabel ?? (control.labels[0] ?? control).textContent.trim();
          window.moved.push(`${name}: ${was} to ${place}`);
        }
        requestAnimationFrame(look);
      };
      look();
    },
    ...controls,
  );
  return async () => {
    await page.evaluate(twoFrames);
    return page.evaluate(() => window.moved);
  };
}

const goalsOf = (page, act) =>
  page.$$eval(`#${act} .goal-progress`, (all) => all.map((told) => told.textContent));

/** All heads but one that were not planted. */
const pruned = '1.1,1.4,1.5,1.6,2.1,2.2,2.4';

const named = (page, act, name) =>
  page.waitForSelector(`#${act} ::-p-aria([name="${name}"])`, { visible: true });

/** Until all is there that a planted model brings, above what is pressed, too. */
async function plantOne(page) {
  await (await named(page, 'prune', 'Plant and train')).click();
  await page.waitForSelector('#prune .guess-loud');
  await (await named(page, 'prune', 'Stop')).click();
  await page.waitForFunction(() =>
    /^Stopped/.test(document.querySelector('#prune .plant-status').textContent),
  );
}

/** Which press reaches the goal of an act, after another one to begin with, and what is to stay beside what is pressed. */
const acts = {
  why: { query: '?why-d=16&why-divisor=8', pressed: '√d = 4', part: '.rail-main' },
  train: { query: '?train-speed=full', pressed: 'Start', part: '.playback' },
  prune: {
    query: `?prune-check=1&prune-gone=${pruned}`,
    begin: plantOne,
    pressed: 'Prune head 5 of layer 2',
    part: '.session .buttons',
  },
  words: { pressed: 'Gate of layer 2, head 2', part: '.words-controls' },
  align: { pressed: 'Start', part: '.playback' },
};

for (const width of [1440, 390]) {
  describe(`when a goal is reached, nothing is pushed away at ${width} pixels`, () => {
    for (const [act, { query = '', begin, pressed, part }] of Object.entries(acts)) {
      test(`in act ${act}`, async (t) => {
        const { page } = await open(t, `${query}#${act}`, { width });
        await begin?.(page);
        const control = await named(page, act, pressed);
        const before = await goalsOf(page, act);
        // At once, and not by the press.
        await control.evaluate((found) => found.scrollIntoView({ block: 'center' }));
        const beside = await page.$$(`#${act} ${part} :is(button, input, textarea)`);
        assert.ok(beside.length > 1);
        const movedOf = await watchPlaces(page, [control, ...beside]);
        await control.click();
        await page.waitForFunction(
          (where, was) =>
            [...document.querySelectorAll(where)].some((told, i) => told.textContent !== was[i]),
          {},
          `#${act} .goal-progress`,
          before,
        );
        assert.deepEqual(await movedOf(), []);
      });
    }
  });
}
