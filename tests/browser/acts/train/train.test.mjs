// Training: a run from its first step to its goal, earlier steps, two runs side by side, and a lost worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import {
  failWorker,
  holdWorkers,
  runOutOfPatience,
  waitForLastUpdate,
  workerOf,
} from '../../lib/late-worker.mjs';
import { fitsAcross } from '../../lib/pages.mjs';
import { near } from '../../../page/lib/float64.mjs';

/** Neighbours have workers, too. */
const alone = '?hide=prune,words,translate';
const status = '.run-status';

/** With what flows of a run wait for and read. */
async function openRun(t, query, options) {
  const act = await openFlows(t, 'train', query, options);
  const { page } = act;
  const run = {
    ...act,
    step: () => act.first(status, 'data-step'),
    waitForStep: (step) => act.waitForValue(status, 'data-step', step),
    async waitForState(state) {
      await act.waitForValue(status, 'data-state', state);
    },
    /** Goes on until a step is passed; gives the step at which the run then rests. */
    async goOn(until) {
      await act.click('.playback .primary');
      await page.waitForFunction(
        (where, least) => Number(document.querySelector(where).dataset.step) > least,
        {},
        ...[`#train ${status}`, until],
      );
      await act.click('.playback .primary');
      await run.waitForState('paused');
      await waitForLastUpdate(page);
      return run.step();
    },
    maps: () => act.each('canvas', (canvas) => canvas.toDataURL()),
    weights: () => act.all('.enlarged .cell', 'data-weight'),
    roles: () => act.all('.head-card', 'data-role'),
    arcs: () => act.all('.composition-arc', 'data-head', 'data-key', 'data-weight'),
    query: async () => (await act.all('.composition-token', 'aria-pressed')).indexOf('true') + 1,
  };
  await run.waitForState('paused');
  return run;
}

