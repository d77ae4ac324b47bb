// Two heads that work together, in Chromium: what a query attends to, and what that key itself attended to.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { violations } from '../../lib/axe.mjs';
import { fitsAcross, waitForSearch } from '../../lib/pages.mjs';
import { openRun, textOf, waitForStep } from '../../lib/train-act.mjs';
import { startRun } from '../../lib/train-reference.mjs';

const sentence = '#train .composition-sentence';
const token = (position) => `#train .composition-token:nth-of-type(${position})`;
const arcsOf = (page) =>
  page.$$eval('#train .composition-arc', (arcs) =>
    arcs.map(({ dataset, style }) => ({
      head: dataset.head,
      key: Number(dataset.key),
      weight: Number(dataset.weight),
      colour: style.getPropertyValue('--head-colour'),
    })),
  );
const readSentence = (told) => {
  const found =
    /^Query (\d+) \((\w)\) attends most to position (\d+) \((\w)\) in layer (\d), head (\d), with weight (\d\.\d\d)\. That position itself attended most to position (\d+) \((\w)\) in layer (\d), head (\d), with weight (\d\.\d\d): (the|not the) token that the query holds\.$/.exec(
      told,
    ) ?? assert.fail(told);
  const [query, symbol, key, keySymbol, layer, head, weight, back, backSymbol, ...rest] =
    found.slice(1);
  const [backLayer, backHead, backWeight, same] = rest;
  return {
    ...{ symbol, keySymbol, backSymbol, isSame: same === 'the' },
    ...{ query: query - 1, key: key - 1, back: back - 1, weight: Number(weight) },
    ...{ layer: layer - 1, head: head - 1, backLayer: backLayer - 1, backHead: backHead - 1 },
    backWeight: Number(backWeight),
  };
};
/** Until the sentence tells of a query. */
const asks = (page, position) =>
  page.waitForFunction(
    (where, start) => document.querySelector(where).textContent.startsWith(start),
    {},
    sentence,
    `Query ${position} (`,
  );
const letter = (index) => String.fromCharCode(97 + index);

