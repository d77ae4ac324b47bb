// One visit on a phone, dark and by touch, through every act: in Chromium, Firefox and WebKit, whose driver
// turns touches into clicks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct } from '../lib/acts.mjs';
import { ofColours } from '../lib/axe.mjs';
import { engineName, sharedPhone } from '../lib/engines.mjs';
import { artefact } from '../lib/pages.mjs';
import { twoFrames, until } from '../lib/until.mjs';

/** What a finger does in acts with gestures of their own, and what comes of it. */
const visits = {
  async look({ tap, waitFor, seeHeads, evaluate }) {
    await seeHeads();
    const place = () =>
      evaluate(() => document.querySelector('#look .detail').getBoundingClientRect().top + scrollY);
    const before = await place();
    await waitFor('#look .lens td');
    assert.equal(await place(), before, 'what comes late moves the gate');
    await tap('#look .detail .gate', 'Gate of layer 2, head 2');
    await waitFor('#look .look-status[data-shut="1"]');
  },
  async 'equal-keys'({ tap, waitFor, waitForText, weights }) {
    await tap('#equal-keys [data-option="keys"]');
    await tap('#equal-keys .segment', 'Random');
    await waitFor('#equal-keys .predict[data-reached]');
    // The question: the input of that name follows it.
    await tap('#equal-keys .segment', 'Patterns');
    await tap('#equal-keys [data-option="1"]');
    await waitForText('#equal-keys .predict-told', /^(?:No|Right): /);
    await tap('#equal-keys .close-up .cell[data-query="4"][data-key="3"]');
    await waitForText('#equal-keys .arithmetic caption', /^Head 1: /);
    const before = await weights();
    // The thumb jumps to where the track is touched.
    await tap('#equal-keys .slider', 'Valid length');
    await until(async () => (await weights()).join() !== before.join(), 'other weights');
  },
  async translate({ tap, waitFor, waitForText }) {
    await waitFor('#translate .align-figure');
    await waitForText('#translate .run-status', /^Step 0 /);
    await tap('#translate button', 'One step');
    await waitForText('#translate .run-status', /^Step 1 /);
    await tap('#translate .align-query');
    await waitForText('#translate .align-read-out', /^Output 1,/);
  },
};

test(`every act on a phone, dark and by touch, in ${engineName}`, async (t) => {
  const visit = await openAct(t, '', { on: sharedPhone });
  const media = ['(prefers-color-scheme: dark)', '(max-width: 42rem)'];
  const matching = (all) => all.filter((each) => window.matchMedia(each).matches);
  assert.deepEqual(await visit.evaluate(matching, media), media);

  await t.test('first screen', async () => {
    const touchPart = async (selector, index) => {
      const findCentre = (part, at) => {
        const { shadowRoot } = document.querySelector('attention-heads');
        const found = [...shadowRoot.querySelectorAll(part)][at];
        found.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { left, right, top, bottom } = found.getBoundingClientRect();
        return [(left + right) / 2, (top + bottom) / 2];
      };
      const centre = () => visit.evaluate(findCentre, selector, index);
      // What the last touch chose may still be drawn, and move the part.
      await until(async () => {
        const before = await centre();
        await visit.evaluate(twoFrames);
        return before.join() === (await centre()).join();
      }, `${selector} moves`);
      await visit.touch(...(await centre()));
    };
    const chosen = () =>
      visit.evaluate(() => {
        const { query, head } = document.querySelector('attention-heads');
        return `word ${query}, head ${head}`;
      });
    await until(async () => (await chosen()) === 'word 7, head undefined', chosen);
    await touchPart('[role="option"]', 3);
    await until(async () => (await chosen()) === 'word 3, head undefined', chosen);
    for (const head of [1, undefined]) {
      await touchPart('.chip', 1);
      await until(async () => (await chosen()) === `word 3, head ${head}`, chosen);
    }
  });
  for (const id of ['look', 'inside', 'equal-keys', 'train', 'translate', 'prune']) {
    await t.test(id, async () => {
      await visit.goTo(id);
      await visits[id]?.(visit);
      const overflow = () =>
        visit.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await until(async () => (await overflow()) <= 0, 'it is wider than the phone');
      await visit.screenshot(artefact(`${id}-phone-${engineName}.png`));
    });
  }
  await t.test('axe-core finds no colours that are hard to read in the acts in use', async () => {
    assert.deepEqual(await visit.violations(ofColours), []);
  });
});
