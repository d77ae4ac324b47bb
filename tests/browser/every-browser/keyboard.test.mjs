// The main gesture of every act by the keyboard alone: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

const press = async (act, ...keys) => {
  for (const key of keys) await act.press(key);
};

test(`the keyboard asks words and chooses a head on the first screen, in ${engineName}`, async (t) => {
  const visit = await open(t, '');
  const within = () =>
    visit.evaluate(() => {
      const { query, head, shadowRoot } = document.querySelector('attention-heads');
      return `${query}, ${head}, ${shadowRoot.activeElement?.className ?? ''}`;
    });
  for (let presses = 0; presses < 20 && !(await within()).endsWith('chip'); presses++) {
    await press(visit, 'Tab');
  }
  await press(visit, ' ');
  await until(async () => (await within()) === '6, 0, chip', within);
  // Past the other three chips.
  await press(visit, 'Tab', 'Tab', 'Tab', 'Tab', 'ArrowLeft');
  await until(async () => (await within()).startsWith('5, 0, '), within);
});

test(`the keyboard breaks the tie of the first act, in ${engineName}`, async (t) => {
  const act = await open(t, '#toy');
  await act.tabTo('#toy .question button', 'New parameters');
  await press(act, 'Enter');
  await act.waitForText('#toy .experiments button', /^(?:Skip to the result|Play again)$/);
  if (/^Skip/.test(await act.textOf('#toy .experiments button'))) await press(act, 'Enter');
  await act.waitForText('#toy .experiments-verdict', /^You predicted “New parameters”: wrong/);
  await act.tabTo('#toy .segment input', 'Ones', { back: true });
  await press(act, 'ArrowRight');
  assert.match(await act.textOf('#toy .goal-progress'), /^Reached/);
  assert.ok(new Set((await act.cellsOf('toy')).map(({ weight }) => weight)).size > 50);
});

