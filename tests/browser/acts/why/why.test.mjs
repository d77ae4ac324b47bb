// Why a key weighs what it weighs: every number against float64, from what the page draws by its seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, Tensor } from 'headwise';
import { openFlows } from '../../lib/flows.mjs';
import { prefer } from '../../lib/pages.mjs';
import { dot, entropyOf, near, range, rowsOf, softmax, sum } from '../../../page/lib/float64.mjs';

await init({ threads: 1 });

const [tokens, heads, embedding] = [8, 4, 64];

/** Queries and keys of all heads, and their scores. */
function drawn(d, seed) {
  const X = rowsOf(Tensor.randn([tokens, embedding], 3 * seed));
  const projected = (from) => {
    const W = rowsOf(Tensor.randn([heads * d, embedding], from));
    const all = X.map((x) => W.map((row) => dot(x, row) / Math.sqrt(embedding)));
    return (head) => all.map((row) => row.slice(head * d, (head + 1) * d));
  };
  const [queries, keys] = [projected(3 * seed + 1), projected(3 * seed + 2)];
  const scoresOf = (head) => queries(head).map((q) => keys(head).map((k) => dot(q, k)));
  const all = range(heads).flatMap((head) => scoresOf(head).flat());
  const mean = sum(all) / all.length;
  const deviation = Math.sqrt(sum(all.map((score) => (score - mean) ** 2)) / (all.length - 1));
  return { queries, keys, scoresOf, deviation };
}

