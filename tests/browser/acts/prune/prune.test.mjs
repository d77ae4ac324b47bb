// Pruning: heads are marked by their maps, the truth and the measures are shown, and heads are pruned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { failWorker, holdWorkers, runOutOfPatience } from '../../lib/late-worker.mjs';
import { range } from '../../../page/lib/float64.mjs';

const names = [1, 2].flatMap((layer) => range(6).map((head) => `${layer}.${head + 1}`));
const status = '.session-status';

async function openPrune(t, query = '', options = {}) {
  const act = await openFlows(t, 'prune', query, { until: '#prune .plant-progress', ...options });
  const { page } = act;
  const prune = {
    ...act,
    tile: (head) => `.tile[data-head="${head}"]`,
    waitForLeft: async (left) => {
      await page.waitForFunction(
        (where, wanted) =>
          document.querySelector(where).dataset.left === wanted &&
          document.querySelector(where).dataset.gated === undefined,
        {},
        ...[`#prune ${status}`, String(left)],
      );
    },
    prune: (...heads) =>
      page.evaluate((all) => {
        for (const head of all)
          document.querySelector(`#prune .tile[data-head="${head}"] button`).click();
      }, heads),
    pruned: () => act.all('.tile[data-standing="pruned"]', 'data-head'),
    marked: async () =>
      (await act.all('.guess-tile[aria-pressed="true"]', 'data-head')).map(String),
    mark: (...heads) =>
      page.evaluate((all) => {
        for (const head of all)
          document.querySelector(`#prune .guess-tile[data-head="${head}"]`).click();
      }, heads),
    roles: () => act.texts('.guess-role'),
    /** Rows of the table of both models: heads, loss, accuracy, time. */
    table: async () => {
      const cells = await act.texts('.quality tbody td');
      return range(cells.length / 2).map((row) => [cells[2 * row], cells[2 * row + 1]]);
    },
    plant: async () => {
      await act.click('.plant button');
      await page.waitForFunction(
        () => document.querySelectorAll('#prune .guess-tile canvas').length === 12,
      );
    },
    moveGate: (head, percent) =>
      prune.write(`.tile[data-head="${head}"] [type="range"]`, String(percent)),
    restoreAll: async () => {
      await act.press('Restore all');
      await prune.waitForLeft(12);
    },
  };
  return prune;
}

