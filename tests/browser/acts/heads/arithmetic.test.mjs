// The way from a query and a key to their weight, held against float64; the enlarged map; the
// settings of the layer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import {
  cellAt,
  control,
  notes,
  openHeads,
  press,
  query,
  slide,
  textOf,
} from '../../lib/heads-act.mjs';
import { readCells } from '../../lib/page-reader.mjs';

await init();

const number = (written) => Number(written.replace('−', '-').replace('∞', 'Infinity'));

/** The result of each step by its name. */
const stepsOf = async (page) =>
  Object.fromEntries(
    await page.$$eval('#heads .arithmetic tbody tr', (rows) =>
      rows.map((row) => [row.children[0].textContent, row.children[2].textContent]),
    ),
  );

/** Scores of the page's random input in float64: (sample, head, query, key). */
function scoresInFloat64({ seed, heads, factor }) {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: heads, seed });
  const queries = Tensor.randn([2, 4, 100], 2 * seed);
  const keys = Tensor.randn([2, 6, 100], 2 * seed + 1);
  layer.forward(queries, keys, keys);
  const parameters = layer.stateDict();
  layer.dispose();
  const size = 100 / heads;
  const project = (X, W, sample, row, unit) => {
    let sum = 0;
    for (let at = 0; at < 100; at++) sum += X.at(sample, row, at) * W.at(unit, at);
    return sum;
  };
  return (sample, head, at, key) => {
    let dot = 0;
    for (let unit = head * size; unit < (head + 1) * size; unit++) {
      dot +=
        project(queries, parameters['W_q.weight'], sample, at, unit) *
        project(keys, parameters['W_k.weight'], sample, key, unit);
    }
    return { dot, score: (dot * factor) / Math.sqrt(size) };
  };
}

describe('the arithmetic of a cell', () => {
  const settings = [
    { seed: 1, heads: 5, factor: 1, lens: [3, 2], address: '' },
    {
      seed: 7,
      heads: 20,
      factor: 2.5,
      lens: [6, 1],
      address: '?seed=7&heads=20&scale=2.5&valid=6,1',
    },
  ];
  for (const { lens, address, ...rest } of settings) {
    test(`is that of float64 at ${address || 'the beginning'}`, async (t) => {
      const { page } = await openHeads(t, address);
      const scores = scoresInFloat64(rest);
      for (const [sample, head, at, key] of [
        [0, 0, 0, 0],
        [0, 3, 2, 1],
        [1, 4, 3, 0],
        [1, 1, 1, 5],
      ]) {
        await (await cellAt(page, sample, head, at, key)).hover();
        const steps = await stepsOf(page);
        const { dot, score } = scores(sample, head, at, key);
        const row = Array.from({ length: lens[sample] }, (_none, each) =>
          scores(sample, head, at, each),
        ).map((each) => each.score);
        const largest = Math.max(...row);
        const masked = key >= lens[sample];
        const exponential = masked ? 0 : Math.exp(score - largest);
        const total = row.reduce((sum, each) => sum + Math.exp(each - largest), 0);
        const near = (name, expected) => {
          const [, shown] = Object.entries(steps).find(([step]) => step.startsWith(name));
          assert.ok(
            number(shown) === expected || Math.abs(number(shown) - expected) < 1e-4,
            `${name}: ${shown}, expected ${expected}`,
          );
        };
        near('q · k', dot);
        near('÷ √', score);
        near('Mask', masked ? -Infinity : score);
        near('exp', exponential);
        near('÷ sum', exponential / total);
      }
    });
  }

  test('says what a row without keys comes to', async (t) => {
    const { page } = await openHeads(t, '?valid=0,2');
    await (await cellAt(page, 0, 0, 0, 0)).click();
    const steps = await stepsOf(page);
    assert.equal(steps.Mask, '−∞');
    assert.equal(steps['÷ sum'], '0.0000');
    assert.match(await textOf(page, '#heads .arithmetic'), /no key of the row is visible/);
  });

  test('adds rows and columns up', async (t) => {
    const { page } = await openHeads(t);
    await (await cellAt(page, 0, 1, 2, 0)).click();
    const cells = await readCells(page, 'heads');
    const column = cells
      .filter((cell) => cell.sample === 0 && cell.head === 1 && cell.key === 0)
      .reduce((sum, { weight }) => sum + weight, 0);
    const told = (await textOf(page, '#heads .arithmetic table + .note'))
      .match(/[\d.]+\d/g)
      .map(Number);
    assert.equal(told[0], 1);
    assert.ok(Math.abs(told[1] - column) < 1e-4);
  });

  test('is there for an example until a cell is chosen', async (t) => {
    const { page } = await openHeads(t, '?head=3&sample=2');
    const told = () => textOf(page, '#heads .arithmetic');
    assert.match(await told(), /For example:\s*Head 3, sample 2: query q1, key k1/);
    const [first] = await readCells(page, 'heads').then((cells) =>
      cells.filter(({ sample, head }) => sample === 1 && head === 2),
    );
    assert.equal((await stepsOf(page))['÷ sum'], first.weight.toFixed(4));
    await press(page, '4', 'radio');
    assert.match(await told(), /For example:\s*Head 3, sample 2: query q1, key k1/);
    assert.notEqual((await stepsOf(page))['÷ sum'], first.weight.toFixed(4));
    await (await page.$$('#heads .layer-head'))[1].click();
    assert.match(await told(), /For example:\s*Head 2, sample 2: query q1, key k1/);
    await (await cellAt(page, 0, 0, 1, 1)).click();
    assert.match(await told(), /Head 1, sample 1: query q2, key k2/);
    assert.equal(await (await page.$('#heads .arithmetic > .note')).isVisible(), false);
  });
});

