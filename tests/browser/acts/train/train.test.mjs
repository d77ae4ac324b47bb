// Training in Chromium: a run from its first step to its goal, in a worker.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdWorkers, runOutOfPatience } from '../../lib/late-worker.mjs';
import { open, searchOf } from '../../lib/pages.mjs';
import {
  alone,
  button,
  eventsOf,
  mapsOf,
  openRun,
  press,
  restingStepOf,
  textOf,
  until,
  waitForGoal,
  waitForStatus,
  waitForStep,
  workerOf,
} from '../../lib/train-act.mjs';

describe('a run', () => {
  test('is the same for the same seed at any speed, and another for another', async (t) => {
    const eventsAt = async (query) => {
      const { page } = await openRun(t, query);
      await press(page, 'Start');
      await waitForGoal(page);
      await press(page, 'Pause');
      const events = await eventsOf(page);
      return events.slice(0, events.findIndex((told) => /99\s%/.test(told)) + 1);
    };
    const first = await eventsAt('?train-speed=full&train-seed=3');
    assert.deepEqual(await eventsAt('?train-speed=60&train-seed=3'), first);
    assert.notDeepEqual(await eventsAt('?train-speed=full&train-seed=4'), first);
  });

  test('can be paused, stepped and begun again', async (t) => {
    const { page } = await openRun(t, `${alone}&train-speed=full`);
    const untrained = await mapsOf(page);
    await press(page, 'One step');
    await waitForStep(page, 1);
    await press(page, 'One step');
    await waitForStep(page, 2);
    const second = await mapsOf(page);
    assert.notDeepEqual(second, untrained);

    await press(page, 'Resume');
    await page.waitForFunction(
      () => Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) > 20,
    );
    await press(page, 'Pause');
    const paused = await restingStepOf(page);
    await press(page, 'One step');
    await waitForStep(page, paused + 1);

    await press(page, 'Restart');
    await waitForStep(page, 0);
    assert.deepEqual(await mapsOf(page), untrained);
    assert.deepEqual(await eventsOf(page), []);
    await press(page, 'One step');
    await waitForStep(page, 1);
    await press(page, 'One step');
    await waitForStep(page, 2);
    assert.deepEqual(await mapsOf(page), second);
  });

  for (const task of ['recall', 'sort', 'reverse', 'copy', 'previous']) {
    test(`learns ${task}`, async (t) => {
      const { page } = await openRun(t, `?train-task=${task}&train-speed=full`);
      await press(page, 'Start');
      await waitForGoal(page);
    });
  }
});

describe('the options', () => {
  test('stand in the address, and every change begins a new run', async (t) => {
    const { page } = await openRun(t, '?train-task=sort&train-layers=1&train-heads=4&train-seed=7');
    assert.equal((await page.$$('#train .head-card')).length, 4);
    assert.equal(await page.$eval('#train select', (menu) => menu.value), 'sort');
    await press(page, 'One step');
    await waitForStep(page, 1);
    await page.select('#train select', 'reverse');
    await waitForStep(page, 0);
    assert.match(await textOf(page, '#train .task-explanation'), /from the last to the first/);
    const search = await searchOf(page);
    assert.equal(search, '?train-task=reverse&train-layers=1&train-heads=4&train-seed=7');
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#train select').value === 'sort');
  });

  test('that the address cannot have are told, and the run goes on with others', async (t) => {
    const { page } = await openRun(
      t,
      '?train-task=chess&train-layers=900&train-heads=-1&train-rate=NaN&train-seed=1e99',
    );
    const notices = await textOf(page, '#train .notices');
    for (const told of ['“chess”', '“900”', '“-1”', '“NaN”', '“1e99”']) {
      assert.ok(notices.includes(told), notices);
    }
    await press(page, 'One step');
    await waitForStep(page, 1);
  });
});

test('“Start” is heard while the model is made anew', async (t) => {
  const { page } = await openRun(t);
  const [again, start] = [await button(page, 'Restart'), await button(page, 'Start')];
  await page.evaluate(
    (...buttons) => {
      for (const each of buttons) each.click();
    },
    again,
    start,
  );
  await waitForStatus(page, /^Step [1-9]/);
});

describe('when the worker', () => {
  /** With what became of its worker. */
  const run = '#train .train-run';
  const failureOf = async (page) => {
    await page.waitForSelector('#train .failure');
    return textOf(page, '#train .failure');
  };
  const beginAgain = async (page, told = '.failure') => {
    await (await page.$(`#train ${told} button`)).click();
    await waitForStep(page, 0);
    assert.equal(await page.$(`#train ${told}`), null);
    await press(page, 'One step');
    await waitForStep(page, 1);
  };

  test('fails, the page says so and begins again with a new one', async (t) => {
    const { page } = await openRun(t, alone, { causes: /the test ends this worker/ });
    await press(page, 'Start');
    await workerOf(page).evaluate(() => {
      setTimeout(() => {
        throw new Error('the test ends this worker');
      });
    });
    assert.match(await failureOf(page), /The worker stopped.*Restart.*the test ends/s);
    await beginAgain(page);
  });

  test('takes long to come, the page says so and uses it when it comes', async (t) => {
    const { page } = await open(t, `${alone}#train`, { until, prepare: holdWorkers });
    await press(page, 'Start');
    await runOutOfPatience(page);
    // At once, as patience ends.
    assert.match(await textOf(page, run), /not answered yet.*when it comes.*Restart/s);
    assert.equal(await page.$('#train .failure'), null);
    await page.evaluate(() => window.letWorkersCome());
    // What was pressed before it came is heard.
    await waitForStatus(page, /^Step [1-9]/);
    assert.equal(await page.$('#train .slow'), null);
    assert.equal(await page.evaluate(() => window.modelWorkers), 1);
  });

  test('takes long to come, the reader can ask for another', async (t) => {
    const { page } = await open(t, `${alone}#train`, { until, prepare: holdWorkers });
    await runOutOfPatience(page);
    assert.match(await textOf(page, run), /not answered yet/);
    await (await page.$('#train .slow button')).click();
    assert.equal(await page.$('#train .slow'), null);
    await page.waitForFunction(() => window.modelWorkers === 2);
    await page.evaluate(() => window.letWorkersCome());
    await waitForStatus(page, /^Step 0:/);
    await press(page, 'One step');
    await waitForStep(page, 1);
    assert.equal(await page.$('#train .failure'), null);
  });

  test('does not answer any more, the reader can give it up', async (t) => {
    const prepare = (page) =>
      page.evaluateOnNewDocument(() => {
        const real = window.setTimeout;
        window.setTimeout = (act, delay) => real(act, delay >= 20_000 ? 500 : delay);
      });
    const { page } = await openRun(t, alone, { prepare });
    workerOf(page)
      .evaluate(() => {
        for (;;);
      })
      .catch(() => undefined);
    await press(page, 'One step');
    await page.waitForSelector('#train .slow');
    await beginAgain(page, '.slow');
  });

  test('has no memory left, the page says so', async (t) => {
    const { page } = await openRun(t, alone);
    await workerOf(page).evaluate(() => {
      globalThis.Float32Array = new Proxy(Float32Array, {
        construct(real, [given, ...rest], target) {
          if (given > 10_000) throw new RangeError('none left');
          return Reflect.construct(real, [given, ...rest], target);
        },
      });
    });
    await press(page, 'Restart');
    assert.match(await failureOf(page), /Out of memory.*memory: not enough/s);
    await beginAgain(page);
  });
});