test('a planted model', async (t) => {
  const act = await openPrune(t, '?hide=train,words,align', {
    causes: /the test ends this worker/,
  });
  const { page } = act;
  let planted;

  await t.test('tells nothing of what was planted before the reader has checked', async () => {
    await act.plant();
    const secret = /sharp|quiet|induction|previous|planted as|ranks/i;
    const labels = await act.all('[aria-label]', 'aria-label');
    assert.deepEqual(
      labels.filter((label) => secret.test(label)),
      [],
    );
    assert.doesNotMatch(await page.$eval('#prune .live', ({ innerText }) => innerText), secret);
    assert.deepEqual((await act.all('.guess-tile', 'data-head')).map(String), names);
    const truths = '.bar, .chart > .line, .guess-role, .tile-truth:not(:empty), button[data-truth]';
    assert.equal(await act.count(`:is(${truths})`), 0);
    await act.press('Save');
    const off = await act.all(
      '.save-list [aria-label*="importance"], #prune .save-list [aria-label*="curves"]',
      'aria-disabled',
    );
    assert.deepEqual(new Set(off), new Set(['true']));
    await act.press('Save');
    const { seed, tokens, weights, ...more } = JSON.parse(
      await act.save(
        'Save the numbers of the maps of the planted model as JSON',
        'headwise-the-maps-of-the-planted-model.json',
      ),
    );
    const shape = [6, tokens.length, tokens.length];
    assert.deepEqual([seed, weights.map((each) => each.shape), more], [1, [shape, shape], {}]);
  });

  await t.test('has four heads marked and checked, and measures beside them', async () => {
    await act.press('Check');
    assert.deepEqual(await act.roles(), [], 'none is marked yet');
    await act.mark('1.1', '1.2', '1.4', '2.3', '2.6');
    assert.deepEqual(await act.marked(), ['1.1', '1.2', '1.4', '2.3'], 'no more than four');
    await act.mark('1.1');
    assert.equal((await act.numbers('.guess-status'))[0], 3);
    await act.mark('2.6');
    await act.waitForSearch('?hide=train,words,align&prune-marks=1.2,1.4,2.3,2.6');
    await act.press('Check');
    await act.waitFor('.guess-loud');
    const roles = await act.roles();
    const withRole = (...wanted) => names.filter((_name, at) => wanted.includes(roles[at]));
    planted = withRole('previous token', 'induction');
    assert.deepEqual(
      [planted, withRole('sharp'), withRole('quiet')].map(({ length }) => length),
      [4, 4, 4],
    );
    const marks = ['1.2', '1.4', '2.3', '2.6'];
    const cells = await act.texts('.scores tbody td');
    const found = cells.slice(0, 5).map((cell) => Number(cell[0]));
    for (const measure of ['ablation', 'gradient', 'confidence', 'entropy']) {
      const bars = await act.all(`[data-measure="${measure}"] .bar`, 'data-head', 'data-truth');
      assert.equal(bars.length, 12);
      assert.ok(
        bars.every(([head, truth]) => (truth === 'planted') === planted.includes(String(head))),
      );
    }
    // Those of the reader and of each measure.
    assert.deepEqual(found, [marks.filter((head) => planted.includes(head)).length, 4, 4, 0, 0]);
    await act.waitForLeft(12);
    await act.mark('1.1');
    assert.deepEqual(await act.marked(), marks, 'what was marked stays so');
  });

  await t.test(
    'is pruned down to the planted heads, and told in one number everywhere',
    async () => {
      await act.click('.plant button');
      const others = names.filter((name) => !planted.includes(name));
      const whole = await act.table();
      assert.deepEqual(
        whole.map(([full, left]) => full === left),
        [true, true, true, true],
      );
      for (const [at, head] of others.entries()) {
        await act.prune(head);
        await act.waitForLeft(11 - at);
      }
      await act.waitFor('.session .goal[data-reached]');
      assert.deepEqual((await act.pruned()).map(String), others);
      assert.equal((await act.table())[0][1], '4');
      assert.ok((await act.first(status, 'data-accuracy')) > 0.9);
      await page.waitForFunction(
        () => document.querySelector('#prune .quality ~ .measure-note').textContent !== '',
      );
      const [ratio, , lower, upper, pairs] = await act.numbers('.quality ~ .measure-note');
      assert.ok(lower <= ratio && ratio <= upper && pairs === 21, `${ratio}, ${lower}, ${upper}`);
      const told = (await act.numbers('.session .goal-progress')).at(-1);
      assert.ok(Math.abs(told - 100 * ratio) <= 1, `${told} % of the time, ${ratio}`);
      await act.press('Undo');
      await act.waitForLeft(5);
      await page.goBack();
      await act.waitForLeft(4);
      await act.restoreAll();
      assert.deepEqual(await act.table(), whole);

      // Whatever is pressed how quickly: the same presses in every run, after Lehmer.
      let state = 20;
      const draw = (below) => (state = (48271 * state) % 2147483647) % below;
      for (let round = 0; round < 8; round++) {
        const presses = range(2 + draw(5)).map(() => draw(15));
        await page.evaluate((wanted) => {
          const tiles = [...document.querySelectorAll('#prune .tile')];
          for (const which of wanted) {
            const slider = tiles[which % 12].querySelector('.slider');
            if (which < 12) tiles[which].querySelector('button').click();
            else if (which < 14)
              document.querySelectorAll('#prune .session-bar button')[which - 12].click();
            else {
              slider.value = 40;
              slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
            }
          }
        }, presses);
        await page.waitForFunction(
          (where) => {
            const left = document.querySelectorAll(
              '#prune .tile:not([data-standing="pruned"])',
            ).length;
            const gone = new URLSearchParams(location.search).get('prune-gone') ?? '';
            return (
              document.querySelector(where).dataset.left === String(left) &&
              document.querySelector('#prune .quality tbody td:last-child').textContent ===
                String(left) &&
              gone.split(',').filter(Boolean).length === 12 - left
            );
          },
          {},
          `#prune ${status}`,
        );
      }
      await act.press('Undo');
      await act.restoreAll();
      await act.prune('1.1', '1.2', '1.3', '1.4', '1.5', '1.6');
      await act.waitForLeft(7);
      assert.equal(await act.first(act.tile('1.6'), 'data-standing'), 'last');
      await act.moveGate('1.6', 0);
      await act.waitForValue(status, 'data-gated', '');
      assert.equal((await act.pruned()).length, 5, 'the last head of a layer stays');
      await act.restoreAll();
    },
  );

  await t.test('answers as its gates and heads let it', async () => {
    const answers = () => act.all('.answers .answer', 'data-right', 'aria-label');
    const whole = await answers();
    assert.ok(whole.length >= 10 && whole.every(([isRight]) => isRight === 'true'));
    assert.deepEqual(await act.numbers('.answers .sequence-name'), [whole.length, whole.length]);
    const [head] = planted.slice(2);
    await act.moveGate(head, 50);
    await act.waitForValue(status, 'data-gated', '');
    assert.notDeepEqual(await answers(), whole);
    await act.prune(...planted.slice(2));
    await act.waitForLeft(10);
    const lost = await answers();
    const right = lost.filter(([isRight]) => isRight === 'true').length;
    assert.ok(right < whole.length / 2);
    assert.deepEqual(await act.numbers('.answers .sequence-name'), [right, whole.length]);
    await act.restoreAll();
    assert.deepEqual(await answers(), whole);
    const pathOf = (order) => act.first(`.chart .line[data-series="${order}"]`, 'd');
    const accuracy = await pathOf('ablation');
    await act.click('[type="radio"][value="loss"]');
    await page.waitForFunction(
      (was) =>
        document.querySelector('#prune .chart .line[data-series="ablation"]').getAttribute('d') !==
        was,
      {},
      accuracy,
    );
    await act.isForEveryone();
  });

  await t.test('is planted anew after its worker was lost, and for another seed', async () => {
    await act.prune('1.1');
    await act.waitForLeft(11);
    await failWorker(page);
    await act.prune('1.3', '1.4');
    await act.waitFor('.failure');
    await act.click('.failure button');
    await act.waitForLeft(9);
    assert.equal(await act.count('.failure'), 0);
    await act.write('.seed-input', '2');
    await page.waitForFunction(
      () => document.querySelectorAll('#prune .guess-tile canvas').length === 12,
    );
    assert.deepEqual(
      [await act.marked(), await act.roles(), await act.parameter('prune-gone')],
      [[], [], null],
    );
    await act.press('Show without guessing');
    await act.waitFor('.guess-loud');
    assert.equal((await act.roles()).length, 12);
    assert.equal((await act.texts('.scores tbody td')).length, 8, 'the reader has chosen none');
  });
});

test('a worker that takes long to come is told as slow, and used when it comes', async (t) => {
  const act = await openPrune(t, '?prune-check=1&prune-gone=1.1&hide=train,words,align', {
    prepare: holdWorkers,
  });
  await act.click('.plant button');
  await runOutOfPatience(act.page);
  await act.waitFor('.slow');
  assert.equal(await act.count('.failure'), 0);
  await act.page.evaluate(() => window.letWorkersCome());
  await act.waitForLeft(11);
  assert.equal(await act.count('.slow'), 0);
  assert.equal(await act.page.evaluate(() => window.modelWorkers), 1);
});
