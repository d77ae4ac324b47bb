// The chapter's figure in Chromium: nine steps, each with numbers that a test can compute from the input and the
// parameters that are drawn.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofColours, violations } from '../../lib/axe.mjs';
import { fitsAcross, open, prefer, waitForSearch } from '../../lib/pages.mjs';

const figure = '#figure .steps-figure';
const openFigure = async (t, query = '', options = {}) => {
  const opened = await open(t, `${query}#figure`, options);
  await opened.page.waitForSelector(figure);
  return opened;
};
const textOf = (page, selector) => page.$eval(`#figure ${selector}`, (found) => found.textContent);
const control = (page, name) => page.waitForSelector(`#figure ::-p-aria([name="${name}"])`);
const press = async (page, name) => (await control(page, name)).click();

/** The numbers of each box as rows; a box of a later step has none. */
const boxesOf = async (page) => {
  const boxes = await page.$$eval(`${figure} .figure-box`, (boxes) =>
    Object.fromEntries(
      boxes.map((box) => {
        const rows = [];
        for (const { dataset } of box.querySelectorAll('[data-value]')) {
          (rows[Number(dataset.row)] ??= [])[Number(dataset.column)] = dataset.value;
        }
        return [box.dataset.part, rows];
      }),
    ),
  );
  // As text, since −∞ would come as null.
  const numbersOf = (rows) => rows.map((row) => row.map(Number));
  return Object.fromEntries(Object.entries(boxes).map(([part, rows]) => [part, numbersOf(rows)]));
};

const transposed = (rows) => rows[0].map((_value, column) => rows.map((row) => row[column]));
const times = (a, b) =>
  a.map((row) =>
    transposed(b).map((column) => row.reduce((sum, value, at) => sum + value * column[at], 0)),
  );
const softmax = (row) => {
  const exponents = row.map((value) => Math.exp(value - Math.max(...row)));
  const total = exponents.reduce((sum, value) => sum + value);
  return exponents.map((value) => value / total);
};

/** All steps in float64 from what they begin with; what a head has of its own, for `head`, counted from 0. */
function computed({ X, W_q, W_k, W_v, W_o }, heads, head, isMasked) {
  const size = X[0].length / heads;
  const [queries, keys, values] = [W_q, W_k, W_v].map((weight) => times(X, transposed(weight)));
  const ofHead = (rows, at) => rows.map((row) => row.slice(at * size, (at + 1) * size));
  const pass = (at) => {
    const [q, k, v] = [queries, keys, values].map((rows) => ofHead(rows, at));
    const scores = times(q, transposed(k));
    const scaled = scores.map((row) => row.map((value) => value / Math.sqrt(size)));
    const masked = scaled.map((row, query) =>
      row.map((value, key) => (isMasked(query, key) ? -Infinity : value)),
    );
    const weights = masked.map(softmax);
    return { q, k, v, scores, scaled, masked, weights, pooled: times(weights, v) };
  };
  const all = Array.from({ length: heads }, (_none, at) => pass(at));
  const concat = X.map((_row, query) => all.flatMap(({ pooled }) => pooled[query]));
  const output = times(concat, transposed(W_o));
  return { queries, keys, values, ...all[head], concat, output };
}

const near = (rows, expected, what) => {
  assert.deepEqual([rows.length, rows[0]?.length], [expected.length, expected[0].length], what);
  rows.flat().forEach((value, at) => {
    const wanted = expected.flat()[at];
    const isNear = value === wanted || Math.abs(value - wanted) < 1e-5 * (1 + Math.abs(wanted));
    assert.ok(isNear, `${what} ${at}: ${value} and not ${wanted}`);
  });
};

/** What each step adds. */
const added = [
  ['queries', 'keys', 'values'],
  ['q', 'k', 'v'],
  ['scores'],
  ['scaled'],
  ['masked'],
  ['weights'],
  ['pooled'],
  ['concat'],
  ['output'],
];
const names = [
  'Project',
  'Split',
  'Score',
  'Scale',
  'Mask',
  'Softmax',
  'Pool',
  'Concatenate',
  'W_o',
];

describe('the numbers of every step', () => {
  for (const [query, heads, head, isMasked] of [
    ['', 3, 0, (_query, key) => key >= 3],
    ['?figure-heads=4&figure-head=2&figure-mask=causal&figure-seed=7', 4, 1, (at, key) => key > at],
    ['?figure-heads=2&figure-head=2&figure-mask=none', 2, 1, () => false],
  ]) {
    test(`are those that follow from the ones before, with ${heads} heads${query}`, async (t) => {
      const { page } = await openFigure(t, query);
      let known = ['X', 'W_q', 'W_k', 'W_v', 'W_o'];
      for (const [at, parts] of added.entries()) {
        if (at > 0) await press(page, 'Next');
        known = [...known, ...parts];
        const boxes = await boxesOf(page);
        const drawn = Object.keys(boxes).filter((part) => boxes[part].length > 0);
        assert.deepEqual(drawn.sort(), [...known].sort(), `step ${at + 1}`);
        const expected = computed(boxes, heads, head, isMasked);
        for (const part of parts) near(boxes[part], expected[part], part);
        assert.equal(await textOf(page, 'h3'), `Step ${at + 1} of 9: ${names[at]}`);
      }
      assert.match(await textOf(page, '.goal-progress'), /^Reached\. The last one, W_o/);
    });
  }
});

