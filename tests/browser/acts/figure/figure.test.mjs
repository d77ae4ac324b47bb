// The chapter's figure: nine steps, whose numbers follow from the input and the parameters that are drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { fitsAcross } from '../../lib/pages.mjs';
import { attention, near } from '../../../page/lib/float64.mjs';

/** What each step adds. */
const added = [
  ['queries', 'keys', 'values'],
  ['q', 'k', 'v'],
  ...[['scores'], ['scaled'], ['masked'], ['weights'], ['pooled'], ['concat'], ['output']],
];
const marks = [
  ['self.W_q(queries)', 'self.W_k(keys)', 'self.W_v(values)'],
  ...[undefined, ['torch.bmm(queries, keys.transpose(1, 2))'], ['/ math.sqrt(d)']],
  ...[undefined, undefined, undefined, undefined, ['self.W_o(output_concat)']],
];

test('the figure', async (t) => {
  const act = await openFlows(t, 'figure');
  const { page } = act;
  const figure = '.steps-figure';
  const step = () => act.first('.figure-steps input:checked', 'value');
  /** The numbers of each box as rows; a box of a later step has none. */
  const boxesOf = async () => {
    const boxes = {};
    for (const part of await act.all(`${figure} .figure-box`, 'data-part')) boxes[part] = [];
    // As text, since −∞ would come as null.
    const cells = await act.each(`${figure} .figure-box [data-value]`, (cell) => ({
      ...cell.dataset,
      part: cell.closest('.figure-box').dataset.part,
    }));
    for (const { part, row, column, value } of cells)
      (boxes[part][row] ??= [])[column] = Number(value);
    return boxes;
  };
  const computed = ({ X, W_q, W_k, W_v, W_o }, numHeads, head, isMasked) => {
    const scale = 1 / Math.sqrt(X[0].length / numHeads);
    const W = { q: W_q, k: W_k, v: W_v, o: W_o };
    const { heads, ...all } = attention({ X, W, numHeads, scale, isMasked });
    return { ...heads[head], ...all };
  };

  await t.test('every step adds the numbers that follow from the ones before', async () => {
    for (const [query, heads, head, isMasked] of [
      ['', 3, 0, (_query, key) => key >= 3],
      [
        '?figure-heads=4&figure-head=2&figure-mask=causal&figure-seed=7',
        4,
        1,
        (at, key) => key > at,
      ],
      ['?figure-heads=2&figure-head=2&figure-mask=none', 2, 1, () => false],
    ]) {
      await act.visit(query);
      const known = ['X', 'W_q', 'W_k', 'W_v', 'W_o'];
      for (const [at, parts] of added.entries()) {
        if (at > 0) await act.press('Next');
        known.push(...parts);
        const boxes = await boxesOf();
        const drawn = Object.keys(boxes).filter((part) => boxes[part].length > 0);
        assert.deepEqual(drawn.sort(), known.toSorted(), `step ${at + 1}`);
        const expected = computed(boxes, heads, head, isMasked);
        for (const part of parts) near(boxes[part], expected[part], 1e-5, part);
        assert.equal(await step(), at + 1);
        if (marks[at]) assert.deepEqual(await act.texts('pre mark'), marks[at]);
      }
      await act.waitFor('.goal[data-reached]');
    }
    assert.deepEqual(await act.texts('.figure-shape'), ['(1, 5, 12)', '(1, 5, 12)']);
    await act.visit('?figure-step=3&figure-heads=3');
    assert.deepEqual(await act.texts('.figure-shape'), ['(3, 5, 4)', '(3, 4, 5)', '(3, 5, 5)']);
  });

  await t.test(
    'steps and heads are chosen by pointer, keys and address, with the way back',
    async () => {
      await act.visit('');
      await act.press('Previous');
      assert.equal(await step(), 1);
      await act.keys('.figure-steps input:checked', 'ArrowRight', 'ArrowRight');
      await act.waitForSearch('?figure-step=3');
      await act.keys(`${figure} [data-part="weights"]`, 'Enter');
      await act.waitForSearch('?figure-step=6');
      await page.goBack();
      await act.waitForSearch('?figure-step=3');
      assert.equal(await step(), 3);
      await act.visit('?figure-step=7');
      const before = await boxesOf();
      await act.press('Head 3: bring to the front');
      await act.waitForSearch('?figure-step=7&figure-head=3');
      const after = await boxesOf();
      near(after.pooled, computed(after, 3, 2, (_query, key) => key >= 3).pooled, 1e-5);
      assert.notDeepEqual(after.weights, before.weights);
      assert.deepEqual(after.queries, before.queries);
      const front = () => act.first(`${figure} [data-depth="0"]`, 'data-head');
      assert.equal(await front(), 2);
      await act.visit('?figure-step=9&figure-head=3&figure-heads=2');
      assert.deepEqual([await act.count(`${figure} .figure-tab`), await front()], [2, 1]);
      const ends = await act.all('.figure-go:has(~ .figure-steps) button', 'aria-disabled');
      assert.deepEqual(ends, [null, 'true']);
      await act.press('Next');
      assert.equal(await step(), 9);
    },
  );

  await t.test('numbers are told under the pointer and by the arrow keys', async () => {
    await act.visit('?figure-step=6');
    const { weights } = await boxesOf();
    const told = async (query, key) => {
      const numbers = await act.numbers('.read-out');
      assert.deepEqual(numbers.slice(0, 3), [1, query, key]);
      near(numbers[3], weights[query - 1][key - 1], 5e-5);
    };
    await act.hover(`${figure} [data-part="weights"] [data-row="2"][data-column="1"]`);
    await told(3, 2);
    await page.mouse.move(0, 0);
    await act.keys(`${figure} [data-part="weights"]`, 'ArrowUp');
    await told(2, 2);
    await act.keys(undefined, ...Array(9).fill('ArrowRight'));
    await told(2, 5);
    assert.match(await act.text('.read-out'), /masked$/);
    await act.keys(`${figure} [data-part="pooled"]`, 'ArrowRight');
    assert.deepEqual(await act.numbers('.read-out'), [], 'step 7 has not come yet');
  });

  await t.test('it is for everyone, on a screen and on a phone', async () => {
    /** Names that lie over an arrow. */
    const covering = () =>
      page.$eval(`#figure ${figure}`, (root) => {
        const found = (selector) =>
          [...root.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
        const arrows = found('.figure-arrow');
        const meet = (a, b) =>
          a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const names = found('.figure-name').filter((name) =>
          arrows.some((each) => meet(name, each)),
        );
        return { names: names.length, hasArrows: arrows.length > 16 };
      });
    await page.setViewport({ width: 1440, height: 900 });
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      await act.visit(`?figure-step=${number}`);
      await act.fitsScreen();
      if (number === 5) await act.isForEveryone();
    }
    assert.deepEqual(await covering(), { names: 0, hasArrows: true });
    await page.setViewport({ width: 390, height: 844 });
    for (const number of [3, 9]) {
      await act.visit(`?figure-heads=4&figure-step=${number}`);
      await fitsAcross(page);
    }
    assert.deepEqual(await covering(), { names: 0, hasArrows: true });
    await act.visit('?figure-heads=4&figure-step=6');
    const cut = await act.each(
      '.figure-table:has([data-part="weights"])',
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    assert.ok(!cut.includes(true), 'every weight is seen');
  });
});
