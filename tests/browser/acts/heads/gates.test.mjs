// Gates and what they do to the output, two heads compared, and the figure of the whole layer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { control, press, query, slide, textOf } from '../../lib/heads-act.mjs';
import { open } from '../../lib/pages.mjs';
import { readCells } from '../../lib/page-reader.mjs';

const isDrawn = { until: '#heads .map' };

await init();

/** How far each head's silence moves the output of the page's initial input, and which most. */
function silences() {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
  const queries = Tensor.randn([2, 4, 100], 2);
  const keys = Tensor.randn([2, 6, 100], 3);
  const run = (headGate) =>
    layer.forward(queries, keys, keys, { validLens: [3, 2], headGate }).output;
  const whole = run([1, 1, 1, 1, 1]);
  const shares = [0, 1, 2, 3, 4].map((silent) => {
    const gated = run([0, 1, 2, 3, 4].map((head) => (head === silent ? 0 : 1)));
    const moved = whole.data.map((value, at) => gated.data[at] - value);
    return Math.hypot(...moved) / Math.hypot(...whole.data);
  });
  layer.dispose();
  return shares;
}
const shown = async (page) =>
  Number((await textOf(page, '#heads .gates-moved')).match(/([\d.]+)\s%/)?.[1]);

describe('gates', () => {
  test('move the output as far as the package says, and leave the weights', async (t) => {
    const { page } = await open(t, '', isDrawn);
    const weights = (await readCells(page, 'heads')).map(({ weight }) => weight);
    const shares = silences();
    for (const head of [0, 3]) {
      await slide(page, `Gate of head ${head + 1}`, 'Home');
      assert.ok(Math.abs((await shown(page)) - 100 * shares[head]) < 0.06);
      await slide(page, `Gate of head ${head + 1}`, 'End');
    }
    assert.match(await textOf(page, '#heads .gates-moved'), /All gates are open/);
    assert.deepEqual(
      (await readCells(page, 'heads')).map(({ weight }) => weight),
      weights,
    );
  });

  test('have bars a query, a step in the address, and a button that opens them', async (t) => {
    const { page } = await open(t, '', isDrawn);
    await slide(page, 'Gate of head 2', 'ArrowLeft', 'ArrowLeft');
    assert.equal((await query(page)).get('gates'), '1,0.9,1,1,1');
    assert.equal((await page.$$('#heads .gate-bars .bar')).length, 8);
    const widths = await page.$$eval('#heads .gate-bars .bar', (bars) =>
      bars.map((bar) => Number(bar.getAttribute('width'))),
    );
    assert.ok(widths.every((width) => width > 0));
    assert.match(
      await page.$eval('#heads .gate-bars', (bars) => bars.getAttribute('aria-label')),
      /Sample 2, q4: [\d.]+/,
    );
    await press(page, 'Open all', 'button');
    assert.equal((await query(page)).get('gates'), null);
  });

  test('all closed leave nothing of the output', async (t) => {
    const { page } = await open(t, '?gates=0,0,0,0,0&part=output', isDrawn);
    assert.equal(await shown(page), 100);
    const numbers = await page.$$eval('#heads .numbers td:not([aria-hidden])', (cells) =>
      cells.map((cell) => cell.textContent),
    );
    assert.deepEqual([...new Set(numbers)], ['0']);
  });

  test('lead to the goal, which says so', async (t) => {
    const { page } = await open(t, '', isDrawn);
    const shares = silences();
    const best = shares.indexOf(Math.max(...shares));
    const other = (best + 1) % 5;
    await slide(page, `Gate of head ${other + 1}`, 'Home');
    assert.match(await textOf(page, '#heads .goal-progress'), /Does another head matter more\?/);
    await slide(page, `Gate of head ${best + 1}`, 'Home');
    assert.equal(await textOf(page, '#heads .goal-progress'), '', 'two gates are closed');
    await slide(page, `Gate of head ${other + 1}`, 'End');
    assert.match(
      await textOf(page, '#heads .goal-progress'),
      new RegExp(`^Reached\\. Without head ${best + 1} `),
    );
    await press(page, 'Open all', 'button');
    assert.match(await textOf(page, '#heads .goal-progress'), /^Reached/, 'and it stays so');
  });
});

test('two heads are compared by the difference of their weights', async (t) => {
  const { page } = await open(t, '?head=2', isDrawn);
  await (await control(page, 'Head to compare with', 'combobox')).select('5');
  assert.equal((await query(page)).get('compare'), '5');
  const cells = await readCells(page, 'heads');
  const at = (head, cell) =>
    cells.find(
      (each) =>
        each.sample === 0 &&
        each.head === head &&
        each.query === cell.query &&
        each.key === cell.key,
    ).weight;
  const drawn = await page.$$eval('#heads .compare .cell', (all) =>
    all.map(({ dataset }) => ({
      query: Number(dataset.query),
      key: Number(dataset.key),
      weight: Number(dataset.weight),
    })),
  );
  assert.equal(drawn.length, 24);
  for (const cell of drawn) assert.equal(cell.weight, at(1, cell) - at(4, cell));
  assert.match(
    await textOf(page, '#heads .compare'),
    /orange: head 2 has the larger weight; violet: head 5/,
  );
  const [sharpest] = drawn.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const fill = await page.$eval(
    `#heads .compare .cell[data-query="${sharpest.query}"][data-key="${sharpest.key}"]`,
    (cell) => getComputedStyle(cell).fill,
  );
  assert.equal(fill, sharpest.weight > 0 ? 'rgb(127, 59, 8)' : 'rgb(45, 0, 75)');
});

describe('the figure of the layer', () => {
  test('has the shapes that tensors really have, and shows the numbers of a part', async (t) => {
    const { page } = await open(t, '?heads=4', isDrawn);
    const shapes = {
      queries: '(2, 4, 100)',
      keys: '(2, 6, 100)',
      Wq: '(100, 100)',
      'k of the head': '(2, 4, 6, 25)',
      'weights × v': '(2, 4, 4, 25)',
      Concatenate: '(2, 4, 100)',
      output: '(2, 4, 100)',
    };
    for (const [part, shape] of Object.entries(shapes)) {
      await press(page, `${part}, ${shape}: show numbers`, 'button');
      assert.match(
        await textOf(page, '#heads .numbers'),
        new RegExp(`^\\s*Numbers of ${part.replace('Wq', 'W_q')} \\(`),
      );
      assert.equal(await textOf(page, '#heads .numbers-shape'), shape);
    }
    const X = Tensor.randn([2, 4, 100], 2);
    await press(page, 'queries, (2, 4, 100): show numbers', 'button');
    const first = await textOf(page, '#heads .numbers td');
    assert.equal(first.replace('−', '-'), X.at(0, 0, 0).toFixed(4));
    assert.match(await textOf(page, '#heads .numbers'), /first 4 rows and 8 columns of \(4, 100\)/);
  });

  test('shows the numbers of the selected sample and head', async (t) => {
    const { page } = await open(t, '?sample=2&head=4&part=weights', isDrawn);
    const numbers = await page.$$eval('#heads .numbers td', (cells) =>
      cells.map((cell) => Number(cell.textContent)),
    );
    const drawn = (await readCells(page, 'heads'))
      .filter((cell) => cell.sample === 1 && cell.head === 3)
      .map(({ weight }) => Number(weight.toFixed(4)));
    assert.deepEqual(numbers, drawn);
  });
});
