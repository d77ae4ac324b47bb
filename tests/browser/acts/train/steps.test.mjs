// The steps of a run in Chromium: every measured one can be seen again, and a run can be pinned beside another.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open, waitForSearch } from '../../lib/pages.mjs';
import {
  alone,
  eventsOf,
  mapsOf,
  openRun,
  press,
  restingStepOf,
  statusOf,
  textOf,
  until,
  waitForGoal,
  waitForStatus,
  waitForStep,
} from '../../lib/train-act.mjs';
import { startRun } from '../../lib/train-reference.mjs';

const handle = '#train .step-handle';
const valueOf = (page) => page.$eval(handle, (slider) => slider.getAttribute('aria-valuetext'));
const pixelsOf = (page) =>
  page.$$eval('#train canvas', (all) =>
    all.map((canvas) => {
      // A copy: the browser advises against reading from the one that is drawn to.
      const { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height).getContext('2d', {
        willReadFrequently: true,
      });
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(0, 0, width, height).data];
    }),
  );
/** The enlarged head, row by row. */
const weightsOf = (page) =>
  page.$$eval('#train .enlarged .cell', (cells) =>
    cells.map((cell) => Number(cell.dataset.weight)),
  );
const cardsOf = (page) =>
  page.$$eval('#train .head-card', (cards) =>
    cards.map((card) => [card.dataset.role, card.getAttribute('aria-label')]),
  );
const largestGap = (one, other) =>
  Math.max(...one.flat().map((value, i) => Math.abs(value - other.flat()[i])));

async function goOn(page, step) {
  await press(page, (await statusOf(page)).startsWith('Step 0:') ? 'Start' : 'Resume');
  await page.waitForFunction(
    (least) =>
      Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) >= least,
    {},
    step,
  );
  await press(page, 'Pause');
  return restingStepOf(page);
}

