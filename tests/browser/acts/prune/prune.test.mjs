// Pruning: heads are marked by their maps, the roles and the measures are shown, and the language model is pruned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { failWorker } from '../../lib/late-worker.mjs';
import { range } from '../../../page/lib/float64.mjs';

const names = [1, 2].flatMap((layer) => range(6).map((head) => `${layer}.${head + 1}`));
const status = '.cut-status';

async function openPrune(t, query = '', options = {}) {
  const act = await openFlows(t, 'prune', query, { until: '#prune .plant', ...options });
  return {
    ...act,
    waitForMaps: (count) => act.waitForCount('.guess-tile canvas', count),
    marked: async () =>
      (await act.all('.guess-tile[aria-pressed="true"]', 'data-head')).map(String),
    async mark(...heads) {
      for (const head of heads) await act.click(`.guess-tile[data-head="${head}"]`);
    },
    roles: () => act.texts('.guess-role'),
    pruned: () => act.all('.model-head[data-pruned]', 'data-head'),
    topOf: () => act.first('.model-top', 'data-changed'),
  };
}

test('planted heads', async (t) => {
  const act = await openPrune(t, '?hide=look,train,translate', {
    causes: /the test ends this worker/,
  });
  const { page } = act;

  await t.test(
    'are there at once, and nothing tells them before the reader has checked',
    async () => {
      await act.waitForMaps(12);
      const secret = /sharp|quiet|induction|previous|planted as|ranks/i;
      const labels = await act.all('.guess [aria-label]', 'aria-label');
      assert.deepEqual(
        labels.filter((label) => secret.test(label)),
        [],
      );
      assert.deepEqual((await act.all('.guess-tile', 'data-head')).map(String), names);
      assert.equal(await act.count(':is(.bar, .guess-role, .guess-tile[data-truth])'), 0);
      await act.press('Save');
      const off = await act.all(
        '.save-list [aria-label*="importance"], #prune .save-list [aria-label*="curves JSON"]',
        'aria-disabled',
      );
      assert.ok(off.every((each) => each === 'true'));
      await act.press('Save');
    },
  );

  await t.test(
    'are marked and checked, with the measures beside them, and no button moves',
    async () => {
      await act.press('Check');
      assert.deepEqual(await act.roles(), [], 'none is marked yet');
      await act.mark('1.1', '1.2', '1.4', '2.3', '2.6');
      assert.deepEqual(await act.marked(), ['1.1', '1.2', '1.4', '2.3'], 'no more than four');
      await act.mark('1.1');
      assert.equal((await act.numbers('.guess-status'))[0], 3);
      await act.mark('2.6');
      await act.waitForSearch('?hide=look,train,translate&prune-marks=1.2,1.4,2.3,2.6');
      const buttons = '.rail:has(.guess-panel) button';
      const before = await act.tops(buttons);
      await act.press('Check');
      await act.waitFor('.guess-loud');
      assert.deepEqual(await act.tops(buttons), before);
      const roles = await act.roles();
      const withRole = (...wanted) => names.filter((_name, at) => wanted.includes(roles[at]));
      const planted = withRole('previous token', 'induction');
      assert.deepEqual(
        [planted, withRole('sharp'), withRole('quiet')].map(({ length }) => length),
        [4, 4, 4],
      );
      const cells = await act.texts('.scores tbody td');
      // Those of the reader and of each measure.
      assert.equal(
        cells
          .slice(0, 5)
          .map(([first]) => first)
          .join(),
        '3,4,4,0,0',
      );
      for (const measure of ['ablation', 'gradient', 'confidence', 'entropy']) {
        const bars = await act.all(`[data-measure="${measure}"] .bar`, 'data-head', 'data-truth');
        assert.equal(bars.length, 12);
        assert.ok(
          bars.every(([head, truth]) => (truth === 'planted') === planted.includes(String(head))),
        );
      }
      assert.equal(await act.count('.judged .line'), 5);
      await act.press('Guess again');
      assert.deepEqual([await act.marked(), await act.roles()], [[], []]);
      await act.mark('1.2', '1.3', '2.3', '2.6');
      await act.press('Check');
      await act.waitFor('.goal[data-reached]');
    },
  );

  await t.test(
    'are others in another seed, which is trained, and again after its worker was lost',
    async () => {
      await act.write('.seed-input', '2');
      await act.waitForMaps(0);
      assert.equal(await act.count('.goal[data-reached]'), 0, 'another goal');
      await failWorker(page);
      await act.waitFor('.failure');
      await act.click('.failure button');
      await act.waitForMaps(12);
      assert.equal(await act.count('.failure'), 0);
      assert.deepEqual([await act.marked(), await act.roles()], [[], []]);
      await act.click('.plant button');
      await act.press('Show the roles');
      await act.waitFor('.guess-loud');
      assert.equal((await act.roles()).length, 12);
      assert.equal((await act.texts('.scores tbody td')).length, 8, 'the reader has chosen none');
      await act.write('.seed-input', '1');
      await act.waitForMaps(12);
    },
  );
});

test('the language model is pruned, with its loss and its next token, and ranked anew', async (t) => {
  const act = await openPrune(t, '?prune-check=1&hide=look,train,translate');
  const { page } = act;
  assert.deepEqual(await act.pruned(), []);
  const heads = await act.count('.model-head');
  const step = Number(
    await page.evaluate(() => {
      const input = document.querySelector('#prune .pruned-model [type="range"]');
      input.value = '1';
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      return (
        new URLSearchParams(location.search).get('prune-cut') ??
        document.querySelector('#prune .cut-status').dataset.pruned
      );
    }),
  );
  assert.ok(step >= 1 && (await act.pruned()).length === step);
  await act.waitFor('.model-top');
  assert.equal(await act.first(status, 'data-within'), 'true');

  // As many as any order allows: that is the goal, and one step more is too much.
  const last = await page.$eval('#prune .pruned-model [type="range"]', ({ max }) => Number(max));
  const slide = (point) => act.write('.pruned-model [type="range"]', String(point));
  let most = 0;
  for (const point of range(last + 1)) {
    await slide(point);
    if ((await act.first(status, 'data-within')) === 'true') most = point;
    else break;
  }
  assert.equal(await act.count('.pruned-model .goal[data-reached]'), 2);
  await slide(last);
  assert.deepEqual(
    [(await act.pruned()).length, await act.first(status, 'data-within')],
    [last * step, 'false'],
  );
  assert.ok(most > 0 && last * step < heads);
  await act.waitForValue('.model-top', 'data-changed', true);
  await page.select('#prune .pruned-model select', 'random');
  assert.equal(await act.first('.pruned-model .line[data-chosen]', 'data-series'), 'random');
  await act.isForEveryone();

  await act.press('Rank the heads here');
  await act.waitForCount('.pruned-model .curves .line', 1);
  await act.press('Stop');
  await act.waitForText('.pruned-model .plant-status', /^Stopped/);
  await act.press('Reset');
  assert.deepEqual(await act.pruned(), []);
});
