// Each act opened by its address and used by the pointer: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { openAct } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { artefact } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

/** The weights of act `heads` as it opens, computed in Node. */
async function expectedHeads() {
  await init({ threads: 1 });
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
  const queries = Tensor.randn([2, 4, 100], 2);
  const keys = Tensor.randn([2, 6, 100], 3);
  const options = { validLens: [3, 2], returnWeights: true };
  return attention.forward(queries, keys, keys, options).attentionWeights.data;
}

/** How many heads of the first sample differ. */
const countDifferent = (cells) => {
  const weightsOf = (wanted) =>
    cells.flatMap(({ sample, head, weight }) => (sample === 0 && head === wanted ? [weight] : []));
  return new Set([0, 1, 2, 3, 4].map((head) => weightsOf(head).join())).size;
};

/** Waits until `read` returns another value than now. */
async function waitForChange(read) {
  const before = await read();
  await until(async () => (await read()) !== before, `it stays ${before}`);
}

const cell = (sample, head, query, key) =>
  `#heads .samples .cell[data-sample="${sample}"][data-head="${head}"]` +
  `[data-query="${query}"][data-key="${key}"]`;

/** What a reader does in each act, and what comes of it. */
const flows = {
  async toy(act) {
    await act.click('#toy .question button', 'Different keys');
    await act.waitForText('#toy .experiments-verdict', /“Different keys”: right/);
    assert.equal(countDifferent(await act.cellsOf('toy')), 1);
    await act.click('#toy .segment', 'Random');
    await act.waitFor('#toy .goal[data-reached]');
    assert.equal(countDifferent(await act.cellsOf('toy')), 5);
    await act.evaluate(() => window.history.back());
    await act.waitForSearch('?toy-guess=keys');
    assert.equal(countDifferent(await act.cellsOf('toy')), 1);
  },
  async inside(act) {
    await act.click('#inside button', 'Next');
    await act.waitForText('#inside h3', /^Step 2 of 9/);
    await act.click('#inside .segment', '4 Scale');
    await act.waitFor('#inside .inside-chart[data-done]');
    await act.click('#inside button', 'd = 4');
    await act.waitForText('#inside .inside-divisor-value', /^4$/);
  },
  async heads(act) {
    const cells = await act.cellsOf('heads');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    const expected = await expectedHeads();
    cells.forEach(({ weight }, i) => assert.ok(Math.abs(weight - expected[i]) < 1e-6, `${i}`));

    const hasArithmeticOf = async (sample, head, query, key) => {
      const place = `Head ${head + 1}, sample ${sample + 1}: query q${query + 1}, key k${key + 1}`;
      await act.waitForText('#heads .arithmetic caption', new RegExp(`^${place}$`));
      const { weight } = cells[((sample * 5 + head) * 4 + query) * 6 + key];
      assert.match(await act.textOf('#heads .arithmetic'), new RegExp(weight.toFixed(4)));
    };
    await act.hover(cell(0, 3, 1, 2));
    await hasArithmeticOf(0, 3, 1, 2);
    await act.click(cell(1, 2, 2, 0));
    await hasArithmeticOf(1, 2, 2, 0);
    await act.press('ArrowRight');
    await hasArithmeticOf(1, 2, 2, 1);

    await act.click('#heads .layer-head', 'Head 4: select');
    await act.waitFor('#heads .layer-head[aria-label^="Head 4"][aria-pressed="true"]');
    await act.click(cell(0, 1, 0, 0));
    const openBars = () =>
      act.evaluate(() =>
        [...document.querySelectorAll('#heads .gate-bar .bar')].map(
          (bar) => bar.width.baseVal.value > 0,
        ),
      );
    assert.deepEqual(await openBars(), Array(5).fill(false));
    await act.drag('#heads .gates .slider', 'Gate of head 2', 1, 0);
    assert.deepEqual(await openBars(), [false, true, false, false, false]);
    await act.waitForSearch('?head=2&gates=1,0,1,1,1');
    // The thumb that was dragged has the focus.
    await act.press('ArrowRight');
    await act.waitForSearch('?head=2&gates=1,0.05,1,1,1');
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
  async prune(act) {
    const status = '#prune .cut-status';
    await act.waitFor('#prune .guess-tile:not([aria-disabled])');
    for (const head of ['1.1', '1.2', '2.3', '2.6']) {
      await act.click('#prune .guess-tile', `${head} mark`);
    }
    await act.click('#prune .guess-panel button', 'Check');
    await act.waitForText('#prune .guess-role', /^quiet$/);
    await act.waitForText(status, /^All \d+ heads/);
    await act.drag('#prune .slider', 'Heads to prune', 0, 1);
    await act.waitForText(status, /^\d+ of \d+ heads pruned/);
  },
  async look(act) {
    await act.waitFor('#look .candidate[data-leads]');
    await act.click('#look .board .gate', 'Gate of layer 2, head 2');
    await act.waitFor('#look .look-status[data-shut="1"]');
  },
  async translate(act) {
    const status = '#translate .run-status';
    await act.waitFor('#translate .align-figure');
    await act.waitForText(status, /^Step 0 /);
    await act.click('#translate button', 'Step');
    await act.waitForText(status, /^Step 1 /);
    assert.equal(await act.count('#translate .align-map'), 2);
  },
  async questions(act) {
    await act.click('#questions summary', 'Is an attention weight an importance?');
    await act.waitFor('#questions .contributions');
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
    if (id === 'toy') {
      const acts = await act.evaluate(() =>
        [...document.querySelectorAll('main > section[id]')].map((each) => each.id),
      );
      assert.deepEqual(acts, Object.keys(flows));
    }
    await use(act);
    await act.screenshot(artefact(`${id}-${engineName}.png`));
  });
}