test('a step has its line of the chapter’s code, and shapes with their axes', async (t) => {
  const { page } = await openFigure(t);
  const linesOf = () =>
    page.$$eval('#figure .figure-code-line', (all) => all.map((e) => e.textContent));
  const marked = () => page.$$eval('#figure pre mark', (all) => all.map((e) => e.textContent));
  const shapes = () => page.$$eval('#figure .figure-shape', (all) => all.map((e) => e.textContent));
  assert.equal((await linesOf())[0], 'queries = self.transpose_qkv(self.W_q(queries))');
  assert.deepEqual(await marked(), ['self.W_q(queries)', 'self.W_k(keys)', 'self.W_v(values)']);
  await press(page, '3 Score');
  assert.deepEqual(await linesOf(), [
    'scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)',
  ]);
  assert.deepEqual(await shapes(), ['(3, 5, 4)', '(3, 4, 5)', '(3, 5, 5)']);
  await press(page, '9 W_o');
  assert.deepEqual(await shapes(), ['(1, 5, 12)', '(1, 5, 12)']);
  assert.match(await textOf(page, '.figure-axes'), /\(batch_size, no\. of queries, num_hiddens\)/);
});

test('the figure, a step’s sentence, its code and shapes are on one screen', async (t) => {
  const { page } = await openFigure(t, '', { width: 1440 });
  for (let step = 1; step <= 9; step++) {
    await page.waitForFunction(
      (number) => document.querySelector('#figure h3').textContent.startsWith(`Step ${number} `),
      {},
      step,
    );
    const { height, room } = await page.$eval('#figure .act-stage', (stage) => ({
      height:
        Math.max(
          ...['code', 'shapes'].map(
            (part) => stage.querySelector(`.figure-${part}`).getBoundingClientRect().bottom,
          ),
        ) - stage.getBoundingClientRect().top,
      room: innerHeight - document.querySelector('.navigation').getBoundingClientRect().height,
    }));
    assert.ok(height > 500 && height <= room, `step ${step}: ${height} in ${room}`);
    if (step < 9) await press(page, 'Next');
  }
});

test('the goal that was reached fits into the rail, beside which Next has an end and Previous has none', async (t) => {
  const { page } = await openFigure(t, '?figure-step=9', { width: 1440 });
  await page.waitForSelector('#figure .goal[data-reached]');
  const hidden = await page.$eval('#figure .rail', (rail) => rail.scrollHeight - rail.clientHeight);
  assert.equal(hidden, 0);
  const looks = await page.$$eval('#figure .figure-go:has(~ .figure-steps) button', (buttons) =>
    buttons.map((button) => {
      const { color, backgroundColor } = getComputedStyle(button);
      const { color: ink } = getComputedStyle(document.body);
      return { off: button.ariaDisabled, inked: color === ink, ground: backgroundColor };
    }),
  );
  assert.deepEqual(
    looks.map(({ off, inked }) => ({ off, inked })),
    [
      { off: null, inked: true },
      { off: 'true', inked: false },
    ],
  );
  assert.equal(looks[1].ground, 'rgba(0, 0, 0, 0)');
});

describe('steps are chosen', () => {
  test('by pointer, keyboard and address, with the way back', async (t) => {
    const { page } = await openFigure(t, '?figure-step=4');
    assert.equal(await textOf(page, 'h3'), 'Step 4 of 9: Scale');
    await page.focus('#figure .figure-steps input:checked');
    await page.keyboard.press('ArrowRight');
    await waitForSearch(page, '?figure-step=5');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await waitForSearch(page, '?figure-step=3');
    assert.equal(await textOf(page, 'h3'), 'Step 3 of 9: Score');
    const box = await control(page, 'attention weights of head 1, computed in step 6: go there');
    await box.evaluate((found) => found.focus());
    await page.keyboard.press('Enter');
    await waitForSearch(page, '?figure-step=6');
    await press(page, 'Previous');
    await waitForSearch(page, '?figure-step=5');
    await page.goBack();
    await page.waitForFunction(() =>
      document.querySelector('#figure h3').textContent.includes('6 of 9'),
    );
  });

  test('and end at the first and the last', async (t) => {
    const { page } = await openFigure(t);
    await press(page, 'Previous');
    assert.equal(await textOf(page, 'h3'), 'Step 1 of 9: Project');
    await press(page, '9 W_o');
    await press(page, 'Next');
    assert.equal(await textOf(page, 'h3'), 'Step 9 of 9: W_o');
  });
});

