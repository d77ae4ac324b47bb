// Each act opened by its address, and its numbers read: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { artefact } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

/** What Node computes for the heads as they are first shown. */
async function expectedHeads() {
  await init();
  const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
  const queries = Tensor.randn([2, 4, 100], 2);
  const keys = Tensor.randn([2, 6, 100], 3);
  const options = { validLens: [3, 2], returnWeights: true };
  return attention.forward(queries, keys, keys, options).attentionWeights.data;
}

/** What to ask of the numbers of an act that has numbers of its own when it is opened. */
const readings = {
  async toy(act) {
    const cells = await act.cellsOf('toy');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    for (const { sample, key, weight } of cells) {
      const valid = sample === 0 ? 3 : 2;
      assert.equal(weight, key < valid ? Math.fround(1 / valid) : 0);
    }
  },
  async heads(act) {
    const cells = await act.cellsOf('heads');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    const expected = await expectedHeads();
    cells.forEach(({ weight }, i) => assert.ok(Math.abs(weight - expected[i]) < 1e-6, `${i}`));
  },
  async why(act) {
    const weights = () =>
      act.evaluate(() =>
        [...document.querySelectorAll('#why .why-key')].map(({ dataset }) =>
          Number(dataset.weight),
        ),
      );
    await act.waitFor('#why .why-chart [data-done]');
    const saturated = await weights();
    await act.click('#why button', '√d = 8');
    await act.waitForText('#why .why-divisor-value', /^8$/);
    const scaled = await weights();
    for (const all of [saturated, scaled]) {
      assert.ok(Math.abs(all.reduce((sum, weight) => sum + weight) - 1) < 1e-6);
    }
    assert.ok(Math.max(...saturated) > 0.9 && Math.max(...scaled) < 0.5);
  },
  async train(act) {
    const status = '#train .run-status';
    await act.waitForText(status, /^Step 0:/);
    await act.click('#train button', 'One step');
    const [loss] = /\d+\.\d+/.exec(await act.waitForText(status, /^Step 1:/));
    assert.ok(loss > 1 && loss < 5, loss);
  },
  async words(act) {
    const leader = '#words .candidate[data-leads] .candidate-token';
    await act.waitForText(leader, /^better$/);
    await act.evaluate(() => document.querySelectorAll('#words .tile-gate')[5].click());
    await act.waitForText(leader, /^a$/);
  },
  async align(act) {
    const status = '#align .run-status';
    await act.waitFor('#align .align-figure');
    await act.waitForText(status, /^Step 0 /);
    await act.click('#align button', 'Step');
    const [loss] = /loss (\d+\.\d+)/.exec(await act.waitForText(status, /^Step 1 /)).slice(1);
    assert.ok(loss > 1 && loss < 8, loss);
    assert.equal(
      await act.evaluate(() => document.querySelectorAll('#align .align-map').length),
      2,
    );
  },
  async questions(act) {
    await act.click('#questions summary', 'Is an attention weight an importance?');
    await act.waitFor('#questions .contributions');
    const columns = await act.evaluate(() =>
      [...document.querySelectorAll('#questions .contributions tbody tr')].map((row) =>
        [...row.querySelectorAll('[data-value]')].map(({ dataset }) => Number(dataset.value)),
      ),
    );
    assert.equal(columns.length, 5);
    for (const [weight, norm, product] of columns) {
      assert.ok(Math.abs(product - weight * norm) < 1e-12);
    }
    const total = columns.reduce((sum, [weight]) => sum + weight, 0);
    assert.ok(Math.abs(total - 1) < 1e-6, `${total}`);
  },
};

test(`every act can be opened by its address and read, in ${engineName}`, async (t) => {
  const { evaluate } = await open(t, '');
  const acts = await evaluate(() =>
    [...document.querySelectorAll('main > section[id]')].map(({ id }) => id),
  );
  assert.deepEqual(acts, [
    ...['toy', 'figure', 'heads', 'why', 'train', 'prune', 'words', 'align'],
    'questions',
  ]);
  for (const id of acts) {
    await t.test(id, async (sub) => {
      const act = await open(sub, `#${id}`);
      const look = () =>
        act.evaluate((wanted) => {
          const section = document.getElementById(wanted);
          return {
            top: section.querySelector('h2').getBoundingClientRect().top,
            bar: document.querySelector('.navigation').getBoundingClientRect().bottom,
            failures: [...document.querySelectorAll('.failure')].map((each) => each.textContent),
            text: section.textContent,
          };
        }, id);
      let seen;
      await until(
        async () => {
          seen = await look();
          // What comes in above is made up for within a frame or two.
          return seen.top >= seen.bar && seen.top < seen.bar + 200;
        },
        () => `its title stands at ${seen.top}, below ${seen.bar}`,
      );
      const { failures, text } = await look();
      assert.deepEqual(failures, []);
      assert.match(text, id === 'questions' ? /√d/ : /\d/);
      await readings[id]?.(act);
      await act.screenshot(artefact(`${id}-${engineName}.png`));
    });
  }
});

test(`one WebAssembly file, for one thread, does for page and worker, in ${engineName}`, async (t) => {
  const { evaluate } = await open(t, '');
  const { isolated, files } = await evaluate(() => ({
    isolated: crossOriginIsolated,
    files: performance.getEntriesByType('resource').map(({ name }) => name),
  }));
  assert.equal(isolated, true);
  const [wasm, ...more] = files.filter((file) => file.endsWith('.wasm'));
  assert.deepEqual(more, []);
  assert.match(wasm, /simd-(?!threads)/);
});
