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
    const { page } = await open(t, '#toy');
    const before = await weightsOf(page);
    await (await control(page, 'Training steps', 'slider', '#toy')).focus();
    await page.keyboard.press('End');
    assert.equal(await searchOf(page), '?toy-steps=50');
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
