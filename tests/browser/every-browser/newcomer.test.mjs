// What a newcomer does in ten minutes, from the first word to a model of fewer heads, on one visit: in Chromium, Firefox
// and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

test(`a newcomer hovers, predicts, steps, finds, trains and prunes, in ${engineName}`, async (t) => {
  const visit = await open(t, '');
  const goTo = async (act) => {
    await visit.click(`.act-links a[href="#${act}"]`);
    await visit.waitFor(`#${act} .live:not([data-awaited])`);
  };

  // The first screen: a word under the pointer asks, and four heads answer.
  const query = () => visit.evaluate(() => document.querySelector('attention-heads').query);
  const wordAt = (index) =>
    visit.evaluate((at) => {
      const { shadowRoot } = document.querySelector('attention-heads');
      const word = [...shadowRoot.querySelectorAll('[role="option"]')].at(at);
      const { left, right, top, bottom } = word.getBoundingClientRect();
      return { x: (left + right) / 2, y: (top + bottom) / 2 };
    }, index);
  const drawn = () =>
    visit.evaluate(() =>
      [
        ...document.querySelector('attention-heads').shadowRoot.querySelectorAll('.curves path'),
      ].map((path) => path.getAttribute('d')),
    );
  const before = await drawn();
  assert.ok(before.length >= 4);
  assert.equal(await query(), 6);
  const { x, y } = await wordAt(3);
  await visit.moveTo(x, y);
  await until(async () => String(await drawn()) !== String(before), 'the arcs stay as they were');

  // The toy example: a prediction first, then the page plays all three.
  await goTo('toy');
  await visit.click('#toy .question button', 'Training');
  await visit.waitForText('#toy .experiments-verdict', /^You predicted “Training”/);
  assert.equal(await visit.evaluate(() => document.querySelectorAll('#toy .experiment').length), 3);

  // The chapter's figure, step by step.
  await goTo('figure');
  for (let step = 1; step < 9; step++) {
    await visit.waitForText('#figure h3', new RegExp(`^Step ${step} of 9`));
    await visit.click('#figure button', 'Next');
  }
  await visit.waitForText('#figure h3', /^Step 9 of 9/);

  // The heads: the one that looks three back, by its weights.
  await goTo('heads');
  await visit.click('#heads .segment', 'Patterns');
  const cells = await visit.cellsOf('heads');
  const found = [0, 1, 2, 3, 4].find((wanted) =>
    cells.every(
      ({ head, query: from, key, weight }) => head !== wanted || key !== from - 3 || weight > 0.5,
    ),
  );
  await visit.click('#heads .head-answers button', `Head ${found + 1} looks three back`);
  await visit.waitForText('#heads .goal-progress', /^Reached/);

  // Training: two layers reach the goal.
  await goTo('train');
  await visit.waitForText('#train .run-status', /^Step 0:/);
  await visit.click('#train .segment', 'Full');
  await visit.click('#train button', 'Start');
  await visit.waitForText('#train .goal-progress', /^Reached/);
  await visit.click('#train button', 'Pause');
  await visit.waitForText('#train .playback .primary', /^Resume$/);

  // Pruning: marked, checked, then a head that is not needed goes.
  await goTo('prune');
  await visit.click('#prune button', 'Plant and train');
  await visit.waitFor('#prune .guess-tile:not([aria-disabled])');
  await visit.click('#prune button', 'Stop');
  await visit.waitForText('#prune .plant-status', /^Stopped/);
  for (const head of ['1.1', '1.2', '2.3', '2.6']) {
    await visit.click('#prune .guess-tile', `${head} mark`);
  }
  await visit.click('#prune .guess-panel button', 'Check');
  await visit.waitForText('#prune .goal-progress', /^You found \d of 4/);
  await visit.waitForText('#prune .session-status', /^12 heads left/);
  await visit.click('#prune button', 'Prune head 1 of layer 1');
  await visit.waitForText('#prune .session-status', /^11 heads left/);

  // All of it is in the address, from which another visit could begin.
  const parameters = await visit.evaluate(() =>
    Object.fromEntries(new URLSearchParams(window.location.search)),
  );
  assert.equal(parameters['toy-guess'], 'training');
  assert.equal(parameters['figure-step'], '9');
  assert.equal(parameters.answer, String(found + 1));
  assert.equal(parameters['prune-gone'], '1.1');
});
