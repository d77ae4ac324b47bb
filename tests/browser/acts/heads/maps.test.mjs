// The maps of the toy example and of the heads: what is drawn, what the controls and the keyboard change, what is read
// out, and what the page says where there are none.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertDrawnAsWeighed, contrastWithin, readCells } from '../../lib/page-reader.mjs';
import { openHeads } from '../../lib/heads-act.mjs';
import { searchOf } from '../../lib/pages.mjs';

/** That of the test under way. */
let page;

async function open(t, query = '', options = {}) {
  const opened = await openHeads(t, query, options);
  page = opened.page;
  return opened;
}

const drawnWeights = async (from = page) =>
  (await readCells(from, 'heads')).map(({ weight }) => weight);
const textOf = (selector) => page.$eval(selector, (found) => found.textContent);
const readOut = (part) => textOf(`#${part} .read-out`);
const cellAt = (part, sample, head, query, key) =>
  page.$(
    `#${part} .samples .cell[data-sample="${sample}"][data-head="${head}"]` +
      `[data-query="${query}"][data-key="${key}"]`,
  );
const control = (name, role, part = 'heads') =>
  page.$(`#${part} ::-p-aria([name="${name}"][role="${role}"])`);
const query = () => searchOf(page);

describe('the toy example', () => {
  test('has five identical maps of 1/3 and 1/2, drawn in the colours of these weights', async (t) => {
    await open(t);
    const cells = await readCells(page, 'toy');
    assert.equal(cells.length, 2 * 5 * 4 * 6);
    assertDrawnAsWeighed(cells, [3, 2]);
    for (const { sample, weight } of cells.filter(({ masked }) => !masked)) {
      assert.equal(weight, Math.fround(sample === 0 ? 1 / 3 : 1 / 2));
    }
    assert.ok(await control('Head 2, query 3, key 1: weight 0.3333', 'gridcell', 'toy'));
  });

  test('shows the shape of the output and says why the maps are equal', async (t) => {
    await open(t, '?toy-guess=skipped');
    assert.equal(await textOf('#toy .flow-output .flow-value'), '(2, 4, 100)');
    const reason = (await textOf('#toy .reason')).replaceAll('\u00a0', ' ');
    assert.match(reason, /^Five heads, five identical maps\. All keys are equal/);
    assert.match(reason, /1\/3 each in sample 1 and 1\/2 each in sample 2\.$/);
  });

  test('stays as it is whatever the address asks of the heads', async (t) => {
    await open(t, '?input=random&seed=5&heads=2&valid=6,0');
    assertDrawnAsWeighed(await readCells(page, 'toy'), [3, 2]);
  });
});

describe('masked cells', () => {
  for (const scheme of ['light', 'dark']) {
    test(`are visibly hatched when ${scheme}`, async (t) => {
      // The act above is loaded late, and would move the cell while its pixels are read.
      await open(t, '?input=random&seed=1&heads=1&valid=2,2&hide=figure', { media: { scheme } });
      const cell = await cellAt('heads', 0, 0, 0, 3);
      assert.ok((await contrastWithin(page, cell)) >= 3);
    });
  }

  test('cover a sample without valid keys', async (t) => {
    await open(t, '?input=random&seed=1&heads=5&valid=0,0');
    assertDrawnAsWeighed(await readCells(page, 'heads'), [0, 0]);
    assert.match(await textOf('#heads'), /No sample has a valid key/);
  });
});

describe('the controls', () => {
  test('input, seed, heads and reset change what is drawn', async (t) => {
    await open(t);
    const initial = await drawnWeights();
    assertDrawnAsWeighed(await readCells(page, 'heads'), [3, 2]);
    assert.ok(new Set(initial).size > 100, 'random input gives weights that differ');

    await (await control('Ones', 'radio')).click();
    assert.deepEqual(
      await drawnWeights(),
      (await readCells(page, 'toy')).map(({ weight }) => weight),
    );

    await (await control('Random', 'radio')).click();
    assert.deepEqual(await drawnWeights(), initial);

    await (await control('Seed', 'textbox')).click({ count: 3 });
    await page.keyboard.type('27');
    const reseeded = await readCells(page, 'heads');
    assertDrawnAsWeighed(reseeded, [3, 2]);
    assert.notDeepEqual(
      reseeded.map(({ weight }) => weight),
      initial,
    );

    await (await control('Random seed', 'button')).click();
    assert.notDeepEqual(
      await drawnWeights(),
      reseeded.map(({ weight }) => weight),
    );

    await (await control('10', 'radio')).click();
    const ten = await readCells(page, 'heads');
    assert.equal(ten.length, 2 * 10 * 4 * 6);
    assertDrawnAsWeighed(ten, [3, 2]);

    await (await control('Reset', 'button')).click();
    assert.deepEqual(await drawnWeights(), initial);
    assert.equal(await query(), '');
  });

  test('valid lengths mask each sample on its own', async (t) => {
    await open(t);
    await (await control('Valid length of sample 1', 'slider')).focus();
    await page.keyboard.press('End');
    await (await control('Valid length of sample 2', 'slider')).focus();
    await page.keyboard.press('ArrowLeft');
    const cells = await readCells(page, 'heads');
    assertDrawnAsWeighed(cells, [6, 1]);
    for (const cell of cells.filter(({ sample, key }) => sample === 1 && key === 0)) {
      assert.equal(cell.weight, 1);
    }
    assert.match(await textOf('#heads .samples'), /6 of 6 keys valid.*1 of 6 keys valid/);
  });

  test('explain a seed that is none, and go on with the last one', async (t) => {
    await open(t);
    const initial = await drawnWeights();
    const seed = await control('Seed', 'textbox');
    for (const wrong of ['0', '-3', 'seven']) {
      await seed.click({ count: 3 });
      await page.keyboard.type(wrong);
      assert.match(await textOf('#heads .seed ~ .control-hint'), /integer from 1 to 999999/, wrong);
    }
    await page.keyboard.press('Tab');
    assert.equal(await textOf('#heads .seed ~ .control-hint'), '');
    assert.equal(await seed.evaluate((input) => input.value), '1');
    assert.deepEqual(await drawnWeights(), initial);
  });
});

