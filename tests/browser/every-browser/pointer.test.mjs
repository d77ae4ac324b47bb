// The main gesture of every act by the pointer: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

/** How many heads differ in the first sample. */
const differing = (cells) => {
  const weightsOf = (wanted) =>
    cells.flatMap(({ sample, head, weight }) => (sample === 0 && head === wanted ? [weight] : []));
  return new Set([0, 1, 2, 3, 4].map((head) => weightsOf(head).join())).size;
};

test(`random input breaks the tie of the first act, in ${engineName}`, async (t) => {
  const act = await open(t, '#toy');
  await act.click('#toy .question button', 'Different keys');
  await act.waitForText('#toy .experiments-verdict', /^You predicted “Different keys”: right/);
  assert.equal(differing(await act.cellsOf('toy')), 1);
  assert.equal(await act.textOf('#toy .goal-progress'), '');
  await act.click('#toy .segment', 'Random');
  assert.match(await act.textOf('#toy .goal-progress'), /^Reached/);
  assert.equal(differing(await act.cellsOf('toy')), 5);
  const search = () => act.evaluate(() => window.location.search);
  assert.equal(await search(), '?toy-guess=keys&toy-input=random');
  await act.evaluate(() => window.history.back());
  await until(async () => (await search()) === '?toy-guess=keys', search);
  assert.equal(differing(await act.cellsOf('toy')), 1);
});

/** Until what is read is no longer what it was. */
async function change(read) {
  const before = await read();
  await until(async () => (await read()) !== before, `it stays ${before}`);
}

const cell = (sample, head, query, key) =>
  `#heads .samples .cell[data-sample="${sample}"][data-head="${head}"]` +
  `[data-query="${query}"][data-key="${key}"]`;

test(`a cell tells its arithmetic, pointed at and chosen, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const cells = await act.cellsOf('heads');
  const agrees = async (...place) => {
    const [sample, head, query, key] = place;
    await act.waitForText(
      '#heads .arithmetic caption',
      new RegExp(`^Head ${head + 1}, sample ${sample + 1}: query q${query + 1}, key k${key + 1}$`),
    );
    const { weight } = cells[((sample * 5 + head) * 4 + query) * 6 + key];
    const steps = await act.evaluate(() =>
      [...document.querySelectorAll('#heads .arithmetic tbody tr')].map((row) => [
        row.children[0].textContent,
        row.children[2].textContent,
      ]),
    );
    assert.equal(Object.fromEntries(steps)['÷ sum'], weight.toFixed(4));
  };
  await act.hover(cell(0, 3, 1, 2));
  await agrees(0, 3, 1, 2);
  await act.click(cell(1, 2, 2, 0));
  await agrees(1, 2, 2, 0);
  await act.press('ArrowRight');
  await agrees(1, 2, 2, 1);
  await act.press('ArrowUp');
  await agrees(1, 2, 1, 1);
});

test(`a gate is dragged shut, and the output moves, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const bars = () =>
    act.evaluate(() =>
      [...document.querySelectorAll('#heads .gate-bar .bar')].map((bar) => bar.width.baseVal.value),
    );
  const told = () => act.textOf('#heads .gates-moved');
  const search = () => act.evaluate(() => window.location.search);
  assert.deepEqual(new Set(await bars()), new Set([0]));
  await act.drag('#heads .gates .slider', 'Gate of head 2', 1, 0);
  assert.match(await told(), /^The output changes by [1-9]/);
  const shut = await bars();
  assert.deepEqual(
    shut.map((width) => width > 0),
    [false, true, false, false, false],
  );
  assert.equal(new URLSearchParams(await search()).get('gates'), '1,0,1,1,1');
  // The thumb that was dragged has the focus.
  await act.press('ArrowRight');
  assert.equal(new URLSearchParams(await search()).get('gates'), '1,0.05,1,1,1');
  assert.notDeepEqual(await bars(), shut);
});

