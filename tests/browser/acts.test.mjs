// Each act opened by its address, and its numbers read: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { engineName, launchEngine } from './lib/engines.mjs';
import { artefact, isReady } from './lib/pages.mjs';
import { servePage } from './lib/server.mjs';

let server;
let engine;

before(async () => {
  [server, engine] = await Promise.all([servePage(), launchEngine()]);
});

after(async () => {
  await engine?.close();
  await server?.close();
});

const open = async (address) => {
  // To leave first makes a page that differs in its fragment alone load anew.
  await engine.open('about:blank');
  await engine.open(server.url + address);
  await engine.waitFor(isReady);
};

/** The weights that an act draws, as (sample, head, query, key). */
const weightsOf = (act) =>
  engine.evaluate(
    (id) =>
      [...document.querySelectorAll(`#${id} .samples .cell`)].map(({ dataset }) => ({
        sample: Number(dataset.sample),
        key: Number(dataset.key),
        weight: Number(dataset.weight),
      })),
    act,
  );

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
  async toy() {
    const cells = await weightsOf('toy');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    for (const { sample, key, weight } of cells) {
      const valid = sample === 0 ? 3 : 2;
      assert.equal(weight, key < valid ? Math.fround(1 / valid) : 0);
    }
  },
  async heads() {
    const cells = await weightsOf('heads');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    const expected = await expectedHeads();
    cells.forEach(({ weight }, i) => assert.ok(Math.abs(weight - expected[i]) < 1e-6, `${i}`));
  },
  async train() {
    const status = () =>
      engine.evaluate(() => document.querySelector('#train .run-status').textContent);
    const reach = async (step) => {
      const deadline = Date.now() + 30_000;
      while (!(await status()).startsWith(`Step ${step}:`)) {
        assert.ok(Date.now() < deadline, await status());
        await sleep(50);
      }
    };
    await reach(0);
    await engine.evaluate(() => {
      const buttons = [...document.querySelectorAll('#train button')];
      buttons.find(({ textContent }) => textContent === 'One step').click();
    });
    await reach(1);
    const [loss] = /\d+\.\d+/.exec(await status());
    assert.ok(loss > 1 && loss < 5, await status());
  },
};

test(`every act can be opened by its address and read, in ${engineName}`, async (t) => {
  await open('');
  const acts = await engine.evaluate(() =>
    [...document.querySelectorAll('main > section[id]')].map(({ id }) => id),
  );
  assert.deepEqual(acts.slice(0, 2), ['toy', 'heads']);
  for (const act of acts) {
    await t.test(act, async () => {
      await open(`#${act}`);
      const { top, bar, failures, text } = await engine.evaluate((id) => {
        const section = document.getElementById(id);
        return {
          top: section.querySelector('h2').getBoundingClientRect().top,
          bar: document.querySelector('nav').getBoundingClientRect().bottom,
          failures: [...document.querySelectorAll('.failure')].map((each) => each.textContent),
          text: section.textContent,
        };
      }, act);
      assert.deepEqual(failures, []);
      assert.ok(top >= bar && top < bar + 200, `its title stands at ${top}, below ${bar}`);
      assert.match(text, /\d/);
      await readings[act]?.();
      await engine.screenshot(artefact(`${act}-${engineName}.png`));
    });
  }
  // Firefox tells of what was still on its way when the page was left, as it is above.
  const left = /NS_BINDING_ABORTED|A ServiceWorker intercepted the request/;
  assert.deepEqual(
    engine.problems.filter((problem) => !left.test(problem)),
    [],
  );
});

test(`threads run where memory can be shared, in ${engineName}`, async () => {
  await open('');
  const { isolated, canShare, files } = await engine.evaluate(() => ({
    isolated: crossOriginIsolated,
    // Debian's WebKit leaves it out, isolated or not.
    canShare: typeof SharedArrayBuffer !== 'undefined',
    files: performance.getEntriesByType('resource').map(({ name }) => name),
  }));
  assert.equal(isolated, true);
  const [wasm, ...more] = files.filter((file) => file.endsWith('.wasm'));
  assert.deepEqual(more, []);
  assert.equal(/-threads-/.test(wasm), canShare);
});
