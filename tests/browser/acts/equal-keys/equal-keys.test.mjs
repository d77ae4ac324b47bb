// Equal keys: predictions, maps with their arithmetic, and the reader's own numbers. tests/page has the numbers, and
// what numbers and files are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { expectedWeights } from '../../lib/expected-weights.mjs';
import { openFlows } from '../../lib/flows.mjs';
import { contrastWithin } from '../../lib/page-reader.mjs';
import { prefer } from '../../lib/pages.mjs';
import { near, range, sum } from '../../../page/lib/float64.mjs';

/** Readers of the act's maps. */
const readersOf = (act) => ({
  weights: () => act.all('.key-cell', 'data-weight'),
  /** Cells per map, and maps. */
  sizes: async () => {
    const maps = await act.count('.key-map');
    return [(await act.count('.key-cell')) / maps, maps].join();
  },
  difference: () => act.first('[data-difference]', 'data-difference'),
});

test('equal keys: predictions', async (t) => {
  const act = await openFlows(t, 'equal-keys');
  const { page } = act;
  const { weights, difference } = readersOf(act);
  const card = () => act.first('.predict', 'data-question', 'data-reached');
  const pressed = () => act.all('.predict-options [aria-pressed="true"]', 'data-option');
  /** Where the controls and the maps are. */
  const places = () =>
    act.each('.rail-pinned, .keys-settings, .key-tiles', (each) =>
      Math.round(each.getBoundingClientRect().top + scrollY),
    );
  const even = async () => new Set(await weights());

  await t.test(
    'only different keys make heads differ, and nothing moves when it is seen',
    async () => {
      for (const width of [1440, 1024, 390]) {
        await page.setViewport({ width, height: 900 });
        await act.visit('');
        // What was tried is forgotten.
        await page.reload();
        await act.waitFor('.key-tile');
        assert.deepEqual(await even(), new Set([Math.fround(1 / 3), 0]));
        const before = await places();
        await act.click('[data-option="training"]');
        assert.deepEqual([await pressed(), await card()], [['training'], ['keys', null]]);
        await act.write('.seed-input', '7');
        await act.write('.seed-input', '1');
        await act.slide('Training steps', 'ArrowRight', 'ArrowRight');
        assert.deepEqual(
          [await even(), await card()],
          [new Set([Math.fround(1 / 3), 0]), ['keys', null]],
        );
        await act.slide('Training steps', 'Home');
        await act.press('Random', 'radio');
        assert.ok((await difference()) > 0.1);
        assert.deepEqual(await card(), ['keys', '']);
        const results = (await act.texts('.predict-result')).map((told) =>
          Number(told.match(/[\d.]+/)),
        );
        near(results, [0, await difference(), 0], 5e-3);
        assert.deepEqual(await places(), before, `at ${width} pixels`);
      }
      await page.setViewport({ width: 1440, height: 900 });
    },
  );

  await t.test('a single valid key gets weight 1 in every head, and no key weight 0', async () => {
    await act.press('Mask', 'radio');
    await act.waitForValue('.predict', 'data-question', 'mask');
    await act.click('[data-option="one"]');
    const before = await places();
    await act.slide('Valid length', 'ArrowLeft', 'ArrowLeft');
    assert.deepEqual([await even(), await card()], [new Set([1, 0]), ['mask', '']]);
    assert.deepEqual(await places(), before);
    await act.slide('Valid length', 'ArrowLeft');
    assert.deepEqual(await even(), new Set([0]));
  });

  await t.test('the head that looks three back is found by its map', async () => {
    await act.press('Patterns', 'radio');
    await act.waitForValue('.predict', 'data-question', 'patterns');
    const all = await weights();
    const onCopy = range(5).map((head) =>
      sum(range(7).map((query) => all[(head * 10 + query + 3) * 10 + query])),
    );
    const wanted = onCopy.indexOf(Math.max(...onCopy));
    const named = async () => new Set(await act.texts('.head-note > :first-child')).size;
    const before = await places();
    for (const head of [...range(5).filter((each) => each !== wanted), wanted]) {
      assert.equal(await named(), 1);
      await act.click(`[data-option="${head + 1}"]`);
      assert.deepEqual(await card(), ['patterns', head === wanted ? '' : null]);
      assert.equal(await act.parameter('answer'), String(head + 1));
      near((await act.numbers('.predict-told'))[0], onCopy[head] / 7, 5.1e-3);
      assert.deepEqual(await places(), before);
    }
    assert.equal(await named(), 5);
    await act.press('Random seed');
    assert.deepEqual([await act.parameter('answer'), await named()], [null, 1]);
    await act.press('Show names', 'switch');
    assert.equal(await named(), 5);
  });
});

