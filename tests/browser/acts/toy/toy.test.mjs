// The first act trained: what that does to the maps of random input, and not to those of ones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Adam, init, MultiHeadAttention, Tensor } from 'headwise';
import { control, textOf } from '../../lib/heads-act.mjs';
import { open, searchOf, waitForSearch } from '../../lib/pages.mjs';
import { readCells } from '../../lib/page-reader.mjs';

const validLens = [3, 2];

await init();

const weightsOf = async (page) => (await readCells(page, 'toy')).map(({ weight }) => weight);
const lossesOf = async (page) => {
  const told = await textOf(page, '#toy .reason:not([hidden]):last-of-type');
  return /from ([\d.]+) to ([\d.]+)\./.exec(told).slice(1).map(Number);
};

/** Trains a layer like the page's: query i is to give back the value at key i, modulo what is valid. */
function taught(steps) {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
  const optimizer = new Adam(layer, { learningRate: 0.002 });
  const queries = Tensor.randn([2, 4, 100], 2);
  const keys = Tensor.randn([2, 6, 100], 3);
  const losses = [];
  for (let step = 0; step <= steps; step++) {
    const { output } = layer.forward(queries, keys, keys, { validLens, requiresGrad: true });
    const errors = Array.from(output.data, (value, i) => {
      const [sample, query, unit] = [Math.floor(i / 400), Math.floor(i / 100) % 4, i % 100];
      return value - keys.at(sample, query % validLens[sample], unit);
    });
    losses.push(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    if (step === steps) break;
    const gradient = errors.map((error) => (2 * error) / errors.length);
    layer.backward(new Tensor(gradient, output.shape));
    optimizer.step();
    optimizer.zeroGradients();
  }
  const { attentionWeights } = layer.forward(queries, keys, keys, {
    validLens,
    returnWeights: true,
  });
  return { losses, weights: attentionWeights.data };
}

/** The three causes that are tried: for each the largest difference that is told, and which is the guess. */
const experiments = (page) =>
  page.$$eval('#toy .experiment', (all) =>
    all.map((card) => ({
      cause: card.dataset.cause,
      told: card.querySelector('.experiment-number').textContent,
      note: card.querySelector('.experiment-note').textContent,
      isGuess: card.dataset.guess !== undefined,
      isOver: card.dataset.over !== undefined,
      maps: Array.from(card.querySelectorAll('.experiment-map'), (map) =>
        Array.from(map.children, (cell) => cell.getAttribute('fill')).join(),
      ),
    })),
  );
const verdict = (page) =>
  page
    .waitForSelector('#toy .experiments-verdict:not(:empty)')
    .then((found) => found.evaluate(({ textContent }) => textContent));

/** The largest difference of two heads at one cell, as Node computes it. */
function largestDifference(queries, keys, seed) {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed });
  const { data } = layer.forward(queries, keys, keys, {
    validLens,
    returnWeights: true,
  }).attentionWeights;
  let largest = 0;
  for (let sample = 0; sample < 2; sample++) {
    for (let cell = 0; cell < 24; cell++) {
      const ofHeads = [0, 1, 2, 3, 4].map((head) => data[(sample * 5 + head) * 24 + cell]);
      largest = Math.max(largest, Math.max(...ofHeads) - Math.min(...ofHeads));
    }
  }
  return largest;
}
const ones = (tokens) => Tensor.ones([2, tokens, 100]);