test('a run', async (t) => {
  const run = await openRun(t, `${alone}&train-speed=full`);
  const { page } = run;

  await t.test('is stepped, paused, begun again, and the same at any speed', async () => {
    const untrained = await run.maps();
    await run.press('One step');
    await run.waitForStep(1);
    const first = await run.maps();
    assert.notDeepEqual(first, untrained);
    const paused = await run.goOn(20);
    await run.press('One step');
    await run.waitForStep(paused + 1);
    await run.click('.rail [value="60"]');
    await run.press('Restart');
    // It is heard while the model is made.
    await run.click('.playback .primary');
    await run.waitForState('running');
    await run.press('Pause');
    await run.press('Restart');
    await run.waitForStep(0);
    assert.deepEqual(await run.maps(), untrained);
    assert.equal(await run.count('.log-list li'), 0);
    await run.press('One step');
    await run.waitForStep(1);
    assert.deepEqual(await run.maps(), first);
    await run.visit(`${alone}&train-speed=full&train-task=reverse&train-layers=1&train-heads=4`);
    await run.waitForStep(0);
    assert.equal(await run.count('.head-card'), 4);
    assert.equal(await page.$eval('#train select', ({ value }) => value), 'reverse');
  });

  await t.test('reaches its goal, whose steps are seen again as they were', async () => {
    await run.visit(`${alone}&train-speed=full&train-at=8&train-head=1.2`);
    await run.waitForStep(8);
    const then = { weights: await run.weights(), roles: await run.roles() };
    assert.equal(then.weights.length, 400);
    await run.press('Resume');
    await run.waitFor('.log [data-kind="goal"]');
    await run.waitFor('.goal[data-reached]');
    await run.press('Pause');
    await run.waitForState('paused');
    await waitForLastUpdate(page);
    const last = await run.step();
    const [now, learnt] = [await run.maps(), await run.roles()];
    assert.ok(learnt.slice(0, 2).includes('previousToken'), `${learnt}`);
    assert.ok(learnt.slice(2).includes('induction'), `${learnt}`);

    await run.keys('.step-handle', 'Home');
    await run.waitForStep(0);
    await run.keys(undefined, 'ArrowRight', 'ArrowRight');
    await run.waitForStep(8);
    assert.equal(await run.first(status, 'data-past'), '');
    assert.match(await run.first('.step-handle', 'aria-valuetext'), /^Step 8: loss 3\.\d/);
    await run.waitForSearch(`${alone}&train-speed=full&train-head=1.2&train-at=8`);
    near(await run.weights(), then.weights, 1e-5);
    assert.deepEqual(await run.roles(), then.roles);
    assert.equal(await run.count('.score-lines .moment-line'), 4);
    // An event of the log leads to its step, the end of the curve back to now.
    await run.click('.log-list button');
    const [step] = await run.numbers('.log-list li:has(button)');
    await run.waitForStep(step);
    await run.keys('.step-handle', 'End');
    await run.waitForStep(last);
    assert.equal(await run.first('.to-now', 'aria-disabled'), 'true');
    assert.equal(await run.count('.score-lines .moment-line'), 0);
    await run.press('One step');
    await run.waitForStep(last + 1);
    assert.notDeepEqual(await run.maps(), now);
    // The page in another language makes the run anew, up to this step.
    const link = await page.$eval('.languages a[lang="zh"]', (each) => {
      each.focus();
      return each.search;
    });
    const measured = last + 1 - ((last + 1) % 4);
    assert.equal(new URLSearchParams(link).get('train-at'), String(measured));
  });

  await t.test('has two heads that work together, whichever query is asked', async () => {
    await run.visit(`${alone}&train-speed=full&train-query=7&train-head=2.1`);
    const token = (position) => `.composition-token:nth-of-type(${position})`;
    const asks = async (position) => {
      await run.waitFor(`${token(position)}[aria-pressed="true"]`);
      assert.equal(await run.query(), position);
    };
    await asks(7);
    const colours = (selector) =>
      run.each(selector, ({ style }) => style.getPropertyValue('--head-colour'));
    const ofHeads = await colours('.head-card');
    const [[, key, weight], [back]] = await run.arcs();
    const drawn = [ofHeads[2], ofHeads[Number(String(back).at(-1)) - 1]];
    assert.deepEqual(await colours('.composition-arc'), drawn);
    near(weight, (await run.weights())[6 * 20 + key - 1], 1e-6);
    for (const [act, position] of [
      [() => run.hover(token(12)), 12],
      [() => run.hover('.enlarged .cell[data-query="9"][data-key="3"]'), 10],
      [() => run.hover(status), 7],
      [() => run.keys(token(7), 'ArrowRight'), 8],
      [() => run.keys(undefined, 'End', 'ArrowLeft'), 19],
    ]) {
      await act();
      await asks(position);
    }
    await run.keys(undefined, 'Enter');
    await run.waitForSearch(`${alone}&train-speed=full&train-query=19&train-head=2.1`);
    await page.click(`#train ${token(3)}`);
    await run.waitForSearch(`${alone}&train-speed=full&train-query=3&train-head=2.1`);
    await page.click('#train .run-layer:nth-child(2) .head-card:nth-child(2)');
    await run.waitFor('.composition-arc[data-head="2.2"]');
    for (const width of [1440, 390]) {
      await page.setViewport({ width, height: 900 });
      for (const position of [1, 10, 20]) {
        await run.keys(token(position));
        await asks(position);
        const inside = await run.each('.composition-label', (label) => {
          const own = label.getBoundingClientRect();
          const all = label.ownerSVGElement.getBoundingClientRect();
          return (
            ['top', 'left'].every((side) => own[side] >= all[side]) &&
            ['bottom', 'right'].every((side) => own[side] <= all[side])
          );
        });
        assert.deepEqual(inside, [true, true], `query ${position}, ${width} pixels wide`);
      }
    }
    await fitsAcross(page);
    const upright = await run.first('.composition-drawing', 'viewBox');
    await page.setViewport({ width: 844, height: 390 });
    await run.waitForChange('.composition-drawing', 'viewBox', upright);
    await page.setViewport({ width: 1280, height: 900 });
    await run.isForEveryone();
  });

  await t.test(
    'is pinned beside another and compared with one layer; the stage fits a screen',
    async () => {
      const line = (series) => run.first(`.chart [data-series="${series}"]`, 'd');
      await run.visit(`${alone}&train-speed=full&train-at=160`);
      await run.waitForStep(160);
      await run.waitFor('.goal[data-reached]');
      const [goal] = await run.numbers('.goal-progress');
      assert.ok(goal > 100);
      // A loop shows the weights of every head from the first step to this one.
      const loop = String(
        await run.save('Save the training run as Loop', 'headwise-the-training-run-loop.svg'),
      );
      assert.ok(loop.match(/<rect[^>]*><animate/g).length > 400);
      // One for each of 41 measurements or more, and twelve for the last.
      for (const values of loop.match(/values="[^"]*"/g)) {
        assert.ok(values.split(';').length >= 41 + 12, values);
      }
      await run.press('Pin this run');
      await run.waitFor('.chart [data-series="pinned"]');
      assert.equal(await line('pinned'), await line('unseen'));
      await run.press('Unpin run');
      await run.waitForSearch(`${alone}&train-speed=full&train-at=160`);
      // A run that has reached the goal is pinned when the next one begins, and no button has moved.
      const before = await run.tops('.rail select');
      await run.click('.rail .control:has([value="3"]) [value="1"]');
      await run.waitForStep(0);
      await run.waitFor('.chart [data-series="pinned"]');
      assert.equal(await run.count('.goal[data-reached]'), 0);
      assert.deepEqual(await run.tops('.rail select'), before);
      const pinned = await run.parameter('train-pinned');
      assert.equal(await run.parameter('train-at'), null);
      const search = `${alone}&train-speed=full&train-layers=1&train-pinned=${pinned}`;
      await run.visit(`${search}&train-at=12`);
      await run.waitForStep(12);
      assert.equal((await run.arcs()).length, 1);
      assert.ok((await run.numbers('.run-comparison')).includes(goal));
      assert.equal(await run.count('.goal[data-reached]'), 0, 'it is not plain yet how it goes');
      await page.setViewport({ width: 1440, height: 900 });
      for (const query of [
        search,
        `${search}&train-head=1.2`,
        `${alone}&train-head=2.1&train-layers=3&train-heads=4`,
      ]) {
        await run.visit(`${query}&train-at=12`);
        await run.waitForStep(12);
        await run.fitsScreen();
      }
      // A pinned run that only the address knows is made anew.
      await run.visit(
        `${alone}&train-speed=full&train-seed=2&train-at=8&train-pinned=induction,2,2,0.005,3,12`,
      );
      await run.waitFor('.chart [data-series="pinned"]');
      await run.waitForStep(8);
      await run.press('Unpin run');
      await run.waitForCount('.chart [data-series="pinned"]', 0);
    },
  );
});