test('why', async (t) => {
  const act = await openFlows(t, 'why');
  const { page } = act;
  await act.waitFor('.why-chart .chart[data-done]');
  await act.waitFor('.why-chart .why-point');
  const column = (name) => act.all('.why-key', `data-${name}`);
  const chosen = async () => (await act.all('.why-key', 'aria-pressed')).indexOf('true');
  const reading = async (name) => (await act.numbers(`[data-reading="${name}"] dd`))[0];
  const divisor = async () => Number(await act.text('.why-divisor-value'));
  const strip = (name) => act.all(`.why-products [data-strip="${name}"] > rect`, 'data-value');

  await t.test('every number follows from what is drawn', async () => {
    for (const { query, d = 64, seed = 1, head = 0, at = 2, key, by = 1, sorted } of [
      { query: '', key: 5 },
      {
        query:
          '?why-d=16&why-divisor=5.5&why-head=3&why-query=7&why-key=2&why-order=product&why-seed=9',
        ...{ d: 16, seed: 9, head: 2, at: 6, key: 1, by: 5.5, sorted: true },
      },
    ]) {
      await act.visit(query);
      const { queries, keys, scoresOf, deviation } = drawn(d, seed);
      const [q, k] = [queries(head)[at], keys(head)[key]];
      const score = scoresOf(head)[at];
      const scaled = score.map((each) => each / by);
      const weight = softmax(scaled);
      near(await column('score'), score, 1e-4, 'score');
      near(await column('scaled'), scaled, 1e-4, 'scaled');
      near(await column('weight'), weight, 1e-5, 'weight');
      assert.equal(await chosen(), key);
      const units = [...q.keys()];
      if (sorted) units.sort((a, b) => q[b] * k[b] - q[a] * k[a]);
      assert.deepEqual(await act.all('[data-strip="q"] > rect', 'data-unit'), units);
      const products = units.map((unit) => q[unit] * k[unit]);
      for (const [name, values] of Object.entries({
        q: units.map((unit) => q[unit]),
        k: units.map((unit) => k[unit]),
        product: products,
      })) {
        near(await strip(name), values, 1e-4, name);
      }
      const sums = products.map((_product, place) => sum(products.slice(0, place + 1)));
      near(await act.all('.why-products .why-sum', 'data-after'), sums, 1e-4, 'sum');
      const [raising, lowering] = [1, -1].map((sign) =>
        products.filter((value) => sign * value > 0),
      );
      const told = [raising.length, sum(raising), lowering.length, -sum(lowering), score[key]];
      near(await act.numbers('.why-read-out'), told, 5.1e-3, 'read out');
      near(await reading('weight'), Math.max(...weight), 5.1e-3);
      near(await reading('entropy'), entropyOf(weight), 5.1e-3);
      near(await reading('deviation'), deviation / by, 5.1e-3);
    }
  });

  await t.test('entropy and gradient of random queries and keys are drawn against d', async () => {
    const measured = (scaleOf) =>
      range(10).map((power) => {
        const d = 2 ** power;
        const keys = rowsOf(Tensor.randn([64 * 8, d], 2 * d + 1));
        const rows = rowsOf(Tensor.randn([64 * 8, d], 2 * d)).map((q, at) => {
          const set = 8 * Math.floor(at / 8);
          return softmax(keys.slice(set, set + 8).map((k) => scaleOf(d) * dot(q, k)));
        });
        const gradients = rows.flat().map((p) => p * (1 - p));
        return {
          entropy: sum(rows.map(entropyOf)) / rows.length,
          gradient: sum(gradients) / gradients.length,
        };
      });
    const expected = { undivided: measured(() => 1), divided: measured((d) => 1 / Math.sqrt(d)) };
    for (const [measure, d] of [
      ['entropy', 64],
      ['gradient', 16],
    ]) {
      await act.visit(`?why-measure=${measure}&why-d=${d}`);
      for (const variant of ['undivided', 'divided']) {
        const points = await act.all(`.why-point[data-variant="${variant}"]`, 'data-value');
        near(
          points,
          expected[variant].map((each) => each[measure]),
          1e-4,
          `${measure}, ${variant}`,
        );
      }
      assert.deepEqual(await act.all('.why-point[r="5"]', 'data-d'), [d, d]);
    }
  });

  await t.test(
    'the divisor is dragged by keys and pointer, and has marks; √d is the goal',
    async () => {
      await act.visit('');
      const scores = drawn(64, 1).scoresOf(0)[2];
      const slider = await act.control('Divide the scores by', 'slider');
      for (const [key, value] of [
        ['ArrowRight', 2 ** (1 / 16)],
        ['End', 128],
        ['Home', 1],
      ]) {
        await act.slide('Divide the scores by', key);
        const rounded = Math.round(100 * value) / 100;
        await act.waitForSearch(rounded === 1 ? '' : `?why-divisor=${rounded}`);
        near(await column('weight'), softmax(scores.map((score) => score / rounded)), 1e-5);
      }
      const { x, y, width, height } = await slider.boundingBox();
      await page.mouse.move(x + 8, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 3, y + height / 2, { steps: 4 });
      await page.mouse.move(x + width - 8, y + height / 2, { steps: 4 });
      await page.mouse.up();
      await act.waitForSearch('?why-divisor=128');
      await page.goBack();
      await act.waitForSearch('');
      assert.equal(await divisor(), 1, 'the drag was one step of the history');

      const place = async (mark) => {
        const box = await (await page.$$('#why .why-marks > button'))[mark].boundingBox();
        return (box.x + box.width / 2 - x - 8) / (width - 16);
      };
      assert.equal(await act.count('.goal[data-reached]'), 0);
      for (const [d, root] of [
        [64, 8],
        [16, 4],
      ]) {
        await act.press(String(d), 'radio');
        await act.press(`d = ${d}`);
        assert.equal(await divisor(), d);
        assert.equal(await act.count('.goal[data-reached]'), 0, 'another divisor is no other d');
        await act.press(`√d = ${root}`);
        assert.equal(await divisor(), root);
        assert.deepEqual(await act.all('.why-marks > button', 'aria-pressed'), [
          'false',
          'true',
          'false',
        ]);
        const places = [root, d].map((each) => Math.log2(each) / Math.log2(2 * d));
        near(await Promise.all([1, 2].map(place)), places, 0.01);
      }
      await act.waitFor('.goal[data-reached]');
    },
  );

  await t.test(
    'a key is chosen by pointer and keys, else it is the one with the largest score',
    async () => {
      await act.visit('');
      await page.click('#why .why-key[data-key="0"] .why-row-back');
      await act.waitForSearch('?why-key=1');
      await act.keys('.why-key[data-key="0"]', 'ArrowDown', 'ArrowDown');
      assert.equal(await chosen(), 0, 'the focus alone chooses nothing');
      await act.keys(undefined, 'Enter');
      await act.waitForSearch('?why-key=3');
      assert.deepEqual([await chosen(), await act.first('.why-key:focus', 'data-key')], [2, 2]);
      await act.visit('?why-d=16');
      const { scoresOf } = drawn(16, 1);
      for (const [head, query] of [
        [0, 6],
        [2, 6],
      ]) {
        await page.click(`#why .why-heads input[value="${head + 1}"]`);
        await page.select('#why .why-settings select', String(query + 1));
        const scores = scoresOf(head)[query];
        assert.equal(await chosen(), scores.indexOf(Math.max(...scores)));
      }
    },
  );

  await t.test('a product is told under the pointer and by the arrow keys', async () => {
    await act.visit('?why-order=product');
    const [units, q, k, products] = [
      await act.all('[data-strip="q"] > rect', 'data-unit'),
      ...(await Promise.all(['q', 'k', 'product'].map(strip))),
    ];
    const told = async (place) => {
      const expected = [units[place] + 1, q[place], k[place], products[place]];
      near(await act.numbers('.why-read-out'), expected, 5.1e-5);
      const verb = products[place] < 0 ? /lowers/ : /raises/;
      assert.match(await act.text('.why-read-out'), verb);
    };
    const summary = await act.text('.why-read-out');
    await act.hover('[data-strip="k"] > rect:nth-child(64)');
    await told(63);
    await page.mouse.move(0, 0);
    assert.equal(await act.text('.why-read-out'), summary);
    await act.keys('.why-made input:checked');
    for (const [keys, place] of [
      [['Tab'], 0],
      [['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft'], 2],
      [['End'], 63],
      [['Home'], 0],
    ]) {
      await act.keys(undefined, ...keys);
      await told(place);
      assert.equal(await act.first('.why-products', 'aria-valuenow'), place + 1);
    }
  });

  await t.test('it fits a screen and is for everyone, in forced colours, too', async () => {
    await act.visit('?why-measure=gradient&why-divisor=8');
    await page.setViewport({ width: 1440, height: 900 });
    await act.fitsScreen();
    await act.isForEveryone();
    await prefer(page, { forcedColors: 'active', scheme: 'dark' });
    const styles = (selector, property) =>
      act.each(selector, `(each) => getComputedStyle(each).${property}`);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.deepEqual(new Set(await styles('.why-row-back', 'fill')), new Set(['none']));
    const names = '.why-line-name, #why .why-here-name';
    assert.deepEqual(new Set(await styles(names, 'stroke')), new Set(['none']));
    assert.ok(
      !(await styles(`.why-name, #why .why-number, #why ${names}`, 'fill')).includes(ground),
    );
    await prefer(page);
  });
});