test(`a head chosen in the figure of the layer is chosen everywhere, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  await act.click('#heads .layer-head', 'Head 4: select');
  assert.match(await act.textOf('#heads .close-up .head-title'), /^Head 4, sample 1/);
  assert.equal(await act.textOf('#heads .samples .head[data-selected] .head-title'), 'Head 4');
  const pressed = () =>
    act.evaluate(() =>
      [...document.querySelectorAll('#heads .layer-head')].map((head) =>
        head.getAttribute('aria-pressed'),
      ),
    );
  assert.deepEqual(await pressed(), ['false', 'false', 'false', 'true', 'false']);
  await act.click(cell(0, 1, 0, 0));
  // By its map, too.
  await act.waitForText('#heads .close-up .head-title', /^Head 2, sample 1/);
  assert.deepEqual(await pressed(), ['false', 'true', 'false', 'false', 'false']);
});

test(`the head that looks three back is found among planted ones, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  await act.click('#heads .segment', 'Patterns');
  const names = () =>
    act.evaluate(() =>
      [...document.querySelectorAll('#heads .sample:first-child .head-note')].map(
        ({ firstElementChild }) => firstElementChild.textContent,
      ),
    );
  assert.deepEqual(new Set(await names()), new Set(['pattern: ?']));
  const cells = await act.cellsOf('heads');
  assert.equal(cells.length, 2 * 5 * 10 * 10);
  const looksBack = (wanted) =>
    cells.every(
      ({ head, query, key, weight }) =>
        head !== wanted || query < 3 || key !== query - 3 || weight > 0.5,
    );
  const found = [0, 1, 2, 3, 4].filter(looksBack);
  assert.equal(found.length, 1);
  const other = (found[0] + 1) % 5;
  await act.click('#heads .head-answers button', `Head ${other + 1} looks three back`);
  await act.waitForText('#heads .head-told', new RegExp(`^(?:Head|In head) ${other + 1} `));
  assert.equal(await act.textOf('#heads .goal-progress'), '');
  await act.click('#heads .head-answers button', `Head ${found[0] + 1} looks three back`);
  await act.waitForText('#heads .goal-progress', /^Reached/);
  assert.deepEqual((await names()).toSorted(), [
    'first token',
    'itself',
    'previous token',
    'three back',
    'uniform',
  ]);
});

test(`a model is trained to its goal, paused and restarted, in ${engineName}`, async (t) => {
  const act = await open(t, '#train');
  const maps = () =>
    act.evaluate(() =>
      [...document.querySelectorAll('#train canvas')].map((canvas) => canvas.toDataURL()),
    );
  await act.waitForText('#train .run-status', /^Step 0:/);
  const untrained = await maps();
  await act.click('#train .segment', 'Full');
  await act.click('#train button', 'Start');
  // Lines that grow beneath a press must not take it with them.
  const step = () => act.textOf('#train .run-status');
  await act.click('#train .head-card .chart-base', undefined, () => change(step));
  await act.waitForText('#train .enlarged .head-title', /^Layer 1, head 1$/);
  await act.waitForText('#train .log [data-kind="goal"]', /99\s%/);
  await act.click('#train button', 'Pause');
  await act.waitForText('#train .playback .primary', /^Resume$/);
  const [, accuracy] = /(\d+)\s%/.exec(await act.textOf('#train .run-status'));
  assert.ok(accuracy >= 98, accuracy);
  assert.match(await act.textOf('#train .goal-progress'), /^Reached\. It took \d+ steps/);
  const log = await act.textOf('#train .log-list');
  assert.match(log, /of layer 1 now attends to the previous token\./);
  assert.match(log, /of layer 2 now attends to the token that followed the same token before\./);
  const { roles, marks } = await act.evaluate(() => ({
    roles: [...document.querySelectorAll('#train .head-card')].map(({ dataset }) => dataset.role),
    marks: document.querySelectorAll('#train .chart .role-mark').length,
  }));
  assert.ok(roles.slice(0, 2).includes('previousToken'), roles);
  assert.ok(roles.slice(2).includes('induction'), roles);
  assert.equal(marks, log.match(/ now attends to /g).length);
  (await maps()).forEach((map, head) => assert.notEqual(map, untrained[head]));

  await act.drag('#train .step-handle', undefined, 0.2, 0);
  // A step that was under way when the run was paused has ended by now.
  const first = await act.waitForText('#train .run-status', /^Step 0 of \d+:/);
  const [, last] = /of (\d+):/.exec(first);
  (await maps()).forEach((map, head) => assert.equal(map, untrained[head]));
  await act.click('#train button', 'Now');
  await act.waitForText('#train .run-status', new RegExp(`^Step ${last}:`));

  await act.click('#train button', 'Restart');
  await act.waitForText('#train .run-status', /^Step 0:/);
  assert.deepEqual(await maps(), untrained);
  assert.equal(await act.textOf('#train .log-list'), '');
});