test('a worker', async (t) => {
  const causes = /the test ends this worker/;
  const endings = {
    'that fails': ({ page }) => failWorker(page),
    'without memory': ({ page }) =>
      workerOf(page).evaluate(() => {
        globalThis.Float32Array = new Proxy(Float32Array, {
          construct(real, [given, ...rest], target) {
            if (given > 10_000) throw new RangeError('none left');
            return Reflect.construct(real, [given, ...rest], target);
          },
        });
      }),
  };
  const run = await openRun(t, alone, { causes });
  for (const [what, end] of Object.entries(endings)) {
    await t.test(`${what} is told, and another one begins again`, async () => {
      await end(run);
      await run.press('Restart');
      await run.waitFor('.failure[role="alert"]');
      await run.click('.failure button');
      await run.waitForStep(0);
      assert.equal(await run.count('.failure'), 0);
      await run.press('One step');
      await run.waitForStep(1);
    });
  }

  await t.test('that does not answer is reported as slow, and given up', async (sub) => {
    const late = await openFlows(sub, 'train', alone, { prepare: holdWorkers });
    await runOutOfPatience(late.page);
    await late.waitFor('.slow');
    assert.equal(await late.count('.failure'), 0);
    await late.click('.slow button');
    await late.page.evaluate(() => window.letWorkersCome());
    await late.waitForValue(status, 'data-step', 0);
    assert.equal(await late.count('.slow'), 0);
    assert.equal(await late.page.evaluate(() => window.modelWorkers), 2);
  });
});