describe('a cell is read out', () => {
  test('under the pointer, masked or not, and shown in every head', async (t) => {
    await open(t, '?input=ones&seed=1&heads=5&valid=3,2');
    assert.match(await readOut('heads'), /^Point at a cell/);
    await (await cellAt('heads', 0, 1, 2, 0)).hover();
    assert.equal(await readOut('heads'), 'Sample 1. Head 2, query 3, key 1: weight 0.3333');
    assert.equal((await page.$$('#heads .samples .ring[data-shown]')).length, 5);
    assert.equal((await page.$$('#heads .samples .ring[data-shown][data-here]')).length, 1);
    await (await cellAt('heads', 1, 4, 3, 5)).hover();
    assert.equal(await readOut('heads'), 'Sample 2. Head 5, query 4, key 6: weight 0.0000, masked');
    await page.mouse.move(1, 1);
    assert.match(await readOut('heads'), /^Point at a cell/);
  });

  test('after a tap, and follows the controls', async (t) => {
    await open(t, '?input=ones&seed=1&heads=5&valid=3,2');
    await (await cellAt('heads', 1, 0, 0, 1)).tap();
    assert.equal(await readOut('heads'), 'Sample 2. Head 1, query 1, key 2: weight 0.5000');
    await (await control('Valid length of sample 2', 'slider')).focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await readOut('heads'), 'Sample 2. Head 1, query 1, key 2: weight 0.0000, masked');
  });

  test('as the keyboard walks a map and on to the next head', async (t) => {
    await open(t, '?input=ones&seed=1&heads=5&valid=3,2');
    await page.$eval('#heads .reset', (button) => button.focus());
    // The sliders and the maps come next: slider, five maps, slider, five maps.
    for (let stop = 0; stop < 2; stop++) await page.keyboard.press('Tab');
    const steps = [
      [[], 'Head 1, query 1, key 1: weight 0.3333'],
      [['ArrowUp', 'ArrowLeft'], 'Head 1, query 1, key 1: weight 0.3333'],
      [['ArrowDown', 'ArrowDown', 'ArrowRight'], 'Head 1, query 3, key 2: weight 0.3333'],
      [['Tab'], 'Head 2, query 3, key 2: weight 0.3333'],
      [['End'], 'Head 2, query 3, key 6: weight 0.0000, masked'],
      [['ArrowRight', 'ArrowDown', 'ArrowDown'], 'Head 2, query 4, key 6: weight 0.0000, masked'],
      [['Home'], 'Head 2, query 4, key 1: weight 0.3333'],
      [['ArrowUp'], 'Head 2, query 3, key 1: weight 0.3333'],
    ];
    for (const [keys, expected] of steps) {
      for (const key of keys) await page.keyboard.press(key);
      const focused = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
      assert.equal(focused, expected);
      assert.equal(await readOut('heads'), `Sample 1. ${expected}`);
    }
    await page.keyboard.press('Escape');
    assert.match(await readOut('heads'), /^Point at a cell/);
    assert.equal(
      (await page.$$('#heads .samples .cell[tabindex="0"]')).length,
      10,
      'one stop a map',
    );
    const outline = await page.$eval('.head:has(:focus)', (head) => getComputedStyle(head).outline);
    assert.match(outline, /solid 2px/, 'the focus is visible');
  });
});

test('Tab leads through the maps without choosing a head, Enter chooses', async (t) => {
  await open(t, '?input=ones&seed=1&heads=5&valid=3,2');
  const before = await page.evaluate(() => window.location.search);
  const titleOf = () => textOf('#heads .close-up .head-title');
  await page.$eval('#heads .reset', (button) => button.focus());
  for (let stop = 0; stop < 4; stop++) await page.keyboard.press('Tab');
  assert.match(await readOut('heads'), /^Sample 1\. Head 3, query 1, key 1/);
  assert.equal(await titleOf(), 'Head 1, sample 1');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => window.location.search), before);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.location.search.includes('head=4'));
  assert.equal(await titleOf(), 'Head 4, sample 1');
});

describe('the address', () => {
  test('is corrected where it asks for what there is not, and says so', async (t) => {
    await open(t, '?input=zeros&seed=1e9&heads=7&valid=9,-1,4&other=kept');
    const notices = await textOf('#heads .notices');
    for (const told of ['“zeros”', '“1e9”', '“7”', '“9,-1,4”']) assert.ok(notices.includes(told));
    assertDrawnAsWeighed(await readCells(page, 'heads'), [6, 0]);
    await (await control('2', 'radio')).click();
    assert.equal(await query(), '?heads=2&valid=6,0&other=kept');
    assert.equal(await textOf('#heads .notices'), '');
  });
});

test('where the WebAssembly file does not load, the page says so', async (t) => {
  const { problems } = await open(t, '', {
    until: '.failure',
    // The request that the test itself refuses, told by the browser in its own words.
    causes: /ERR_FAILED/,
    async prepare(fresh) {
      await fresh.setRequestInterception(true);
      fresh.on('request', (request) => {
        if (request.url().endsWith('.wasm')) void request.abort();
        else void request.continue();
      });
    },
  });
  assert.match(await textOf('.failure'), /did not load.*\(load-failed\)/s);
  assert.match(await textOf('h1'), /Multi-head attention/);
  assert.notEqual(problems.length, 0);
});