describe('the enlarged map', () => {
  test('is that of the head that was last chosen, with its sums', async (t) => {
    const { page } = await openHeads(t);
    await (await cellAt(page, 1, 3, 0, 0)).click();
    assert.match(await textOf(page, '#heads .close-up .head-title'), /Head 4, sample 2/);
    assert.deepEqual(
      [(await query(page)).get('head'), (await query(page)).get('sample')],
      ['4', '2'],
    );
    const large = await page.$$eval('#heads .close-up .cell', (cells) =>
      cells.map((cell) => Number(cell.dataset.weight)),
    );
    const small = (await readCells(page, 'heads'))
      .filter((cell) => cell.sample === 1 && cell.head === 3)
      .map(({ weight }) => weight);
    assert.deepEqual(large, small);
    const sums = await page.$$eval('#heads .close-up .axis-sum', (all) =>
      all.map((sum) => Number(sum.textContent)),
    );
    assert.deepEqual(sums.slice(0, 4), [1, 1, 1, 1]);
    const columns = sums.slice(4);
    assert.ok(Math.abs(columns.reduce((sum, each) => sum + each) - 4) < 0.05);
  });

  test('is walked by the keyboard, and shows the arithmetic of where one is', async (t) => {
    const { page } = await openHeads(t);
    await page.$eval('#heads .close-up .cell[tabindex="0"]', (cell) => cell.focus());
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    assert.match(label, /^Head 1, query 2, key 3: weight/);
    assert.match(await textOf(page, '#heads .arithmetic caption'), /sample 1: query q2, key k3/);
    assert.equal(await page.evaluate(() => !!document.activeElement.closest('.close-up')), true);
  });
});

describe('the settings of the layer', () => {
  test('causal hides later keys, in cells and in numbers', async (t) => {
    const { page } = await openHeads(t, '?input=patterns');
    await press(page, 'Causal', 'switch');
    for (const { query: at, key, masked, weight } of await readCells(page, 'heads')) {
      assert.equal(masked, key > at);
      if (masked) assert.equal(weight, 0);
    }
    assert.equal((await query(page)).get('causal'), '1');
  });

  test('scale 0 makes all rows even', async (t) => {
    const { page } = await openHeads(t);
    await slide(page, 'Scale factor (× 1/√d)', 'Home');
    for (const { sample, masked, weight } of await readCells(page, 'heads')) {
      if (!masked) assert.equal(weight, Math.fround(sample === 0 ? 1 / 3 : 1 / 2));
    }
  });

  test('dropout takes out the very weights that the layer’s output lacks', async (t) => {
    const { page } = await openHeads(t, '?dropout=0.5&valid=6,6');
    const cells = await page.$$eval('#heads .samples .cell', (all) =>
      all.map(({ dataset, ariaLabel }) => ({
        ...dataset,
        label: ariaLabel,
        isDropped: 'dropped' in dataset,
      })),
    );
    for (const { isDropped, label } of cells) assert.equal(label.endsWith(', dropped'), isDropped);

    const options = { numHiddens: 100, numHeads: 5, seed: 1, dropout: 0.5 };
    const layer = new MultiHeadAttention(options).train();
    const queries = Tensor.randn([2, 4, 100], 2);
    const keys = Tensor.randn([2, 6, 100], 3);
    const { output } = layer.forward(queries, keys, keys);
    const parameters = layer.stateDict();
    layer.dispose();
    const pooled = Array(100).fill(0);
    for (const cell of cells) {
      if (cell.sample !== '1' || cell.query !== '2' || cell.isDropped) continue;
      for (let unit = 20 * cell.head; unit < 20 * cell.head + 20; unit++) {
        let value = 0;
        for (let at = 0; at < 100; at++) {
          value += keys.at(1, Number(cell.key), at) * parameters['W_v.weight'].at(unit, at);
        }
        pooled[unit] += 2 * Number(cell.weight) * value;
      }
    }
    for (let unit = 0; unit < 100; unit++) {
      const expected = pooled.reduce(
        (sum, value, at) => sum + value * parameters['W_o.weight'].at(unit, at),
        0,
      );
      assert.ok(Math.abs(output.at(1, 2, unit) - expected) < 1e-5);
    }
  });

  test('contrast gives each head a scale of its own, and the legend says so', async (t) => {
    const { page } = await openHeads(t);
    const fills = async () => (await readCells(page, 'heads')).map(({ fill }) => fill);
    const before = await fills();
    await press(page, 'Contrast per head', 'switch');
    const after = await fills();
    assert.notDeepEqual(after, before);
    assert.ok(after.includes('rgb(253, 231, 37)'), 'the largest weight is at the end of the scale');
    assert.match(await textOf(page, '#heads .legend'), /Share of the head’s largest weight.*100%/);
    await control(page, 'Contrast per head', 'switch');
  });
});