test(`the keyboard walks a map, shuts a gate and chooses a head, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const cells = await act.cellsOf('heads');
  const cell = ({ weight }) => `Head 1, query 1, key 1: weight ${weight.toFixed(4)}`;
  await act.tabTo('#heads .samples .cell', cell(cells[0]));
  await press(act, 'ArrowDown', 'ArrowDown', 'ArrowRight');
  assert.equal(
    await act.textOf('#heads .arithmetic caption'),
    'Head 1, sample 1: query q3, key k2',
  );
  const weight = await act.textOf('#heads .arithmetic tbody tr:nth-child(5) .result');
  assert.equal(weight, cells[2 * 6 + 1].weight.toFixed(4));

  await act.tabTo('#heads .gates .slider', 'Gate of head 3');
  await press(act, 'Home');
  assert.match(await act.textOf('#heads .gates-moved'), /^The output changes by [1-9]/);
  await press(act, 'End');
  assert.match(await act.textOf('#heads .gates-moved'), /^All gates are open/);

  await act.tabTo('#heads .layer-head', 'Head 4: select');
  await press(act, 'Enter');
  assert.match(await act.textOf('#heads .close-up .head-title'), /^Head 4,/);
});

test(`the keyboard steps through the figure, in ${engineName}`, async (t) => {
  const act = await open(t, '#figure');
  const next = '#figure .figure-go:has(~ .figure-steps) button';
  await act.tabTo(next, 'Next');
  await press(act, 'Enter', 'Enter');
  await act.waitForText('#figure h3', /^Step 3 of 9/);
  await act.tabTo('#figure .figure-steps input:checked');
  await press(act, 'ArrowDown');
  await act.waitForText('#figure h3', /^Step 4 of 9/);
});

test(`the keyboard divides scores and chooses a key, in ${engineName}`, async (t) => {
  const act = await open(t, '#why');
  await act.tabTo('#why .slider');
  await press(act, 'End');
  await act.waitForText('#why .why-divisor-value', /^128$/);
  await press(act, 'Home');
  await act.waitForText('#why .why-divisor-value', /^1$/);
  await act.waitForText('#why .why-made h3', /^Why “my”/);
  await act.tabTo('#why .why-key[tabindex="0"]');
  await press(act, 'Home', 'ArrowDown', 'Enter');
  await act.waitForText('#why .why-made h3', /^Why “small”/);
});

test(`the keyboard trains a model and looks into a head, in ${engineName}`, async (t) => {
  const act = await open(t, '#train');
  const play = '#train .playback .primary';
  await act.waitForText('#train .run-status', /^Step 0:/);
  await act.tabTo('#train .playback .segment input:checked');
  await press(act, 'ArrowRight');
  assert.ok(await act.isFocused('#train .segment input', 'Full'));
  await act.tabTo('#train button', 'Start', { back: true });
  await press(act, ' ');
  await act.waitForText('#train .log [data-kind="goal"]', /99\s%/);
  await press(act, 'Enter');
  await act.waitForText(play, /^Resume$/);
  assert.ok(await act.isFocused(play));

  await act.tabTo('#train .step-handle');
  await press(act, 'Home');
  await act.waitForText('#train .run-status', /^Step 0 of \d+:/);
  await press(act, 'ArrowRight');
  await act.waitForText('#train .run-status', /^Step 4 of \d+:/);
  await press(act, 'End');
  await act.waitForText('#train .run-status', /^Step \d+: /);

  await act.tabTo('#train .head-card');
  await press(act, 'Enter');
  await act.waitForText('#train .enlarged .head-title', /^Layer 1, head 1$/);
  await act.tabTo('#train .enlarged .cell');
  const told = () => act.textOf('#train .enlarged .read-out');
  assert.match(await told(), /^Query 1 \(\w\) gives key 1 .*1\.0000\.$/);
  await press(act, 'ArrowRight');
  assert.match(await told(), /cannot attend to key 2 .* comes later\.$/);
  await press(act, 'ArrowDown');
  assert.match(await told(), /^Query 2 \(\w\) gives key 2 /);
});

test(`the keyboard shuts a head of a trained model, in ${engineName}`, async (t) => {
  const act = await open(t, '#words');
  const leader = '#words .candidate[data-leads] .candidate-token';
  await act.waitForText(leader, /^better$/);
  await act.tabTo('#words .tile-gate', 'Gate of layer 1, head 1');
  await press(act, 'ArrowDown', 'ArrowRight');
  assert.ok(await act.isFocused('#words .tile-gate', 'Gate of layer 2, head 2'));
  await press(act, ' ');
  await act.waitForText(leader, /^a$/);
});

test(`the keyboard reads an alignment, in ${engineName}`, async (t) => {
  const act = await open(t, '#align');
  await act.waitForText('#align .run-status', /^Step 0 /);
  await act.tabTo('#align .align-query');
  await press(act, 'ArrowRight');
  await act.waitForText('#align .align-read-out', /^Output 2,/);
  await press(act, 'Enter');
  assert.match(await act.evaluate(() => window.location.search), /align-query=2/);
});

test(`the keyboard plants, prunes and undoes, in ${engineName}`, async (t) => {
  const act = await open(t, '#prune');
  const status = '#prune .session-status';
  await act.tabTo('#prune button', 'Plant and train');
  await press(act, 'Enter');
  await act.waitFor('#prune .guess-tile:not([aria-disabled])');
  await press(act, ' ');
  await act.waitForText('#prune .plant-status', /^Stopped/);
  for (const head of ['1.1', '1.3', '2.2', '2.3']) {
    await act.tabTo('#prune .guess-tile', `${head} mark`);
    await press(act, ' ');
  }
  await act.tabTo('#prune .guess-panel button', 'Check', { back: true });
  await press(act, 'Enter');
  await act.waitForText('#prune .goal-progress', /^You found 2 of 4/);
  await act.waitForText(status, /^12 heads left/);

  await act.tabTo('#prune button', 'Prune head 1 of layer 1');
  await press(act, ' ');
  await act.waitForText(status, /^11 heads left/);
  assert.ok(await act.isFocused('#prune button', 'Undo'));
  await press(act, 'Enter');
  await act.waitForText(status, /^12 heads left/);

  await act.tabTo('#prune .slider', 'Gate of head 3 of layer 2');
  await press(act, 'ArrowLeft');
  await act.waitForText(status, /^With these gates: loss/);
  await press(act, 'ArrowLeft', 'ArrowLeft', 'Home');
  const told = await act.waitForText(status, /^11 heads left/);
  // What was asked on the way to 0 is answered meanwhile, and must not be told any more.
  await sleep(500);
  assert.equal(await act.textOf(status), told);
  assert.ok(await act.isFocused('#prune button', 'Undo'));
});
