// Cause and effect on one screen: what a control changes is beside it, in a stage no higher than the screen,
// and whatever is written on controls has room there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { actsOf, loadAllActs, open } from '../lib/pages.mjs';
import { twoFrames } from '../lib/until.mjs';

/** How far each stage ends below a screen that shows its top, and how far its rail can be scrolled, in pixels. */
const stagesOf = (page) =>
  page.$$eval('.act-stage', (stages) => {
    const room = innerHeight - document.querySelector('.navigation').getBoundingClientRect().height;
    const shown = stages.filter((stage) => stage.checkVisibility());
    return shown.map((stage) => {
      const rail = stage.querySelector('.rail');
      return {
        act: stage.closest('section[id]').id,
        height: stage.getBoundingClientRect().height,
        over: Math.max(0, Math.round(stage.getBoundingClientRect().height - room)),
        hidden: rail.scrollHeight - rail.clientHeight,
      };
    });
  });

/** What is written on a button, or on one of several choices, and has no room there. */
const cutOf = (page) =>
  page.$$eval('.segment > span, button, select', (all) =>
    all
      // On a phone the numbers of the figure's steps are left of their names.
      .filter((each) => each.checkVisibility() && getComputedStyle(each).overflow !== 'hidden')
      .filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth || scrollHeight > clientHeight,
      )
      .map((each) => `${each.closest('section[id]')?.id}: ${each.textContent}`),
  );

const languages = ['en', 'zh', 'ko', 'id'];
const screens = [
  [1440, 900],
  [1440, 780],
  [1366, 768],
  [1280, 800],
  [1280, 1024],
  [1920, 1080],
];
const narrow = [1024, 768, 390, 360, 320].map((width) => [width, 800]);

async function openAll(t, language) {
  const { page } = await open(t, `?lang=${language}`, { width: 1440 });
  await loadAllActs(page);
  await page.waitForSelector('#why [data-done]');
  return page;
}

/** Charts take the width of what is around them a frame later. */
async function resize(page, [width, height]) {
  await page.setViewport({ width, height });
  await page.evaluate(twoFrames);
}

describe('every stage of every act fits a screen, and its controls fit beside it', () => {
  for (const language of languages) {
    test(`in ${language}`, async (t) => {
      const page = await openAll(t, language);
      const acts = await actsOf(page);
      for (const screen of screens) {
        await resize(page, screen);
        const stages = await stagesOf(page);
        // The last act is an index.
        const withStages = [...new Set(stages.map(({ act }) => act))];
        assert.deepEqual(withStages, acts.slice(0, -1));
        const empty = stages.filter((stage) => stage.height < 150);
        const wrong = stages.filter(({ over, hidden }) => over > 0 || hidden > 0);
        assert.deepEqual([...empty, ...wrong], [], screen.join(' × '));
      }
    });
  }
});

describe('nothing is cut that is written on a button or a choice', () => {
  for (const language of languages) {
    test(`in ${language}`, async (t) => {
      const page = await openAll(t, language);
      for (const size of [...screens, ...narrow]) {
        await resize(page, size);
        assert.deepEqual(await cutOf(page), [], size.join(' × '));
      }
    });
  }
});