describe('what stands below a head’s name', () => {
  /** Largest weight and mean entropy of one map, over the queries that see a key. */
  function measuresOf(cells) {
    const seen = cells.filter(({ masked }) => !masked);
    const queries = [...new Set(seen.map((cell) => cell.query))];
    const entropyOf = (row) =>
      row.reduce((sum, { weight }) => sum - (weight > 0 ? weight * Math.log(weight) : 0), 0);
    const entropies = queries.map((at) => entropyOf(seen.filter((cell) => cell.query === at)));
    const mean = entropies.reduce((sum, each) => sum + each, 0) / entropies.length;
    return [Math.max(...cells.map(({ weight }) => weight)), mean];
  }

  for (const address of [
    '?seed=3',
    '?seed=7&valid=6,1&causal=1',
    '?input=patterns&valid=10,4&names=1',
  ]) {
    test(`is of that map alone: ${address}`, async (t) => {
      const { page } = await openHeads(t, address);
      const cells = await readCells(page, 'heads');
      for (const sample of [0, 1]) {
        for (const [head, lines] of (await notes(page, sample)).entries()) {
          const own = cells.filter((cell) => cell.sample === sample && cell.head === head);
          const told = /^max\s([\d.]+), H\s([\d.]+)$/.exec(lines[1]).slice(1).map(Number);
          measuresOf(own).forEach((measure, at) => {
            const where = `sample ${sample + 1}, head ${head + 1}: ${lines[1]}, not ${measure}`;
            assert.ok(Math.abs(told[at] - measure) < 0.0051, where);
          });
        }
      }
    });
  }

  test('names the pattern that the head follows in that sample', async (t) => {
    const words = '?input=text&text=a%20b%20c%20d%0Aa%20a%20a%20a&positions=0&scale=8';
    const { page } = await openHeads(t, words);
    for (const [pattern] of await notes(page, 0)) assert.notEqual(pattern, 'uniform');
    for (const [pattern] of await notes(page, 1)) assert.equal(pattern, 'uniform');
  });

  test('calls a head uniform if no query gives a key a quarter more than an equal share', async (t) => {
    let uniform = 0;
    let all = 0;
    for (const scale of [0.25, 0.5, 0.75]) {
      const { page } = await openHeads(t, `?valid=3,6&scale=${scale}`);
      const cells = await readCells(page, 'heads');
      for (const [sample, keys] of [3, 6].entries()) {
        for (const [head, [pattern]] of (await notes(page, sample)).entries()) {
          const own = cells.filter((cell) => cell.sample === sample && cell.head === head);
          const largest = Math.max(...own.map(({ weight }) => weight));
          assert.equal(pattern === 'uniform', largest * keys < 1.25, `${scale}: ${largest}`);
          uniform += pattern === 'uniform';
          all += 1;
        }
      }
    }
    assert.ok(uniform > 0 && uniform < all, `${uniform} of ${all}`);
  });

  test('says so where there is no key to look at', async (t) => {
    const { page } = await openHeads(t, '?valid=3,0');
    assert.deepEqual(new Set((await notes(page, 1)).flat()), new Set(['no valid key']));
    for (const [, measures] of await notes(page, 0)) assert.match(measures, /^max/);
    await slide(page, 'Valid length of sample 2', 'ArrowRight');
    for (const [, measures] of await notes(page, 1)) assert.match(measures, /^max\s1\.00/);
  });
});
