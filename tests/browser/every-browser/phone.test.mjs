// One visit on a phone, dark and by touch, through every act: in Chromium, Firefox and WebKit, whose driver
// turns touches into clicks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct } from '../lib/acts.mjs';
import { ofColours } from '../lib/axe.mjs';
import { engineName, sharedPhone } from '../lib/engines.mjs';
import { artefact } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

/** What a finger does in each act, and what comes of it. */
const visits = {
  async toy({ tap, waitFor }) {
    await tap('#toy .question button', 'Different keys');
    await waitFor('#toy .experiment');
    await tap('#toy .segment', 'Random');
    await waitFor('#toy .goal[data-reached]');
  },
  async inside({ tap, waitForText }) {
    await tap('#inside .segment', '4 Scale');
    await waitForText('#inside h3', /^Step 4 of 9/);
    await tap('#inside button', 'd = 4');
    await waitForText('#inside .inside-divisor-value', /^4$/);
  },
  async heads({ tap, waitForText }) {
    await tap('#heads .segment', 'Patterns');
    await tap('#heads .head-answers button', 'Head 1 looks three back');
    await waitForText('#heads .head-told', /^(?:Head|In head) 1 /);
    await tap('#heads .samples .cell[data-head="2"][data-query="4"][data-key="3"]');
    await waitForText('#heads .arithmetic', /Head 3, sample 1/);
    // The thumb jumps to where the track is touched.
    await tap('#heads .gates .slider', 'Gate of head 2');
    await waitForText('#heads .gates-moved', /by [1-9]/);
  },
  async train({ tap, waitForText }) {
    await waitForText('#train .run-status', /^Step 0:/);
    await tap('#train .segment', 'Full');
    await tap('#train button', 'Start');
    await waitForText('#train .run-status', /^Step [1-9]/);
    await tap('#train button', 'Pause');
    await waitForText('#train .playback .primary', /^Resume$/);
  },
  async prune({ tap, waitFor, waitForText }) {
    await waitFor('#prune .guess-tile:not([aria-disabled])');
    await tap('#prune button', 'Show the roles');
    await waitForText('#prune .guess-role', /^quiet$/);
  },
  async look({ tap, waitFor }) {
    await waitFor('#look .candidate[data-leads]');
    await tap('#look .detail .gate', 'Gate of layer 2, head 2');
    await waitFor('#look .look-status[data-shut="1"]');
  },
  async translate({ tap, waitFor, waitForText }) {
    await waitFor('#translate .align-figure');
    await waitForText('#translate .run-status', /^Step 0 /);
    await tap('#translate button', 'Step');
    await waitForText('#translate .run-status', /^Step 1 /);
    await tap('#translate .translate-query');
    await waitForText('#translate .align-read-out', /^Output 1,/);
  },
  async questions({ tap, waitFor }) {
    await tap('#questions summary', 'Is an attention weight an importance?');
    await waitFor('#questions .contributions');
  },
};

test(`every act on a phone, dark and by touch, in ${engineName}`, async (t) => {
  const visit = await openAct(t, '', { on: sharedPhone });
  const media = ['(prefers-color-scheme: dark)', '(max-width: 42rem)'];
  const matching = (all) => all.filter((each) => window.matchMedia(each).matches);
  assert.deepEqual(await visit.evaluate(matching, media), media);

  await t.test('first screen', async () => {
    const touchPart = async (selector, index) => {
      const centre = await visit.evaluate(
        (part, at) => {
          const { shadowRoot } = document.querySelector('attention-heads');
          const found = [...shadowRoot.querySelectorAll(part)][at];
          found.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { left, right, top, bottom } = found.getBoundingClientRect();
          return [(left + right) / 2, (top + bottom) / 2];
        },
        selector,
        index,
      );
      await visit.touch(...centre);
    };
    const chosen = () =>
      visit.evaluate(() => {
        const { query, head } = document.querySelector('attention-heads');
        return `word ${query}, head ${head}`;
      });
    await until(async () => (await chosen()) === 'word 6, head undefined', chosen);
    await touchPart('[role="option"]', 3);
    await until(async () => (await chosen()) === 'word 3, head undefined', chosen);
    for (const head of [1, undefined]) {
      await touchPart('.chip', 1);
      await until(async () => (await chosen()) === `word 3, head ${head}`, chosen);
    }
  });
  for (const [id, use] of Object.entries(visits)) {
    await t.test(id, async () => {
      await visit.goTo(id);
      await use(visit);
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
