// A layer from the inside: nine steps, first of a small layer, then of the model on the reader's sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { fitsAcross } from '../../lib/pages.mjs';
import { near, range, softmax, sum } from '../../../page/lib/float64.mjs';

/** What each step shows large; steps 3 and 4 have keys in its place. */
const enlarged = [
  ['X', 'W_q', 'queries'],
  ['q', 'k', 'v'],
  ...[[], [], ['scores', 'masked'], ['masked', 'weights'], ['weights', 'v', 'pooled']],
  ['pooled', 'concat'],
  ['concat', 'W_o', 'output'],
];

test('inside', async (t) => {
  const act = await openFlows(t, 'inside');
  const { page } = act;
  const step = () => act.first('.inside-steps input:checked', 'value');
  const ofKeys = (name) => act.all('.inside-key', `data-${name}`);
  const isRead = () => act.waitFor('.inside-status[data-state="ready"]');
  const matrices = () => act.all('.inside-matrices:not([hidden]) .inside-matrix', 'data-part');
  /** What is cut off or overlaps: matrices beyond their act, numbers wider than their cells. */
  const tooWide = () =>
    page.$eval('#inside .inside-matrices', (root) => {
      const end = root.getBoundingClientRect().right;
      return [
        ...[...root.querySelectorAll('.inside-cells')].filter(
          (each) => each.getBoundingClientRect().right > end,
        ),
        ...[...root.querySelectorAll('.inside-printed > span')].filter(
          (each) => each.scrollWidth > each.clientWidth,
        ),
      ].map((each) => each.textContent);
    });
  /** The size of a part of the figure, and how many of its numbers are drawn. */
  const painted = (part) =>
    page.$eval(`#inside .inside-box[data-part="${part}"] canvas`, (canvas) => {
      const { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height).getContext('2d', {
        willReadFrequently: true,
      });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      const shown = [...data].filter((value, at) => at % 4 === 3 && value > 0).length;
      return { width, height, shown };
    });

  await t.test('each step shows its numbers, by pointer, keys and address', async () => {
    await act.visit('');
    for (const [at, parts] of enlarged.entries()) {
      if (at > 0) await act.press('Next');
      assert.equal(await step(), at + 1);
      assert.deepEqual(await matrices(), parts);
      const known = await act.all('.inside-box[data-state="known"]', 'data-part');
      for (const part of parts) assert.ok(known.includes(part), part);
      assert.ok((await act.count('.inside-code mark')) > 0);
    }
    assert.deepEqual(await painted('W_o'), { width: 8, height: 8, shown: 64 });
    // A causal mask leaves 15 of 25 cells.
    assert.deepEqual(await painted('weights'), { width: 5, height: 5, shown: 15 });
    await act.click('.inside-box[data-part="weights"]');
    await act.waitForSearch('?inside-step=6');
    await act.keys('.inside-matrix[data-part="weights"] .inside-cells', 'ArrowDown');
    const told = async () =>
      act.first('.inside-matrix[data-part="weights"]', 'data-row', 'data-column', 'data-value');
    const [row, column, weight] = await told();
    assert.deepEqual([row, column], [1, 0]);
    near((await act.numbers('.inside-read-out')).at(-1), weight, 5e-5);
    await act.keys(undefined, 'ArrowRight', 'ArrowRight');
    assert.deepEqual((await told()).slice(0, 2), [1, 2]);
    assert.match(await act.text('.inside-read-out'), /masked$/);
    await page.goBack();
    await act.waitForSearch('?inside-step=9');
    // A prediction moves no control and is judged.
    const tops = () => act.tops('.rail-main :is(button, input)');
    for (const width of [390, 1280]) {
      await page.setViewport({ width, height: 900 });
      await page.reload();
      await act.press('8', 'radio');
      assert.equal(await act.count('.goal[data-reached]'), 0);
      const before = await tops();
      const inGuess = '.inside-guess input[value="9"]';
      await page.$eval(`#inside ${inGuess}`, (input) => input.click());
      await act.waitFor('.goal[data-reached]');
      assert.deepEqual(await tops(), before, `${width} pixels`);
    }
  });

  await t.test('the reader’s sentence is read by the model, in any layer and head', async () => {
    await act.visit('?inside-step=6&text=The+cat+saw+the+cat');
    await act.press('Your sentence', 'radio');
    await isRead();
    const [width] = (await act.numbers('.inside-status')).slice(-1);
    const { width: columns, height: length } = await painted('X');
    assert.equal(columns, width);
    assert.equal((await painted('weights')).shown, (length * (length + 1)) / 2);
    await act.visit('?inside-step=4&inside-input=sentence&text=The+cat+saw+the+cat&inside-head=2');
    await act.waitFor('.inside-key');
    const [scores, weights] = [await ofKeys('score'), await ofKeys('weight')];
    near(weights, softmax(scores), 1e-5);
    assert.equal(scores.length, length, 'the last token sees all');
    await act.visit(
      '?inside-step=4&inside-input=sentence&text=Rain&inside-layer=99&inside-head=99',
    );
    await page.waitForFunction(() => document.querySelectorAll('#inside .inside-key').length < 4);
    const { checked, all } = await page.$eval('#inside .inside-layer', (root) => ({
      checked: root.querySelector('input:checked, option:checked').value,
      all: root.querySelectorAll('input, option').length,
    }));
    assert.ok(Number(checked) <= all, 'the last layer');
    await act.visit('?inside-input=sentence&text=');
    await act.waitFor('.inside-status[data-state="empty"]');
    await act.press('A small layer', 'radio');
    await act.waitFor('.inside-status[data-state="small"]');
    assert.equal((await painted('X')).width, 8);
  });

  await t.test('a score is taken apart and divided, and all of it is for everyone', async () => {
    // The model is loaded by now.
    const small = '?inside-input=small';
    await act.visit(`${small}&inside-step=3&inside-query=4&inside-order=product`);
    const strip = (name) => act.all(`[data-strip="${name}"] > rect`, 'data-value');
    await act.waitFor('[data-strip="q"] > rect');
    const chosen = async () => (await act.all('.inside-key', 'aria-pressed')).indexOf('true');
    const dots = await ofKeys('dot');
    assert.equal(dots.length, 4, 'of a causal layer');
    assert.equal(dots[await chosen()], Math.max(...dots));
    await act.keys('.inside-key[data-key="0"]', 'Enter');
    assert.equal(await act.parameter('inside-key'), '1');
    near(sum(await strip('product')), dots[0], 1e-4);
    near((await act.all('.inside-sum', 'data-after')).at(-1), dots[0], 1e-4);
    await act.visit(`${small}&inside-step=4&inside-query=4`);
    await act.waitFor('.inside-chart[data-done]');
    near(
      await ofKeys('score'),
      dots.map((dot) => dot / 2),
      1e-5,
      '√4',
    );
    await act.press('1');
    near(await ofKeys('weight'), softmax(dots), 1e-5);
    await act.slide('Divide q · k by', 'End');
    await act.waitForValue('.inside-key', 'data-score', dots[0] / 8);
    near(await ofKeys('weight'), softmax(dots.map((dot) => dot / 8)), 1e-5);
    const milliseconds = await page.evaluate(async () => {
      const slider = document.querySelector('#inside .slider');
      const start = performance.now();
      slider.value = 1;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelector('#inside .inside-score').getBoundingClientRect();
      return performance.now() - start;
    });
    assert.ok(milliseconds < 100, `a divisor takes ${milliseconds} ms`);
    await page.setViewport({ width: 1440, height: 900 });
    for (const number of range(9)) {
      await act.visit(`${small}&inside-step=${number + 1}`);
      await act.fitsScreen();
      assert.deepEqual(await tooWide(), []);
      if ([1, 3, 4, 6].includes(number + 1)) await act.isForEveryone();
    }
    await page.setViewport({ width: 390, height: 844 });
    for (const address of [
      ...[1, 4, 9].map((each) => `${small}&inside-step=${each}`),
      '?inside-step=7&inside-input=sentence',
    ]) {
      await act.visit(address);
      if (!address.startsWith(small)) await isRead();
      await fitsAcross(page);
      assert.deepEqual(await tooWide(), [], address);
    }
  });
});
