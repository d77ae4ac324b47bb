// The three stages of the act: each fits into a screen, and every head has one colour in all of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, openHeads, press } from '../../lib/heads-act.mjs';
import { fitsAcross } from '../../lib/pages.mjs';

/** Below the navigation. */
const screen = 900 - 48;

describe('a stage is no higher than a screen', () => {
  const stages = {
    maps: '.heads-maps',
    gates: '.gate-panel .act-stage',
    layer: '.layer .act-stage',
  };
  for (const [name, selector] of Object.entries(stages)) {
    test(name, async (t) => {
      const { page } = await openHeads(t);
      await page.setViewport({ width: 1440, height: 900 });
      const height = await page.$eval(
        `#heads ${selector}`,
        (stage) => stage.getBoundingClientRect().height,
      );
      assert.ok(height <= screen, `${height} pixels`);
    });
  }

  test('what a control of the maps changes is in it, with planted patterns too', async (t) => {
    const { page } = await openHeads(t, '?input=patterns&compare=2');
    await page.setViewport({ width: 1440, height: 900 });
    const { top, ...bottoms } = await page.$eval('#heads .heads-maps', (maps) => {
      const bottom = (selector) => maps.querySelector(selector).getBoundingClientRect().bottom;
      return {
        top: maps.getBoundingClientRect().top,
        samples: bottom('.samples'),
        closeUp: bottom('.close-up'),
        arithmetic: bottom('.arithmetic'),
        compared: bottom('.compare-map .head'),
      };
    });
    for (const [name, bottom] of Object.entries(bottoms)) {
      assert.ok(bottom - top <= screen, `${name} ends ${bottom - top} pixels below the top`);
    }
  });

  test('with planted patterns neither is what a marked head does, nor does the rail scroll', async (t) => {
    for (let answer = 0; answer <= 5; answer++) {
      const { page } = await openHeads(t, `?input=patterns&answer=${answer}`);
      await page.setViewport({ width: 1440, height: 900 });
      const { height, hidden } = await page.$eval('#heads .heads-maps', (maps) => {
        const rail = maps.querySelector('.rail');
        return {
          height: maps.getBoundingClientRect().height,
          hidden: rail.scrollHeight - rail.clientHeight,
        };
      });
      assert.ok(height <= screen, `answer ${answer}: ${height} pixels`);
      assert.equal(hidden, 0, `answer ${answer}`);
    }
  });

  test('on a small one neither are the maps with their bar, nor the layer', async (t) => {
    for (const query of ['', '?input=patterns&answer=2', '?input=patterns&answer=3']) {
      const { page } = await openHeads(t, query);
      await page.setViewport({ width: 1024, height: 768 });
      const heights = await page.$eval('#heads', (act) => {
        const of = (selector) => act.querySelector(selector).getBoundingClientRect().height;
        return {
          maps: of('.heads-maps .rail-pinned') + of('.heads-maps .views'),
          layer: of('.layer .act-stage'),
        };
      });
      for (const [name, height] of Object.entries(heights)) {
        assert.ok(height <= 768 - 48, `${query}: ${name} of ${height} pixels`);
      }
    }
  });

  for (const width of [390, 1024]) {
    test(`and no wider than ${width} pixels, whatever is shown`, async (t) => {
      for (const query of ['?compare=2', '?input=patterns&heads=20&answer=2&part=concat']) {
        const { page } = await openHeads(t, query, { width });
        await fitsAcross(page, query);
      }
    });
  }
});

test('a head has one colour in maps, answers, gates, bars, comparison and layer', async (t) => {
  const { page } = await openHeads(t, '?input=patterns&head=2&compare=4&part=q');
  const coloursOf = (selector, property) =>
    page.$$eval(
      `#heads ${selector}`,
      (all, name) => all.map((each) => getComputedStyle(each)[name]),
      property,
    );
  const colours = await coloursOf('.sample:first-child .head-title', 'borderInlineStartColor');
  assert.equal(new Set(colours).size, 5);
  const ofTwo = [colours[1], colours[3]];
  const everywhere = {
    '.head-answers button': ['borderBlockEndColor', colours],
    '.gate-tile .head-title': ['borderInlineStartColor', colours],
    '.gate-bar .bar': ['fill', colours],
    '.gate-bar .bar-without': ['stroke', colours],
    '.layer-head > rect': ['stroke', colours],
    '.compare-pair .head-title': ['borderInlineStartColor', ofTwo],
    '.close-up .head-title': ['borderInlineStartColor', [colours[1]]],
    '.layer-numbers h4': ['borderInlineStartColor', [colours[1]]],
  };
  for (const [selector, [property, expected]] of Object.entries(everywhere)) {
    assert.deepEqual(await coloursOf(selector, property), expected, selector);
  }
  assert.equal(
    new Set(await coloursOf('.layer-part.of-head:not([aria-pressed="true"]) > rect', 'stroke'))
      .size,
    1,
  );
});

test('the sample is chosen beside the layer, whose numbers follow', async (t) => {
  const { page } = await openHeads(t, '?part=queries');
  const numbers = () =>
    page.$$eval('#heads .numbers td', (cells) => cells.map((cell) => cell.textContent));
  const first = await numbers();
  await page.$eval('#heads .layer [type="radio"][value="2"]', (radio) => radio.click());
  assert.notDeepEqual(await numbers(), first);
  await control(page, 'Sample', 'group', '#heads .layer');
  await press(page, 'Custom', 'radio');
  assert.equal(
    await page.$eval('#heads .layer .rail .control', (choice) => choice.checkVisibility()),
    false,
    'one sample is no choice',
  );
});

test('the menu of what can be saved lies over the stage below it', async (t) => {
  const { page } = await openHeads(t, '?input=patterns');
  await page.$eval('#heads .gate-panel', (gates) => gates.scrollIntoView({ block: 'center' }));
  await press(page, 'Save', 'button');
  const covered = await page.$$eval('#heads .save-list button', (all) =>
    all.flatMap((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return there === button ? [] : [`${button.ariaLabel} by ${there?.className}`];
    }),
  );
  assert.deepEqual(covered, []);
});
