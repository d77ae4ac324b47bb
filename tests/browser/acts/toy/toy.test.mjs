// The toy example: what a reader predicts, what all three causes come to, and training.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { assertDrawnAsWeighed, readCells } from '../../lib/page-reader.mjs';
import { prefer } from '../../lib/pages.mjs';
import { near, range } from '../../../page/lib/float64.mjs';

test('the toy example', async (t) => {
  const act = await openFlows(t, 'toy');
  const { page } = act;
  const cellsOf = async () => {
    const cells = await readCells(page, 'toy');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    assertDrawnAsWeighed(cells, [3, 2]);
    return cells.map(({ weight }) => weight);
  };
  const even = [1 / 3, 1 / 2, 0].map(Math.fround);
  const assertEven = async () => assert.deepEqual(new Set(await cellsOf()), new Set(even));
  const experiments = () =>
    act.all('.experiment', 'data-cause', 'data-difference', 'data-guess', 'data-over');

  await t.test('a prediction comes first, and all three causes are tried', async () => {
    await assertEven();
    assert.equal(await act.text('.flow-output .flow-value'), '(2, 4, 100)');
    const seen = () => Promise.all(['.question', '.controls', '.reason'].map(act.isSeen));
    assert.deepEqual(await seen(), [true, false, false]);
    const told = [];
    for (const [name, guess, verdict] of [
      ['New parameters', 'parameters', 'wrong'],
      ['Different keys', 'keys', 'right'],
      ['Training', 'training', 'wrong'],
    ]) {
      await act.press(name);
      await act.waitFor('.experiments-verdict:not(:empty)');
      await act.waitForSearch(`?toy-guess=${guess}`);
      const found = await experiments();
      assert.deepEqual(
        found.map(([cause, , isGuess, isOver]) => [cause, isGuess, isOver]),
        ['parameters', 'keys', 'training'].map((cause) => [cause, cause === guess ? '' : null, '']),
      );
      told.push(found.map(([, difference]) => difference));
      assert.match(
        await act.text('.experiments-verdict strong'),
        new RegExp(`${name}.*${verdict}`),
      );
      const maps = await act.each(
        '.experiment-maps',
        ({ children }) => new Set(Array.from(children, (map) => map.innerHTML)).size,
      );
      assert.deepEqual(maps, [1, 5, 1]);
      await assertEven();
      assert.deepEqual(await seen(), [false, true, true]);
      await act.press('Reset');
      await act.waitForSearch('');
      assert.deepEqual(await seen(), [true, false, false]);
    }
    await act.press('Skip the question');
    await act.waitForSearch('?toy-guess=skipped');
    assert.equal(await page.evaluate(() => document.activeElement.value), 'ones');
    assert.equal(await act.isSeen('.experiments'), false);
    assert.match(await act.text('.reason'), /1\/3.*1\/2/);
    await act.visit('?toy-guess=skipped&toy-input=random');
    const random = await cellsOf();
    /** The largest difference between two heads' weights of one cell. */
    const difference = Math.max(
      ...range(48).map((at) => {
        const first = Math.floor(at / 24) * 120 + (at % 24);
        const heads = range(5).map((head) => random[first + 24 * head]);
        return Math.max(...heads) - Math.min(...heads);
      }),
    );
    assert.ok(difference > 0.1);
    for (const each of told) near(each, [0, difference, 0], 1e-5);
  });

  await t.test('the causes play one after the other, and are skipped', async () => {
    await act.visit('');
    await prefer(page, { motion: 'no-preference' });
    await act.press('Training');
    await act.waitFor('.experiment[data-running]');
    const over = () => act.count('.experiment[data-over]');
    assert.equal(await over(), 0);
    await act.waitFor('.experiment[data-cause="parameters"][data-over]');
    for (let round = 0; round < 2; round++) {
      // The button has the focus: it skips, and then plays again.
      await act.keys(undefined, 'Enter');
      await act.waitFor('.experiments-verdict:not(:empty)');
      assert.equal(await over(), 3);
      if (round === 1) continue;
      await act.keys(undefined, 'Enter');
      await act.waitFor('.experiment[data-running]');
    }
    await prefer(page);
    await act.isForEveryone();
  });

  await t.test(
    'training makes random heads sharp, leaves ones as they are, and goes back',
    async () => {
      await act.visit('?toy-input=random');
      await act.waitFor('.goal[data-reached]');
      const steps = [];
      for (const keys of [
        [],
        ['ArrowRight', 'ArrowRight'],
        ['ArrowRight'],
        ['ArrowLeft'],
        ['Home'],
        ['End'],
      ]) {
        await act.slide('Training steps', ...keys);
        steps.push(await cellsOf());
      }
      const [untrained, two, three, back, home, trained] = steps;
      assert.deepEqual([back, home], [two, untrained]);
      assert.notDeepEqual(two, untrained);
      assert.notDeepEqual(three, two);
      assert.notDeepEqual(trained, untrained);
      const [first, now] = await act.first('[data-loss]', 'data-first-loss', 'data-loss');
      assert.ok(now < first / 20, `${first} to ${now}`);
      await act.press('Ones', 'radio');
      await act.waitForSearch('?toy-steps=50');
      await assertEven();
    },
  );
});