describe('a prediction', () => {
  test('is asked for before anything can be changed, and nothing answers it yet', async (t) => {
    const { page } = await open(t, '#toy');
    const isSeen = (selector) => page.$eval(selector, (found) => found.checkVisibility());
    assert.ok(await isSeen('#toy .question'));
    assert.ok(!(await isSeen('#toy .controls')));
    assert.ok(!(await isSeen('#toy .reason')));
    await (await control(page, 'Skip the question', 'button', '#toy')).click();
    assert.ok(!(await isSeen('#toy .question')));
    assert.ok(await isSeen('#toy .controls'));
    assert.equal(await page.evaluate(() => document.activeElement.value), 'ones');
    assert.equal(await page.$('#toy .experiments'), null);
    await waitForSearch(page, '?toy-guess=skipped');
    await (await control(page, 'Reset', 'button', '#toy')).click();
    assert.ok(await isSeen('#toy .question'));
    assert.ok(!(await isSeen('#toy .controls')));
  });

  for (const [name, guess, outcome] of [
    ['New parameters', 'parameters', 'wrong'],
    ['Different keys', 'keys', 'right'],
    ['Training', 'training', 'wrong'],
  ]) {
    test(`of ${name} is told to be ${outcome}, with what all three come to`, async (t) => {
      const { page } = await open(t, '#toy');
      await (await control(page, name, 'button', '#toy')).click();
      assert.ok((await verdict(page)).startsWith(`You predicted “${name}”: ${outcome}.`));
      await waitForSearch(page, `?toy-guess=${guess}`);
      const tried = await experiments(page);
      const random = largestDifference(
        Tensor.randn([2, 4, 100], 2),
        Tensor.randn([2, 6, 100], 3),
        1,
      );
      assert.equal(largestDifference(ones(4), ones(6), 6), 0);
      assert.deepEqual(
        tried.map(({ cause, told, note, isGuess, isOver }) => [cause, told, note, isGuess, isOver]),
        [
          ['parameters', '0', 'ones, seed 6', guess === 'parameters', true],
          ['keys', random.toFixed(2), 'random input, seed 1', guess === 'keys', true],
          ['training', '0', 'ones, step 50', guess === 'training', true],
        ],
      );
      assert.ok(random > 0.1);
      assert.deepEqual(
        tried.map(({ maps }) => new Set(maps).size),
        [1, 5, 1],
      );
      // The maps of the act are as they were.
      assert.equal(new Set(await weightsOf(page)).size, 3);
      assert.match(await textOf(page, '#toy .reason'), /^Five heads, five identical maps/);
    });
  }

  test('comes back from the address, at rest', async (t) => {
    const { page } = await open(t, '?toy-guess=training#toy', {
      media: { motion: 'no-preference' },
    });
    await page.waitForSelector('#toy .experiment');
    assert.ok((await experiments(page)).every(({ isOver }) => isOver));
    assert.match(
      await textOf(page, '#toy .experiments-verdict'),
      /^You predicted “Training”: wrong/,
    );
    assert.equal(await textOf(page, '#toy .experiments button'), 'Play again');
  });

  test('is corrected where there is none of its name', async (t) => {
    const { page } = await open(t, '?toy-guess=luck#toy');
    assert.match(await textOf(page, '#toy .notices'), /“luck”/);
  });

  test('plays one cause after the other, within sight, and is skipped', async (t) => {
    const { page } = await open(t, '#toy', { media: { motion: 'no-preference' } });
    await page.setViewport({ width: 1440, height: 900 });
    await page.$eval('#toy .act-stage', (stage) => stage.scrollIntoView());
    await (await control(page, 'Training', 'button', '#toy')).click();
    await page.waitForSelector('#toy .experiment[data-running]');
    const { cards, isFocused } = await page.evaluate(() => ({
      cards: document.querySelector('#toy .experiments').getBoundingClientRect().toJSON(),
      isFocused: document.activeElement.textContent,
    }));
    assert.ok(cards.top >= 0 && cards.bottom <= 900, JSON.stringify(cards));
    assert.equal(isFocused, 'Skip to the result');
    assert.deepEqual(
      (await experiments(page)).map(({ isOver }) => isOver),
      [false, false, false],
    );
    assert.equal(await textOf(page, '#toy .experiments-verdict'), '');
    await page.waitForSelector('#toy .experiment[data-cause="parameters"][data-over]');
    await page.keyboard.press('Enter');
    assert.match(await verdict(page), /wrong/);
    assert.ok((await experiments(page)).every(({ isOver }) => isOver));

    await page.keyboard.press('Enter');
    await page.waitForSelector('#toy .experiment[data-cause="keys"][data-over]');
    assert.match(await verdict(page), /wrong/);
    assert.ok((await experiments(page)).every(({ isOver }) => isOver));
  });
});

describe('steps of training', () => {
  test('make the heads of random input sharp, each in its own way', async (t) => {
    const { page } = await open(t, '?toy-input=random&toy-steps=30#toy');
    const expected = taught(30);
    const weights = await weightsOf(page);
    weights.forEach((weight, i) => assert.ok(Math.abs(weight - expected.weights[i]) < 1e-3, i));
    const [first, now] = await lossesOf(page);
    assert.ok(Math.abs(first / expected.losses[0] - 1) < 0.05, `${first}`);
    assert.ok(Math.abs(now / expected.losses[30] - 1) < 0.05, `${now}`);
    assert.ok(now < first / 20);
    const rows = Array.from({ length: 40 }, (_, row) => weights.slice(6 * row, 6 * row + 6));
    const sharp = rows.filter((row) => Math.max(...row) > 0.9).length;
    assert.ok(sharp > 30, `${sharp} of 40 rows`);
  });

  test('leave the maps of ones as they are', async (t) => {
    const { page } = await open(t, '?toy-guess=skipped#toy');
    const before = await weightsOf(page);
    await (await control(page, 'Training steps', 'slider', '#toy')).focus();
    await page.keyboard.press('End');
    assert.equal(await searchOf(page), '?toy-guess=skipped&toy-steps=50');
    const [first, now] = await lossesOf(page);
    assert.ok(now < first / 100, `${now}`);
    assert.match(
      await textOf(page, '#toy .reason:last-of-type'),
      /no training can tell them apart/,
    );
    assert.deepEqual(await weightsOf(page), before);
    assert.equal(await textOf(page, '#toy .goal-progress'), '');
  });

  test('back are as they were on the way there', async (t) => {
    const { page } = await open(t, '?toy-input=random#toy');
    const untrained = await weightsOf(page);
    await (await control(page, 'Training steps', 'slider', '#toy')).focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    const after5 = await weightsOf(page);
    assert.notDeepEqual(after5, untrained);
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft']) {
      await page.keyboard.press(key);
    }
    await waitForSearch(page, '?toy-input=random&toy-steps=5');
    assert.deepEqual(await weightsOf(page), after5);
    await page.keyboard.press('End');
    assert.notDeepEqual(await weightsOf(page), after5);
    await page.keyboard.press('Home');
    assert.deepEqual(await weightsOf(page), untrained);
    await (await control(page, 'Reset', 'button', '#toy')).click();
    await waitForSearch(page, '');
    assert.ok(
      (await weightsOf(page)).every((weight) => [0, 0.5, Math.fround(1 / 3)].includes(weight)),
    );
  });
});