test('equal keys: maps and arithmetic', async (t) => {
  const act = await openFlows(t, 'equal-keys', '?input=random', { media: { scheme: 'light' } });
  const { page } = act;
  await act.waitFor('.key-tile');
  const { weights, sizes } = readersOf(act);
  const large = (query, key) => `.close-up .cell[data-query="${query}"][data-key="${key}"]`;

  await t.test('controls change the maps, whose cells stay the same elements', async () => {
    near(await weights(), await expectedWeights(), 1e-5);
    await page.$eval('#equal-keys .key-cell', (cell) => (cell.isKept = true));
    await act.write('.seed-input', '27');
    near(await weights(), await expectedWeights({ seed: 27 }), 1e-5);
    await act.press('Causal mask', 'switch');
    await act.slide('Valid length', 'End');
    const all = { seed: 27, causal: true, validLen: 6 };
    near(await weights(), await expectedWeights(all), 1e-5);
    assert.equal(await page.$eval('#equal-keys .key-cell', (cell) => cell.isKept), true);
    const hatched = (await act.all('.key-cell', 'fill')).map((fill) => /^url/.test(fill));
    assert.deepEqual(
      hatched,
      range(5 * 24).map((at) => at % 6 > Math.floor(at / 6) % 4),
    );
    await act.visit('?input=patterns&heads=20');
    assert.equal(await sizes(), '100,20');
    assert.equal(await act.count('.key-map text'), 0);
    await act.press('Reset');
    await act.waitForSearch('');
  });

  await t.test('a cell is explained under the pointer', async () => {
    await act.visit('?input=random');
    const own = (await expectedWeights()).slice(3 * 24, 4 * 24);
    await act.hover('.key-tile:nth-child(4) .key-map');
    const tile = await page.$('#equal-keys .key-tile:nth-child(4) .key-map');
    const { x, y, width, height } = await tile.boundingBox();
    await page.mouse.move(x + (1.5 / 6) * width, y + (2.5 / 4) * height);
    near(await act.numbers('.read-out'), [4, 3, 2, own[2 * 6 + 1]], 1e-4);
    const [result] = (await act.texts('.arithmetic tbody .result')).slice(4);
    near(Number(result), own[2 * 6 + 1], 1e-4);
    assert.equal(await act.count('.key-map .ring[data-shown]'), 5);
    assert.equal(await act.count('.key-map .ring[data-here]'), 1);
    await page.mouse.click(x + 2, y + height - 2);
    await act.waitForSearch('?input=random&head=4');
    near(await act.all('.close-up .cell', 'data-weight'), own, 1e-5);
    const edges = (await act.texts('.close-up .axis-sum')).map(Number);
    const columns = range(6).map((key) => sum(own.filter((_weight, at) => at % 6 === key)));
    near(edges, [1, 1, 1, 1, ...columns], 6e-3);
  });

  await t.test(
    'everything fits a screen, and controls that are hidden leave nothing empty',
    async () => {
      await page.setViewport({ width: 1440, height: 900 });
      for (const view of [
        '?input=random&toy-guess=training',
        '?input=patterns&keys-question=patterns',
      ]) {
        await act.visit(view);
        await act.fitsScreen('.act-stage');
        const [hidden] = await act.each('.rail', (rail) => rail.scrollHeight - rail.clientHeight);
        assert.equal(hidden, 0, view);
      }
      await page.setViewport({ width: 1280, height: 900 });
      await act.visit('?heads=1&valid=2');
      for (const scheme of ['light', 'dark']) {
        await prefer(page, { scheme });
        const masked = await page.$(`#equal-keys ${large(0, 3)}`);
        assert.ok((await contrastWithin(page, masked)) >= 3, `hatched when ${scheme}`);
      }
      await prefer(page);
      await act.isForEveryone();
      const bare = await openFlows(t, 'equal-keys', '?hide=controls&input=own');
      await bare.waitFor('.key-tile');
      assert.equal(await bare.count('.act-stage details'), 0);
      for (const part of ['.keys-settings', '.rail-pinned > *', '.own-numbers']) {
        assert.equal(await bare.isSeen(part), false, part);
      }
    },
  );
});

test('equal keys: the reader’s own numbers', async (t) => {
  const act = await openFlows(t, 'equal-keys', '?input=own');
  const { page } = act;
  await act.waitFor('.key-tile');
  const { sizes } = readersOf(act);
  const wrong = '.written:has([aria-invalid]) .control-hint';

  await act.write('textarea', '{"queries": [[1, 2]], "keys": [[1], [2], [3]]}');
  assert.equal(await sizes(), '3,5');
  await act.write('textarea', '1, x');
  assert.match(await act.text(wrong), /“x”/);
  assert.equal(await sizes(), '3,5', 'the last maps stay');
  await act.write('textarea', '1, 2\n3, 4');
  assert.deepEqual([await sizes(), await act.count(wrong)], ['4,5', 0]);
  await (await page.$('#equal-keys .file-input')).uploadFile(fromRoot('LICENSE'));
  await act.waitFor('.control-hint[data-wrong]');
  assert.match(await act.text('.control-hint[data-wrong]'), /LICENSE/);
  assert.equal(await sizes(), '4,5');
  await act.visit('?input=own&file=mine.npy');
  assert.equal(await act.notices(), 1);
});