describe('the composition', () => {
  test('is that of the weights, for every query', async (t) => {
    const { page } = await openRun(t, '?train-at=0');
    await page.goto(new URL('?train-speed=full&train-at=200#train', page.url()).href);
    await waitForStep(page, 200);
    const run = await startRun();
    t.after(() => run.dispose());
    run.train(200);
    const weight = run.weights();
    const largest = (layer, head, query) => {
      const row = Array.from({ length: query + 1 }, (_, key) => weight(layer, head, query, key));
      return Math.max(...row);
    };
    let composed = 0;
    for (let position = 1; position <= 20; position += 1) {
      await page.hover(token(position));
      await asks(page, position);
      const told = readSentence(await textOf(page, sentence));
      const [arc, backArc] = await arcsOf(page);
      assert.equal(told.query, position - 1);
      assert.deepEqual([told.layer, told.backLayer], [1, 0]);
      assert.equal(told.symbol, letter(run.tokens[told.query]));
      assert.equal(told.keySymbol, letter(run.tokens[told.key]));
      assert.equal(told.backSymbol, letter(run.tokens[told.back]));
      assert.equal(told.isSame, run.tokens[told.back] === run.tokens[told.query]);
      const { layer, head, query, key, backLayer, backHead, back } = told;
      const near = (a, b) => assert.ok(Math.abs(a - b) < 0.02, `${position}: ${a}, not ${b}`);
      near(told.weight, weight(layer, head, query, key));
      near(told.weight, largest(layer, head, query));
      near(told.backWeight, weight(backLayer, backHead, key, back));
      near(told.backWeight, largest(backLayer, backHead, key));
      near(arc.weight, told.weight);
      near(backArc.weight, told.backWeight);
      assert.deepEqual([arc.key, backArc.key], [key + 1, back + 1]);
      assert.deepEqual([arc.head, backArc.head], [`2.${head + 1}`, `1.${backHead + 1}`]);
      if (told.isSame && back === key - 1) composed += 1;
    }
    // Wherever a target is asked for, or nearly: that is how two layers do it.
    assert.ok(composed >= 8, `${composed}`);
  });

  test('has the colours of its heads, and takes the chosen one', async (t) => {
    const { page } = await openRun(t, '?train-layers=2&train-heads=4');
    const cards = await page.$$eval('#train .head-card', (all) =>
      all.map(({ style }) => style.getPropertyValue('--head-colour')),
    );
    assert.equal(new Set(cards).size, 4);
    for (const head of [1, 4]) {
      await page.click(`#train .run-layer:nth-child(2) .head-card:nth-child(${head})`);
      await page.waitForSelector(`#train .composition-arc[data-head="2.${head}"]`);
      const [arc, back] = await arcsOf(page);
      assert.equal(arc.colour, cards[3 + head]);
      assert.equal(back.colour, cards[Number(back.head.at(-1)) - 1]);
      assert.equal(
        await page.$eval('#train .enlarged .head', ({ style }) =>
          style.getPropertyValue('--head-colour'),
        ),
        arc.colour,
      );
    }
  });

  test('follows pointer, touch, keyboard and address, and the rows of the enlarged map', async (t) => {
    const { page } = await openRun(t, '?train-query=7&train-head=2.1');
    await asks(page, 7);
    await page.hover(token(12));
    await asks(page, 12);
    await page.hover('#train .enlarged .cell[data-query="9"][data-key="3"]');
    await asks(page, 10);
    await page.hover('#train .run-status');
    await asks(page, 7);
    await page.$eval(token(7), (found) => found.focus());
    await page.keyboard.press('ArrowRight');
    await asks(page, 8);
    await page.keyboard.press('End');
    await asks(page, 20);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await waitForSearch(page, '?train-query=19&train-head=2.1');
    await page.$eval('#train .playback .primary', (start) => start.focus());
    await asks(page, 19);
    await page.click(token(3));
    await waitForSearch(page, '?train-query=3&train-head=2.1');
  });

  test('of one layer has one arc, and says why', async (t) => {
    const { page } = await openRun(t, '?train-layers=1');
    assert.equal((await arcsOf(page)).length, 1);
    assert.match(await textOf(page, sentence), /In a single layer, keys know their own token only/);
  });

  test('fits a phone, by touch, and has no violation', async (t) => {
    const { page } = await openRun(t, '?train-head=1.1', {
      width: 390,
      prepare: (fresh) =>
        fresh.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true }),
    });
    await fitsAcross(page);
    await page.tap(token(5));
    await waitForSearch(page, '?train-head=1.1&train-query=5');
    await asks(page, 5);
    assert.deepEqual(await violations(page, '#train'), []);
    // A phone that is turned.
    const shape = () => page.$eval('.composition-drawing', (root) => root.getAttribute('viewBox'));
    const upright = await shape();
    await page.setViewport({ width: 844, height: 390, hasTouch: true, isMobile: true });
    await page.waitForFunction(
      (before) => document.querySelector('.composition-drawing').getAttribute('viewBox') !== before,
      {},
      upright,
    );
    await asks(page, 5);
  });

  for (const width of [1440, 390]) {
    test(`has its labels within the drawing, ${width} pixels wide, wherever arcs lead`, async (t) => {
      const { page } = await openRun(t, '?train-query=20&train-head=2.1', { width });
      for (let query = 1; query <= 20; query++) {
        await page.$eval(token(query), (found) => found.focus());
        await asks(page, query);
        const outside = await page.$eval('.composition-drawing', (root) => {
          const { top, bottom, left, right } = root.getBoundingClientRect();
          return [...root.querySelectorAll('.composition-label')]
            .map((label) => label.getBoundingClientRect())
            .filter(
              (box) => box.top < top || box.bottom > bottom || box.left < left || box.right > right,
            ).length;
        });
        assert.equal(outside, 0, `query ${query}`);
      }
    });
  }
});

const pinned = (layers, heads) => `train-pinned=induction,${layers},${heads},0.005,2,12`;
for (const query of [
  '?train-head=2.1',
  '?train-head=2.1&train-layers=3&train-heads=4',
  '?train-head=1.2&train-layers=1',
  '?train-head=1.2&train-heads=4',
  `?${pinned(1, 2)}`,
  `?train-head=1.2&train-layers=3&${pinned(2, 2)}`,
  `?train-head=1.2&train-layers=3&train-heads=4&${pinned(3, 4)}`,
]) {
  test(`the stage is one screen high, and nothing in it lies over the composition: ${query}`, async (t) => {
    const { page } = await openRun(t, `${query}&train-at=12`, {
      prepare: (fresh) => fresh.setViewport({ width: 1440, height: 900 }),
    });
    await waitForStep(page, 12);
    if (query.includes('pinned')) {
      await page.waitForFunction(
        () => document.querySelector('#train .run-comparison').textContent !== '',
      );
      // As much as there is to say once both runs have come to something.
      await page.$eval('#train .run-verdict', (verdict) => {
        verdict.textContent =
          'Two layers: 99 % accuracy at step 136; one layer with the same seed: 32 % accuracy after 396 steps.';
      });
    }
    const { height, room, side, composition } = await page.$eval('#train .act-stage', (stage) => ({
      height: stage.getBoundingClientRect().height,
      room: innerHeight - document.querySelector('nav').getBoundingClientRect().height,
      side: Math.max(
        ...Array.from(
          stage.querySelectorAll('.run-side > *'),
          (part) => part.getBoundingClientRect().bottom,
        ),
      ),
      composition: stage.querySelector('.composition').getBoundingClientRect().top,
    }));
    assert.ok(height <= room, `${height} in ${room}`);
    assert.ok(side <= composition, `${side} of ${composition}`);
  });
}