test('a head is brought to the front, with its own numbers', async (t) => {
  const { page } = await openFigure(t, '?figure-step=7');
  const before = await boxesOf(page);
  await press(page, 'Head 3: bring to the front');
  await waitForSearch(page, '?figure-step=7&figure-head=3');
  const after = await boxesOf(page);
  near(after.pooled, computed(after, 3, 2, (_query, key) => key >= 3).pooled, 'pooled');
  assert.notDeepEqual(after.weights, before.weights);
  assert.deepEqual(after.queries, before.queries);
  const frontOf = () => page.$eval(`${figure} [data-depth="0"]`, ({ dataset }) => dataset.head);
  assert.equal(await frontOf(), '2');
  // With two heads there is no third one.
  await page.goto(new URL('?figure-step=7&figure-head=3&figure-heads=2#figure', page.url()).href);
  await page.waitForSelector(figure);
  assert.equal((await page.$$(`${figure} .figure-tab`)).length, 2);
  assert.equal(await frontOf(), '1');
});

test('numbers are told under the pointer and by the arrow keys', async (t) => {
  const { page } = await openFigure(t, '?figure-step=6');
  const { weights } = await boxesOf(page);
  const told = (query, key) =>
    `attention weights of head 1, query ${query}, key ${key}: ${weights[query - 1][key - 1].toFixed(4)}`;
  const cell = await page.$(`${figure} [data-part="weights"] [data-row="2"][data-column="1"]`);
  await cell.hover();
  assert.equal(await textOf(page, '.read-out'), told(3, 2));
  await page.mouse.move(0, 0);
  await page.$eval(`${figure} [data-part="weights"]`, (box) => box.focus());
  await page.keyboard.press('ArrowUp');
  assert.equal(await textOf(page, '.read-out'), told(2, 2));
  for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowRight');
  assert.match(await textOf(page, '.read-out'), /query 2, key 5: 0(?:\.0+)?, masked$/);
  await page.$eval(`${figure} [data-part="pooled"]`, (box) => box.focus());
  await page.keyboard.press('ArrowRight');
  assert.match(await textOf(page, '.read-out'), /^Point at a number/, 'step 7 has not come yet');
});

describe('in every dress', () => {
  for (const scheme of ['light', 'dark']) {
    test(`axe-core finds no violation in any step, ${scheme}`, async (t) => {
      const { page } = await openFigure(t, '', { media: { scheme } });
      for (const name of names.keys()) {
        if (name > 0) await press(page, 'Next');
        assert.deepEqual(await violations(page, { scope: '#figure' }), [], `step ${name + 1}`);
      }
      await prefer(page, { scheme: scheme === 'light' ? 'dark' : 'light' });
      assert.deepEqual(await violations(page, { scope: '#figure', ...ofColours }), []);
    });
  }

  test('it fits a phone: a step’s sentence, the figure, then its numbers', async (t) => {
    const { page } = await openFigure(t, '?figure-heads=4', { width: 390 });
    for (const name of names) {
      await fitsAcross(page, name);
      const [sentence, drawing, numbers] = await page.evaluate(() =>
        ['.figure-sentence', '.steps-figure', '.figure-numbers'].map(
          (each) => document.querySelector(`#figure ${each}`).getBoundingClientRect().top,
        ),
      );
      assert.ok(sentence < drawing && drawing < numbers, name);
      const cut = await page.$$eval('#figure .figure-table:has([data-part="weights"])', (all) =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
      );
      assert.deepEqual(cut, [], `${name}: every weight is seen`);
      await press(page, 'Next');
    }
  });

  for (const width of [1280, 390]) {
    test(`no name covers an arrow, ${width} pixels wide`, async (t) => {
      const { page } = await openFigure(t, '?figure-step=9', { width });
      const covered = await page.evaluate(() => {
        const found = (selector) =>
          [...document.querySelectorAll(`#figure .steps-figure ${selector}`)].map((each) => ({
            name: each.textContent,
            ...each.getBoundingClientRect().toJSON(),
          }));
        const meet = (a, b) =>
          a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const arrows = found('.figure-arrow');
        return {
          arrows: arrows.length,
          names: found('.figure-name').filter((name) => arrows.some((arrow) => meet(name, arrow))),
        };
      });
      assert.ok(covered.arrows > 16);
      assert.deepEqual(
        covered.names.map(({ name }) => name),
        [],
      );
    });
  }
});