test(`heads are planted, measured, pruned and restored, in ${engineName}`, async (t) => {
  const act = await open(t, '#prune');
  const status = '#prune .session-status';
  const left = () =>
    act.evaluate(() =>
      [
        ...document.querySelectorAll('#prune .quality tbody tr:nth-child(-n + 3) td:last-child'),
      ].map(({ textContent }) => textContent),
    );
  await act.click('#prune button', 'Plant and train');
  await act.waitFor('#prune .guess-tile:not([aria-disabled])');
  // What is pressed stays the same button while planting goes on.
  const progress = () => act.evaluate(() => document.querySelector('#prune progress').value);
  await act.click('#prune button', 'Stop', () => change(progress));
  await act.waitForText('#prune .plant-status', /^Stopped/);
  for (const head of ['1.1', '1.2', '2.3', '2.6']) {
    await act.click('#prune .guess-tile', `${head} mark`);
  }
  await act.click('#prune .guess-panel button', 'Check');
  await act.waitForText('#prune .goal-progress', /^You found 3 of 4/);
  await act.waitForText('#prune .guess-loud', /Loud is not useful/);
  const whole = await act.waitForText(status, /^12 heads left/);
  const numbers = await left();
  const measured = await act.evaluate(() =>
    [...document.querySelectorAll('#prune [data-measure="ablation"] .bar')].map(({ dataset }) => ({
      ...dataset,
    })),
  );
  const first = measured.toSorted((a, b) => b.value - a.value).slice(0, 4);
  assert.deepEqual(
    first.map(({ truth }) => truth),
    Array(4).fill('planted'),
  );

  await act.click('#prune button', 'Prune head 1 of layer 1');
  await act.waitForText(status, /^11 heads left/);
  assert.notDeepEqual(await left(), numbers);
  await act.click('#prune button', 'Prune head 3 of layer 2');
  await act.waitForText(status, /^10 heads left/);
  await act.drag('#prune .slider', 'Gate of head 6 of layer 2', 1, 0);
  const [, right] = /(\d+)\s%/.exec(await act.waitForText(status, /^Nine heads left/));
  assert.ok(right < 50, 'without both heads of a role the task is lost');

  for (const heads of ['10', '11', '12']) {
    await act.click('#prune button', 'Undo');
    await act.waitForText(status, new RegExp(`^${heads} heads left`));
  }
  assert.equal(await act.textOf(status), whole);
});

test(`the model reads a sentence on the first screen, in ${engineName}`, async (t) => {
  const act = await open(t, '');
  await act.click('.first-own button', 'I am what I am and you are what you are');
  await act.waitForText('.first-status', /^Read by the model just now: 11 tokens\.$/);
  const { tokens, weights } = await act.evaluate(() => {
    const fans = document.querySelector('attention-heads');
    return { tokens: fans.tokens, weights: [...fans.weights.data] };
  });
  assert.equal(tokens.length, 11);
  assert.equal(weights.length, 4 * 11 * 11);
  for (let row = 0; row < 4 * 11; row++) {
    const sum = weights.slice(11 * row, 11 * (row + 1)).reduce((a, b) => a + b);
    assert.ok(Math.abs(sum - 1) < 1e-5, `row ${row}: ${sum}`);
  }
  await act.click('.first-own button', 'The world is better when the world is free');
  await act.waitForText('.first-status', /^The model \(1\.9.MB\) loads/);
  assert.equal(await act.evaluate(() => window.location.search), '');
});
