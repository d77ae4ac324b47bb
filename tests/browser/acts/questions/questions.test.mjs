// The index of questions: answers, what is computed for them, and the views that they link to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFlows } from '../../lib/flows.mjs';
import { fitsAcross, open } from '../../lib/pages.mjs';
import { near } from '../../../page/lib/float64.mjs';

const numbers = encodeURIComponent('{"queries":[[1,0],[0,1]],"keys":[[1,0,0],[0,1,0],[0,0,1]]}');
const step = (number) => `#figure .figure-steps [value="${number}"]:checked`;
const maps = '#heads .samples .map';
const divisor = (place) => `#why .why-marks > :nth-child(${place})[aria-pressed="true"]`;
const closedGate = '#heads .gates-now button:not([aria-disabled])';

/** The links of each question: the address that it leads to, what is to be seen there, and how often if not once. */
const links = {
  'h-projections': [['?figure-step=2#figure', step(2)]],
  'input-slice': [['?part=W_q#heads', '#heads .layer-part[aria-pressed="true"]']],
  'giant-head': [
    ['?input=patterns&heads=1#heads', maps, 2],
    ['?input=patterns#heads', maps, 10],
  ],
  'two-transposes': [
    ['?figure-step=2#figure', step(2)],
    ['?figure-step=8#figure', step(8)],
  ],
  'output-projection': [['?figure-step=9#figure', step(9)]],
  'same-input': [
    ['#figure', step(1)],
    ['#align', '#align .run-status[data-step="0"]'],
  ],
  'query-size': [
    [`?input=own&part=W_k&numbers=${numbers}#heads`, '#heads [aria-label^="keys, (1, 3, 3)"]'],
  ],
  'why-sqrt-d': [
    ['?figure-step=4#figure', step(4)],
    ['#why', divisor(1)],
    ['?why-divisor=8#why', divisor(2)],
  ],
  // Three of five tokens: queries 4 and 5 are padding, and look at keys 1 to 3 all the same.
  'masked-queries': [
    [
      '?input=text&sample=2#heads',
      '#heads .samples [data-sample="1"][data-head="0"][data-query="4"]:not([data-masked])',
      3,
    ],
  ],
  'why-heads-differ': [
    ['#heads', '#heads [value="random"]:checked'],
    ['?input=ones#heads', '#heads [value="ones"]:checked'],
  ],
  ensemble: [['#train', '#train .rail [value="2"]:checked', 2]],
  'weight-importance': [
    [
      '?figure-step=7&figure-head=2&figure-mask=none#figure',
      '#figure .steps-figure [data-depth="0"][data-head="1"]',
    ],
  ],
  'untrained-gate': [
    ['?gates=0,1,1,1,1#heads', closedGate],
    ['?words-shut=2.2#words', '#words .words-status[data-shut="1"]'],
  ],
  'softmax-over-outputs': [['?input=patterns&gates=1,1,0.5,1,1#heads', closedGate]],
  'more-heads': [
    ['?heads=20#heads', maps, 40],
    ['#prune', '#prune .guess-panel'],
  ],
};

test('an address opens an answer in view on a phone', async (t) => {
  const { page } = await open(t, '?question=more-heads#questions', {
    width: 390,
    async prepare(tab) {
      await tab.setRequestInterception(true);
      // The rules of acts may come long after their code.
      tab.on('request', async (request) => {
        if (/act-styles.*\.css$/.test(request.url())) await sleep(1000);
        void request.continue();
      });
    },
  });
  await page.waitForFunction(() => {
    const { top } = document.querySelector('[data-question="more-heads"]').getBoundingClientRect();
    return top >= 0 && top < innerHeight / 2;
  });
});