describe('a step that has passed', () => {
  test('is seen again, with the maps and shares that it had', async (t) => {
    const { page } = await openRun(t, `${alone}&train-speed=full&train-at=8&train-head=1.2`);
    await waitForStep(page, 8);
    const then = {
      pixels: await pixelsOf(page),
      weights: await weightsOf(page),
      cards: await cardsOf(page),
    };
    const last = await goOn(page, 100);
    const now = await mapsOf(page);
    assert.ok(largestGap(await pixelsOf(page), then.pixels) > 50);

    await page.focus(handle);
    await page.keyboard.press('Home');
    await waitForStatus(page, /^Step 0 of /);
    assert.match(await valueOf(page), /^Step 0: loss 3\.\d, accuracy \d+\s%$/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await waitForStatus(page, /^Step 8 of /);
    assert.ok((await statusOf(page)).startsWith(`Step 8 of ${last}: loss`));
    assert.match(await valueOf(page), /^Step 8: loss 3\.\d/);
    await waitForSearch(page, `${alone}&train-speed=full&train-head=1.2&train-at=8`);
    // Two bytes a weight: one step of the scale at most.
    assert.ok(largestGap(await pixelsOf(page), then.pixels) <= 4);
    assert.ok(largestGap(await weightsOf(page), then.weights) < 1e-5);
    assert.deepEqual(await cardsOf(page), then.cards);
    assert.ok(await page.$('#train .score-lines .moment-line'));

    await press(page, 'Now');
    await waitForStep(page, last);
    assert.deepEqual(await mapsOf(page), now);
    assert.equal(await page.$('#train .score-lines .moment-line'), null);
  });

  test('is told by the roles that heads had then', async (t) => {
    const { page } = await openRun(t, '?train-speed=full');
    await press(page, 'Start');
    await waitForGoal(page);
    await press(page, 'Pause');
    await restingStepOf(page);
    const rolesOf = async () => (await cardsOf(page)).map(([role]) => role ?? 'none');
    const told = (await eventsOf(page)).map((sentence) => {
      const [, step, head, layer] = /^Step (\d+): head (\d) of layer (\d)/.exec(sentence) ?? [];
      return { step: Number(step), card: 2 * (layer - 1) + (head - 1) };
    });
    const first = told[0];
    await page.click('#train .log-list button');
    await waitForStatus(page, new RegExp(`^Step ${first.step} of `));
    const roles = await rolesOf();
    assert.notEqual(roles[first.card], 'none');
    const later = told.filter(({ step }) => step > first.step && Number.isFinite(step));
    assert.ok(later.length > 0);
    assert.equal(
      roles.filter((role) => role !== 'none').length,
      told.filter(({ step }) => step === first.step).length,
    );
    await page.focus(handle);
    await page.keyboard.press('ArrowLeft');
    await waitForStatus(page, new RegExp(`^Step ${first.step - 4} of `));
    assert.deepEqual(await rolesOf(), ['none', 'none', 'none', 'none']);
  });

  test('does not change how the run goes on', async (t) => {
    const { page } = await openRun(t, `${alone}&train-speed=full`);
    const scrubbed = await goOn(page, 40);
    await page.focus(handle);
    await page.keyboard.press('Home');
    await waitForStatus(page, /^Step 0 of /);
    await press(page, 'One step');
    await waitForStep(page, scrubbed + 1);
    const last = await goOn(page, 80);
    const maps = await mapsOf(page);
    const { page: other } = await open(t, `?train-at=${last}#train`, { until });
    // The nearest measured step before it, and from there step by step.
    await waitForStep(other, last - (last % 4));
    for (let step = last - (last % 4) + 1; step <= last; step += 1) {
      await press(other, 'One step');
      await waitForStep(other, step);
    }
    assert.deepEqual(await mapsOf(other), maps);
  });

  test('is drawn by the pointer along the curve, and the end leads back', async (t) => {
    const { page } = await openRun(t, '?train-speed=full&train-at=100');
    await waitForStep(page, 100);
    await press(page, 'Resume');
    await press(page, 'Pause');
    const last = await restingStepOf(page);
    await page.$eval(handle, (slider) => slider.scrollIntoView({ block: 'center' }));
    const box = await (await page.$(handle)).boundingBox();
    const axis = await page.$eval(handle, (slider) => Number(slider.max));
    const xOf = (step) => box.x + 12 + (step / axis) * (box.width - 24);
    const y = box.y + box.height / 2;
    await page.mouse.move(xOf(last), y);
    await page.mouse.down();
    for (const step of [80, 60, 40]) await page.mouse.move(xOf(step), y);
    await waitForStatus(page, /^Step 40 of /);
    // Beyond the end, as a hand drags: the last place itself may be half a pixel away.
    await page.mouse.move(box.x + box.width + 20, y);
    await page.mouse.up();
    await waitForStep(page, last);
    assert.equal(await page.$eval('#train .to-now', (now) => now.ariaDisabled), 'true');
  });

  test('that only the address knows is run to, and is what the model is then', async (t) => {
    const { page } = await openRun(t, '?train-at=0');
    await page.goto(new URL('?train-at=48&train-seed=5&train-head=2.1#train', page.url()).href);
    await waitForStep(page, 48);
    assert.equal(await textOf(page, '#train .playback .primary'), 'Resume');
    const run = await startRun({ seed: 5 });
    t.after(() => run.dispose());
    run.train(48);
    const weight = run.weights();
    const shown = await weightsOf(page);
    assert.equal(shown.length, 400);
    shown.forEach((each, i) => {
      const [query, key] = [Math.floor(i / 20), i % 20];
      const expected = key > query ? 0 : weight(1, 0, query, key);
      assert.ok(Math.abs(each - expected) < 2e-3, `${query}, ${key}: ${each}, not ${expected}`);
    });
    const accuracy = Number(/accuracy (\d+)\s%/.exec(await statusOf(page))[1]);
    assert.ok(Math.abs(accuracy - 100 * run.accuracy()) <= 1);
  });

  test('that there is none of is told', async (t) => {
    const { page } = await openRun(
      t,
      '?train-at=9000x&train-head=5.1&train-query=99&train-pinned=sort,2',
    );
    const notices = await textOf(page, '#train .notices');
    for (const told of ['“9000x”', '“5.1”', '“99”', '“sort,2”']) {
      assert.ok(notices.includes(told), notices);
    }
  });
});

test('the lines across are where heads take roles', async (t) => {
  const { page } = await openRun(t, '?train-speed=full');
  await press(page, 'Start');
  await waitForGoal(page);
  await press(page, 'Pause');
  const lines = await page.$eval('#train .score-lines', (drawing) =>
    [...drawing.querySelectorAll('.threshold')].map((line) => ({
      share: Number(line.dataset.share),
      y: Number(line.getAttribute('y1')),
      series: line.dataset.series,
    })),
  );
  assert.deepEqual(
    lines.map(({ share, series }) => [series, share]),
    [
      ['induction', 0.4],
      ['previousToken', 0.3],
      ['tooLittle', 0.2],
    ],
  );
  for (const { share, y } of lines) assert.ok(Math.abs(y - (57 - 54 * share)) < 1e-9);
  const rule = await textOf(page, '#train .role-rule');
  assert.match(rule, /taken at 40\s% \(previous token: 30\s%\) and left below 20\s%/);

  // As the log tells: measured anew before the step and at it.
  const told = (await eventsOf(page)).find((sentence) => /previous token/.test(sentence));
  const [step, head, layer] = /^Step (\d+): head (\d) of layer (\d)/
    .exec(told)
    .slice(1)
    .map(Number);
  const run = await startRun();
  t.after(() => run.dispose());
  run.train(step - 4);
  assert.ok(run.previousToken(layer - 1, head - 1) < 0.31);
  run.train(step);
  assert.ok(run.previousToken(layer - 1, head - 1) > 0.29);
});

describe('a pinned run', () => {
  const lineOf = (page) =>
    page.$$eval('#train .chart [data-series="pinned"]', (all) =>
      all.map((line) => line.getAttribute('d')),
    );

  test('stays beside another seed, is told, and comes back from the address', async (t) => {
    const { page } = await openRun(t, '?train-speed=full&train-at=160');
    await waitForStep(page, 160);
    // The curve is not drawn in every frame.
    await restingStepOf(page);
    const unseen = await page.$eval('#train .chart [data-series="unseen"]', (line) =>
      line.getAttribute('d'),
    );
    assert.deepEqual(await lineOf(page), []);
    await press(page, 'Pin this run');
    await page.waitForSelector('#train .chart [data-series="pinned"]');
    assert.deepEqual(await lineOf(page), [unseen]);
    const search = '?train-speed=full&train-at=160&train-pinned=induction,2,2,0.005,1,160';
    await waitForSearch(page, search);
    const goal = Number(/at step (\d+)/.exec(await textOf(page, '#train .run-verdict'))[1]);

    await page.goto(new URL(`${search}&train-seed=2#train`, page.url()).href);
    await page.waitForSelector('#train .chart [data-series="pinned"]');
    await waitForStep(page, 160);
    await restingStepOf(page);
    await page.waitForFunction(() =>
      /seed 2/.test(document.querySelector('#train .goal-progress').textContent),
    );
    assert.equal((await lineOf(page)).length, 1);
    assert.match(
      await textOf(page, '#train .run-curve .chart-legend'),
      /pinned: Induction, two layers, 2 heads per layer, seed\u00a01/,
    );
    const told = await textOf(page, '#train .run-comparison');
    const own = Number(/at step (\d+)/.exec(await textOf(page, '#train .run-verdict'))[1]);
    assert.match(
      told,
      new RegExp(`^Pinned run: 99\\s% accuracy at step ${goal}; .*induction 2\\.\\d`),
    );
    const difference =
      own === goal
        ? 'the same step'
        : `${Math.abs(own - goal)} steps ${own < goal ? 'sooner' : 'later'}`;
    assert.ok(told.endsWith(`${difference}.`), told);

    await press(page, 'Unpin run');
    await page.waitForSelector('#train .chart [data-series="pinned"]', { hidden: true });
    assert.equal(await textOf(page, '#train .run-comparison'), '');
  });

  test('stays as it was when its own run goes on', async (t) => {
    const { page } = await openRun(t, '?train-speed=full&train-at=40');
    await waitForStep(page, 40);
    await press(page, 'Pin this run');
    await goOn(page, 60);
    const lastOf = async (series) => {
      const d = await page.$eval(`#train .chart [data-series="${series}"]`, (line) =>
        line.getAttribute('d'),
      );
      return Number(d.split('L').at(-1).split(',')[0]);
    };
    assert.ok((await lastOf('pinned')) < (await lastOf('unseen')));
  });
});

test('one layer is told beside two of the same seed, and the goal is answered', async (t) => {
  const { page } = await openRun(t, '?train-speed=full');
  await press(page, 'Start');
  await waitForGoal(page);
  // It is drawn with the curve, which is not drawn in every frame.
  await page.waitForSelector('#train .run-verdict:not(:empty)');
  assert.match(
    await textOf(page, '#train .run-verdict'),
    /^Two layers: 99\s% accuracy at step \d+\.$/,
  );
  const [, goal] = /at step (\d+)/.exec(await textOf(page, '#train .run-verdict'));
  await press(page, 'Pause');
  await page.$eval('#train .rail .control:has([value="3"]) [value="1"]', (radio) => radio.click());
  await waitForStep(page, 0);
  assert.equal(await textOf(page, '#train .run-verdict'), '');
  await press(page, 'Start');
  await page.waitForSelector('#train .run-verdict:not(:empty)');
  await press(page, 'Pause');
  const last = await restingStepOf(page);
  assert.ok(last >= 1000);
  const told = await textOf(page, '#train .run-verdict');
  const [, accuracy, step, other] =
    /^One layer: (\d+)\s% accuracy after (\d+) steps; two layers with the same seed: 99\s% accuracy at step (\d+)\.$/.exec(
      told,
    ) ?? assert.fail(told);
  assert.deepEqual([Number(step), other], [last, goal]);
  assert.ok(accuracy < 60, told);
  const run = await startRun({ layers: 1 });
  t.after(() => run.dispose());
  run.train(last - (last % 4));
  assert.ok(Math.abs(accuracy - 100 * run.accuracy()) <= 2, `${accuracy}, ${run.accuracy()}`);
  assert.match(
    await textOf(page, '#train .goal-progress'),
    /^Reached\. Two layers reached 99\s% accuracy at step \d+; a single one came to \d+\s% accuracy/,
  );
});
