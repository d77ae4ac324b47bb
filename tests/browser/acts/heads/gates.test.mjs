// Gates and what they do to the output, two heads compared, and the figure of the whole layer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { control, openHeads, press, query, slide, textOf } from '../../lib/heads-act.mjs';
import { readCells } from '../../lib/page-reader.mjs';
import { searchOf } from '../../lib/pages.mjs';

await init();

/** How far each head's gate alone, shut or at what it is given, moves the output of the page's initial input. */
function silences(gates = [0, 0, 0, 0, 0]) {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
  const queries = Tensor.randn([2, 4, 100], 2);
  const keys = Tensor.randn([2, 6, 100], 3);
  const run = (headGate) =>
    layer.forward(queries, keys, keys, { validLens: [3, 2], headGate }).output;
  const whole = run([1, 1, 1, 1, 1]);
  const shares = [0, 1, 2, 3, 4].map((silent) => {
    const gated = run([0, 1, 2, 3, 4].map((head) => (head === silent ? gates[head] : 1)));
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
    const { page } = await openHeads(t);
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

  test('have a bar a head: how far its gate alone moves the output, of how far its removal does', async (t) => {
    const { page } = await openHeads(t, '?gates=1,0.25,0,1,0.9');
    const shares = silences();
    const widths = (name) =>
      page.$$eval(`#heads .gate-bar .${name}`, (all) =>
        all.map((bar) => Number(bar.getAttribute('width'))),
      );
    const [now, without] = [await widths('bar'), await widths('bar-without')];
    const full = Math.max(...without);
    const largest = Math.max(...shares);
    const moved = silences([1, 0.25, 0, 1, 0.9]);
    shares.forEach((share, head) => {
      assert.ok(Math.abs(without[head] / full - share / largest) < 1e-5, `head ${head + 1}`);
      assert.ok(Math.abs(now[head] / full - moved[head] / largest) < 1e-5, `head ${head + 1}`);
    });
    const labels = await page.$$eval('#heads .gate-bar', (all) => all.map((bar) => bar.ariaLabel));
    const told = labels.map((label) => label.match(/[\d.]+(?=\s%)/g).map(Number));
    told.forEach(([atGate, atZero], head) => {
      assert.ok(Math.abs(atGate - 100 * moved[head]) < 0.051, labels[head]);
      assert.ok(Math.abs(atZero - 100 * shares[head]) < 0.051, labels[head]);
    });
  });

  test('stand below the maps of their heads, which are those of the sample', async (t) => {
    const { page } = await openHeads(t, '?sample=2');
    const fills = (selector) =>
      page.$$eval(selector, (all) => all.map((cell) => getComputedStyle(cell).fill));
    const agree = async (row) =>
      assert.deepEqual(
        await fills('#heads .gate-map > rect'),
        await fills(`#heads .sample:nth-child(${row}) .cell`),
      );
    await agree(2);
    await page.$eval('#heads .gate-panel [type="radio"][value="1"]', (radio) => radio.click());
    await agree(1);
    assert.equal(new URLSearchParams(await searchOf(page)).get('sample'), null);
    const places = await page.$$eval('#heads .gate-tile', (tiles) =>
      tiles.map((tile) => {
        const [map, slider, bar] = ['.gate-map', '.slider', '.gate-bar'].map((name) =>
          tile.querySelector(name).getBoundingClientRect(),
        );
        return map.bottom <= slider.top && slider.bottom <= bar.top && map.height > 0;
      }),
    );
    assert.deepEqual(places, Array(5).fill(true));
  });

  test('say that the head which moves the output most is not thereby the one a task needs', async (t) => {
    const { page } = await openHeads(t);
    const shares = silences();
    const head = (share) => shares.indexOf(share) + 1;
    const [most, least] = [Math.max(...shares), Math.min(...shares)];
    const told = (await textOf(page, '#heads .gates-loud')).replaceAll('\u00a0', ' ');
    assert.ok(
      told.includes(
        `Without head ${head(most)} the output changes most (${(100 * most).toFixed(1)} %)`,
      ),
      told,
    );
    assert.ok(
      told.includes(`without head ${head(least)} least (${(100 * least).toFixed(1)} %)`),
      told,
    );
    assert.match(told, /not its importance.*trained for none/s);
    const link = await page.$('#heads .gates-loud a');
    assert.equal(await link.evaluate((each) => each.getAttribute('href')), '#prune');
    await press(page, '1', 'radio');
    assert.equal(
      (await textOf(page, '#heads .gates-loud')).trim(),
      '',
      'one head: nothing to compare',
    );
  });

  test('have a step in the address, and a button that opens them', async (t) => {
    const { page } = await openHeads(t);
    await slide(page, 'Gate of head 2', 'ArrowLeft', 'ArrowLeft');
    assert.equal((await query(page)).get('gates'), '1,0.9,1,1,1');
    await press(page, 'Open all', 'button');
    assert.equal((await query(page)).get('gates'), null);
  });

  test('all closed leave nothing of the output', async (t) => {
    const { page } = await openHeads(t, '?gates=0,0,0,0,0&part=output');
    assert.equal(await shown(page), 100);
    const numbers = await page.$$eval('#heads .numbers td:not([aria-hidden])', (cells) =>
      cells.map((cell) => cell.textContent),
    );
    assert.deepEqual([...new Set(numbers)], ['0']);
  });
});

test('two heads are compared by the difference of their weights', async (t) => {
  const { page } = await openHeads(t, '?head=2');
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
  assert.deepEqual(
    await page.$$eval('#heads .compare-pair .head-title', (all) =>
      all.map((chip) => chip.textContent),
    ),
    ['Head 2', 'Head 5'],
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
    const { page } = await openHeads(t, '?heads=4');
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
    const { page } = await openHeads(t, '?sample=2&head=4&part=weights');
    const numbers = await page.$$eval('#heads .numbers td', (cells) =>
      cells.map((cell) => Number(cell.textContent)),
    );
    const drawn = (await readCells(page, 'heads'))
      .filter((cell) => cell.sample === 1 && cell.head === 3)
      .map(({ weight }) => Number(weight.toFixed(4)));
    assert.deepEqual(numbers, drawn);
  });
});