test('the questions', async (t) => {
  const act = await openFlows(t, 'questions');
  const { page } = act;
  const entry = (name) => `[data-question="${name}"]`;
  const opened = () => act.all('details[open]', 'data-question');
  const names = Object.keys(links);

  await t.test(
    'are opened by pointer, keys and address, one at a time, with the way back',
    async () => {
      assert.deepEqual((await act.all('details', 'data-question')).sort(), names.toSorted());
      await act.visit('?question=why-sqrt-d');
      assert.deepEqual(await opened(), ['why-sqrt-d']);
      await page.click(`#questions ${entry('giant-head')} summary`);
      await act.waitForSearch('?question=giant-head');
      assert.deepEqual(await opened(), ['giant-head']);
      await act.keys(`${entry('ensemble')} summary`, 'Enter');
      await act.waitForSearch('?question=ensemble');
      await act.keys(undefined, 'Enter');
      await act.waitForSearch('');
      assert.deepEqual(await opened(), []);
      await page.goBack();
      await act.waitForSearch('?question=ensemble');
      assert.deepEqual(await opened(), ['ensemble']);
      await act.visit('?question=why');
      assert.deepEqual([await act.notices(), (await opened()).length], [1, 0]);
    },
  );

  await t.test('have answers that fit a phone, and are read on paper, too', async () => {
    await page.setViewport({ width: 360, height: 900 });
    for (const name of names) {
      await act.visit(`?question=${name}`);
      await act.waitFor(`${entry(name)}[open] .question-answer`);
      assert.equal(await act.count(`${entry(name)} a`), links[name].length, name);
      await fitsAcross(page, name);
      const cut = await act.each(
        '.question-evidence',
        (each) => each.scrollWidth > each.clientWidth,
      );
      assert.ok(!cut.includes(true), `${name}: the table is cut`);
    }
    await page.setViewport({ width: 1280, height: 900 });
    await act.isForEveryone();
    await act.visit('');
    await page.emulateMediaType('print');
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const heights = await act.each(
      'details',
      (each) => each.querySelector('.question-answer')?.offsetHeight ?? 0,
    );
    await page.emulateMediaType('screen');
    assert.ok(heights.length === 15 && heights.every((height) => height > 0));
  });

  await t.test('show what is computed, in float64', async () => {
    const cells = (name) => act.texts(`${entry(name)} tbody td`);
    await act.visit('?question=h-projections');
    const difference = (await act.numbers(`${entry('h-projections')} .question-evidence`)).at(-1);
    assert.ok(difference < 1e-6, `${difference}`);
    await act.visit('?question=input-slice');
    assert.deepEqual(await cells('input-slice'), ['30000', '6000', '0']);
    await act.visit('?question=giant-head');
    assert.deepEqual(await cells('giant-head'), ['40000', '5 × 6', '40000', '1 × 6']);
    await act.visit('?question=weight-importance');
    const table = entry('weight-importance');
    const column = (name) => act.all(`${table} [data-column="${name}"]`, 'data-value');
    const [weights, norms, products] = [
      await column('weight'),
      await column('norm'),
      await column('product'),
    ];
    await page.click(`#questions ${table} a`);
    await page.waitForSelector('#figure .steps-figure [data-depth="0"][data-head="1"]');
    const part = (name) =>
      page.evaluate((wanted) => {
        const rows = [];
        for (const { dataset } of document.querySelectorAll(
          `#figure .steps-figure [data-part="${wanted}"] [data-value]`,
        ))
          (rows[dataset.row] ??= [])[dataset.column] = Number(dataset.value);
        return rows;
      }, name);
    const [shown, v, W_o] = [await part('weights'), await part('v'), await part('W_o')];
    near(weights, shown[0], 1e-6);
    const expected = v.map((value) =>
      Math.hypot(
        ...W_o.map((row) => row.slice(4, 8).reduce((sum, w, at) => sum + w * value[at], 0)),
      ),
    );
    near(norms, expected, 1e-5);
    near(
      products,
      weights.map((weight, key) => weight * norms[key]),
      1e-9,
    );
    await page.goBack();
    await page.waitForFunction(() => window.location.hash === '#questions');
  });

  await t.test('link to views that show what they name, without a reload', async () => {
    // What the reader has changed in the acts before, and what holds for the whole page.
    const others = {
      causal: '1',
      'figure-seed': '5',
      'words-query': '3',
      'train-seed': '9',
      'why-head': '2',
    };
    const own = {
      figure: 'figure-seed',
      heads: 'causal',
      words: 'words-query',
      train: 'train-seed',
      why: 'why-head',
    };
    await page.evaluate(() => (window.isSame = true));
    for (const [name, views] of Object.entries(links)) {
      for (const [at, [address, seen, count = 1]] of views.entries()) {
        const before = new URLSearchParams({ lang: 'en', question: name, ...others });
        await act.visit(`?${before}`);
        const link = (await page.$$(`#questions ${entry(name)} a`))[at];
        await link.evaluate((anchor) => anchor.dispatchEvent(new PointerEvent('pointerenter')));
        const href = await link.evaluate((anchor) => anchor.href);
        await link.click();
        const [query, id] = address.split('#');
        await page.waitForFunction((wanted) => location.hash === wanted, {}, `#${id}`);
        assert.equal(await page.evaluate(() => location.href), href);
        before.delete(own[id]);
        for (const [key, value] of new URLSearchParams(query)) before.set(key, value);
        const found = new URLSearchParams(new URL(href).search);
        assert.deepEqual(
          Object.fromEntries(found),
          Object.fromEntries(before),
          `${name}, ${address}`,
        );
        await page.waitForSelector(`#${id} .live:not([data-awaited])`);
        await page.waitForSelector(seen);
        assert.equal((await page.$$(seen)).length, count, `${name}, ${address}`);
        assert.equal(await page.$eval(`#${id} .notices`, ({ textContent }) => textContent), '');
        await page.waitForFunction(
          (act) => {
            const { top } = document.querySelector(`#${act} h2`).getBoundingClientRect();
            return top >= 0 && top < 250;
          },
          {},
          id,
        );
        assert.equal(await page.evaluate(() => document.activeElement.id), id);
        await page.goBack();
        await page.waitForFunction(() => location.hash === '#questions');
        assert.deepEqual(await opened(), [name]);
        assert.equal(await act.parameter('causal'), '1');
      }
    }
    assert.equal(await page.evaluate(() => window.isSame), true);
  });
});

test('no link leads to an act that the address hides', async (t) => {
  const act = await openFlows(t, 'questions', '?question=why-sqrt-d&hide=figure');
  const seen = await act.each('[data-question="why-sqrt-d"] a', (link) =>
    link.checkVisibility() ? [link.hash] : [],
  );
  assert.deepEqual(seen.flat(), ['#why', '#why']);
});
