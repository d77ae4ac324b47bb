// Each act opened by its address and used by the pointer: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { expectedWeights } from '../lib/expected-weights.mjs';
import { artefact } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

/** Waits until `read` returns another value than now. */
async function waitForChange(read) {
  const before = await read();
  await until(async () => (await read()) !== before, `it stays ${before}`);
}

/** What a reader does in each act, and what comes of it. */
const flows = {
  async look(act) {
    await act.seeHeads();
    await act.click('#look .board .gate', 'Gate of layer 2, head 2');
    await act.waitFor('#look .look-status[data-shut="1"]');
  },
  async inside(act) {
    await act.click('#inside button', 'Next');
    await act.waitForText('#inside h3', /^Step 2 of 9/);
    await act.click('#inside .segment', '4 Scale');
    await act.waitFor('#inside .inside-chart[data-done]');
    await act.click('#inside button', 'd = 4');
    await act.waitForText('#inside .inside-divisor-value', /^4$/);
    await act.click('#inside [data-question="weight-importance"] summary');
    await act.waitFor('#inside [data-question="weight-importance"][open]');
    await act.waitForSearch('?inside-step=4&inside-divisor=4&question=weight-importance');
  },
  async 'equal-keys'(act) {
    const isEven = async () => assert.equal(new Set(await act.weights()).size, 2);
    await act.click('#equal-keys [data-option="keys"]');
    await isEven();
    await act.click('#equal-keys .segment', 'Random');
    await act.waitFor('#equal-keys .predict[data-reached]');
    const weights = await act.weights();
    const expected = await expectedWeights();
    assert.equal(weights.length, expected.length);
    weights.forEach((weight, i) => assert.ok(Math.abs(weight - expected[i]) < 1e-6, `${i}`));
    await act.evaluate(() => window.history.back());
    await act.waitForSearch('?toy-guess=keys');
    await isEven();
    await act.evaluate(() => window.history.forward());
    await act.waitForSearch('?toy-guess=keys&input=random');

    const hasArithmeticOf = async (head, query, key) => {
      const place = `^Head ${head + 1}: query q${query + 1}, key k${key + 1}$`;
      await act.waitForText('#equal-keys .arithmetic caption', new RegExp(place));
      const weight = weights[(head * 4 + query) * 6 + key];
      assert.match(await act.textOf('#equal-keys .arithmetic'), new RegExp(weight.toFixed(4)));
    };
    const cell = (query, key) =>
      `#equal-keys .close-up .cell[data-query="${query}"][data-key="${key}"]`;
    await act.click('#equal-keys .key-tile:nth-child(4) .head-title');
    await act.waitFor('#equal-keys .key-tile:nth-child(4)[aria-pressed="true"]');
    await act.hover(cell(1, 2));
    await hasArithmeticOf(3, 1, 2);
    await act.click(cell(2, 0));
    await hasArithmeticOf(3, 2, 0);

    await act.drag('#equal-keys .slider', 'Valid length', 0.5, 0);
    await act.waitForSearch('?toy-guess=keys&input=random&head=4&valid=0');
    assert.deepEqual([...new Set(await act.weights())], [0]);
    // The thumb that was dragged has the focus, until Firefox and WebKit take it away on the way back.
    await act.press('ArrowRight');
    await act.waitForSearch('?toy-guess=keys&input=random&head=4&valid=1');
    assert.deepEqual([...new Set(await act.weights())], [1, 0]);
    // One drag is one entry, whatever values it passed.
    await act.evaluate(() => window.history.back());
    await act.waitForSearch('?toy-guess=keys&input=random&head=4&valid=0');
    await act.evaluate(() => window.history.back());
    await act.waitForSearch('?toy-guess=keys&input=random&head=4');
  },
  async train(act) {
    const status = '#train .run-status';
    const maps = () =>
      act.evaluate(() =>
        [...document.querySelectorAll('#train canvas')].map((canvas) => canvas.toDataURL()),
      );
    await act.waitForText(status, /^Step 0:/);
    const untrained = await maps();
    await act.click('#train button', 'One step');
    await act.waitForText(status, /^Step 1:/);
    await act.click('#train .segment', 'Full');
    await act.click('#train .playback .primary');
    // Lines that grow beneath the pointer must not swallow the click.
    await act.click('#train .head-card .chart-base', undefined, () =>
      waitForChange(() => act.textOf(status)),
    );
    await act.waitForText('#train .enlarged .head-title', /^Layer 1, head 1$/);
    await act.waitFor('#train .log [data-kind="goal"]');
    await act.click('#train button', 'Pause');
    await act.waitForText('#train .playback .primary', /^Resume$/);
    (await maps()).forEach((map, head) => assert.notEqual(map, untrained[head]));
    await act.drag('#train .step-handle', undefined, 0.2, 0);
    const first = await act.waitForText(status, /^Step 0 of \d+:/);
    const [, last] = /of (\d+):/.exec(first);
    assert.deepEqual(await maps(), untrained);
    await act.click('#train button', 'Now');
    await act.waitForText(status, new RegExp(`^Step ${last}:`));
  },
  async translate(act) {
    const status = '#translate .run-status';
    await act.waitFor('#translate .align-figure');
    await act.waitForText(status, /^Step 0 /);
    await act.click('#translate button', 'One step');
    await act.waitForText(status, /^Step 1 /);
    assert.equal(await act.count('#translate .align-map'), 2);
  },
  async prune(act) {
    const status = '#prune .cut-status';
    await act.waitFor('#prune .guess-tile:not([aria-disabled])');
    for (const head of ['1.1', '1.2', '2.3', '2.6']) {
      await act.click(`#prune .guess-tile[data-head="${head}"]`);
    }
    await act.click('#prune .guess-panel button', 'Check');
    await act.waitForText('#prune .guess-role', /^quiet$/);
    await act.waitForText(status, /^All \d+ heads/);
    await act.drag('#prune .slider', 'Heads to prune', 0, 1);
    await act.waitForText(status, /^\d+ of \d+ heads pruned/);
  },
};

for (const [id, use] of Object.entries(flows)) {
  test(`act ${id} by its address and the pointer, in ${engineName}`, async (t) => {
    const act = await openAct(t, `#${id}`);
    let top, bar;
    await until(
      async () => {
        [top, bar] = await act.evaluate(
          (title) => [
            document.querySelector(title).getBoundingClientRect().top,
            document.querySelector('.navigation').getBoundingClientRect().bottom,
          ],
          `#${id} h2`,
        );
        // Content that loads above is compensated for within a frame or two.
        return top >= bar && top < bar + 200;
      },
      () => `its title is at ${top}, below ${bar}`,
    );
    assert.equal(await act.count('.failure'), 0);
    if (id === 'look') {
      const acts = await act.evaluate(() =>
        [...document.querySelectorAll('main > section[id]')].map((each) => each.id),
      );
      assert.deepEqual(acts, Object.keys(flows));
    }
    await use(act);
    await act.screenshot(artefact(`${id}-${engineName}.png`));
  });
}
