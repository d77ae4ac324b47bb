// The reader marks heads by their maps, and is then told what was planted: in Chromium.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init, Tensor } from 'headwise';
import { control } from '../../lib/heads-act.mjs';
import { useDownloads } from '../../lib/downloads.mjs';
import { searchOf, waitForSearch } from '../../lib/pages.mjs';
import {
  openPrune,
  press,
  textOf,
  waitForMaps,
  waitForStatus,
  waitForText,
} from '../../lib/prune-act.mjs';

await init();

const roles = [
  ['previous token', 'previous token', 'sharp', 'sharp', 'quiet', 'quiet'],
  ['induction', 'induction', 'sharp', 'sharp', 'quiet', 'quiet'],
];

/** The roles in the order of the heads, `1.1` to `2.6`: those of a layer go by numbers drawn from the seed. */
const plantedBy = (seed) =>
  roles.flatMap((ofLayer, layer) => {
    const { data } = Tensor.randn([6], 2 ** 42 + 2 * seed + layer);
    return [0, 1, 2, 3, 4, 5].sort((a, b) => data[a] - data[b]).map((place) => ofLayer[place]);
  });
const names = [1, 2].flatMap((layer) => [1, 2, 3, 4, 5, 6].map((head) => `${layer}.${head}`));
const isPlanted = (role) => role === 'previous token' || role === 'induction';
const namesOf = (seed, wanted) => names.filter((_, i) => wanted(plantedBy(seed)[i]));

const mark = (page, ...heads) =>
  page.evaluate((all) => {
    for (const head of all)
      document.querySelector(`#prune .guess-tile[data-head="${head}"]`).click();
  }, heads);
const markedOn = (page) =>
  page.$$eval('#prune .guess-tile[aria-pressed="true"]', (all) => all.map((t) => t.dataset.head));
const shownRoles = (page) =>
  page.$$eval('#prune .guess-role', (all) => all.map(({ textContent }) => textContent));
/** By who chose: how many planted heads, and the accuracy without the chosen ones. */
const scoresOf = (page) =>
  page.$eval('#prune .scores', (table) => {
    const [head, found, without] = Array.from(table.rows, ({ cells }) =>
      Array.from(cells, (cell) => cell.textContent.trim()),
    );
    return Object.fromEntries(
      head.slice(1).map((name, i) => [name, [found[i + 1], without[i + 1]]]),
    );
  });
const waitForScores = (page) => waitForText(page, '#prune .guess-loud', /accuracy is/);

async function plantedAct(t, query) {
  const { page } = await openPrune(t, query);
  await press(page, 'Plant and train');
  await waitForMaps(page);
  return page;
}

test('nothing tells what was planted before the reader has checked', async (t) => {
  const page = await plantedAct(t, '');
  const readFile = await useDownloads(t, page);
  const secret = /sharp|quiet|induction|previous|planted as|ranks/i;
  const { labels, shown, truths } = await page.$eval('#prune .live', (act) => ({
    labels: Array.from(act.querySelectorAll('[aria-label]'), (each) => each.ariaLabel),
    // Legends wait in what is hidden.
    shown: act.innerText,
    truths: Array.from(
      act.querySelectorAll(
        '.bar, .chart > .line, .guess-role, .tile-truth:not(:empty), button[data-truth]',
      ),
      ({ outerHTML }) => outerHTML,
    ),
  }));
  const tiles = await page.$$eval('#prune .guess-tile', (all) => all.map((t) => t.textContent));
  assert.deepEqual(
    tiles,
    names.map((name) => `${name} mark`),
  );
  assert.deepEqual(
    labels.filter((label) => secret.test(label)),
    [],
  );
  assert.doesNotMatch(shown, secret);
  assert.deepEqual(truths, []);

  await press(page, 'Save');
  for (const name of ['the importance of heads', 'the pruning curves']) {
    const button = await control(page, `Save the numbers of ${name} as JSON`, 'button', '#prune');
    assert.equal(await button.evaluate((each) => each.ariaDisabled), 'true');
  }
  const button = 'Save the numbers of the maps of the planted model as JSON';
  await (await control(page, button, 'button', '#prune')).click();
  const saved = (await readFile('headwise-the-maps-of-the-planted-model.json')).toString();
  const { seed, tokens, weights, ...more } = JSON.parse(saved);
  assert.deepEqual({ seed, more }, { seed: 1, more: {} });
  const area = [tokens.length, tokens.length];
  assert.deepEqual(
    weights.map(({ shape, data }) => [shape, data.length]),
    Array(2).fill([[6, ...area], 6 * tokens.length ** 2]),
  );
});

test('four heads are marked and checked, and measures stand beside', async (t) => {
  const page = await plantedAct(t, '');
  const sharp = namesOf(1, (role) => role === 'sharp');
  const planted = namesOf(1, isPlanted);

  await t.test('no more than four, each of which can be unmarked', async () => {
    assert.equal(await textOf(page, '#prune .guess-status'), 'Mark four heads, then check.');
    await press(page, 'Check');
    assert.deepEqual(await shownRoles(page), []);
    const guess = [planted[0], planted[3], sharp[0], sharp[1]];
    await mark(page, ...guess);
    assert.deepEqual(await markedOn(page), guess.toSorted());
    await mark(page, sharp[2]);
    assert.equal((await markedOn(page)).length, 4);
    await mark(page, sharp[0]);
    assert.equal(await textOf(page, '#prune .guess-status'), '3 of 4 marked.');
    await mark(page, sharp[2]);
    await waitForSearch(page, `?prune-marks=${[planted[0], planted[3], sharp[1], sharp[2]]}`);
  });

  await t.test('the truth is that of the seed, and the scores count it', async () => {
    await press(page, 'Check');
    await waitForScores(page);
    assert.deepEqual(await shownRoles(page), plantedBy(1));
    assert.match(await textOf(page, '#prune .goal-progress'), /You found 2 of 4/);
    const scores = await scoresOf(page);
    assert.deepEqual(Object.keys(scores), [
      ...['You', 'Ablation', 'Gradient', 'Confidence', 'Entropy'],
    ]);
    assert.equal(scores.You[0], '2 of 4');
    for (const [measure, sign] of [
      ...[
        ['ablation', 1],
        ['gradient', 1],
        ['confidence', 1],
        ['entropy', -1],
      ],
    ]) {
      const bars = await page.$$eval(`#prune [data-measure="${measure}"] .bar`, (all) =>
        all.map(({ dataset }) => ({ head: dataset.head, value: Number(dataset.value) })),
      );
      const chosen = bars.toSorted((a, b) => sign * (b.value - a.value)).slice(0, 4);
      const found = chosen.filter(({ head }) => planted.includes(head)).length;
      const name = measure.charAt(0).toUpperCase() + measure.slice(1);
      assert.equal(scores[name][0], `${found} of 4`, measure);
    }
    assert.equal(scores.Ablation[0], '4 of 4');
    assert.equal(scores.Confidence[0], '0 of 4');
    const choosers = await page.$eval(`#prune .guess-tile[data-head="${sharp[2]}"]`, (tile) => [
      tile.querySelector('.guess-choosers').textContent,
      tile.textContent,
    ]);
    assert.equal(choosers[0], 'You, Confidence, Entropy');
    assert.equal(choosers[1], `${sharp[2]} sharp You, Confidence, Entropy`);
  });

  await t.test(
    'loud is not useful: accuracy without a choice is that of a model pruned of it',
    async () => {
      const { Confidence, Ablation } = await scoresOf(page);
      const told = await textOf(page, '#prune .guess-loud');
      assert.match(told, /^\s*Loud is not useful\./);
      assert.ok(told.includes(`accuracy is ${Confidence[1]} without them`), told);
      assert.ok(told.includes(`ablation chooses it is ${Ablation[1]}`), told);
      await waitForStatus(page, /^12 heads left/);
      for (const [heads, [, accuracy]] of [
        [sharp, Confidence],
        [planted, Ablation],
      ]) {
        for (const head of heads) {
          await page.$eval(`#prune .tile[data-head="${head}"] button`, (button) => button.click());
        }
        await waitForStatus(page, /^Eight heads left/);
        assert.ok((await textOf(page, '#prune .session-status')).includes(`accuracy ${accuracy}`));
        await press(page, 'Restore all');
        await waitForStatus(page, /^12 heads left/);
      }
      assert.ok(parseFloat(Ablation[1]) < 50 && parseFloat(Confidence[1]) > 90);
    },
  );

  await t.test('what was marked stays so; another seed is another guess', async () => {
    const before = await markedOn(page);
    await mark(page, sharp[2], planted[1]);
    assert.deepEqual(await markedOn(page), before);
    await page.$eval('#prune .seed-input', (input) => {
      input.value = '2';
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    assert.equal(await searchOf(page), '?prune-seed=2');
    assert.deepEqual(await shownRoles(page), []);
    await waitForMaps(page);
    assert.deepEqual(await markedOn(page), []);
    await press(page, 'Show without guessing');
    await waitForScores(page);
    assert.deepEqual(await shownRoles(page), plantedBy(2));
    assert.notDeepEqual(plantedBy(2), plantedBy(1));
    assert.equal((await scoresOf(page)).You, undefined);
    assert.equal(await searchOf(page), '?prune-seed=2&prune-check=1');
  });
});

describe('the address', () => {
  test('brings marks and truth back', async (t) => {
    const planted = namesOf(3, isPlanted);
    const page = await plantedAct(t, `?prune-seed=3&prune-marks=${planted}&prune-check=1`);
    await waitForScores(page);
    assert.deepEqual(await markedOn(page), planted);
    assert.deepEqual((await scoresOf(page)).You, (await scoresOf(page)).Ablation);
    assert.match(await textOf(page, '#prune .goal-progress'), /Reached\. You found all four/);
    await press(page, 'Reset');
    await waitForSearch(page, '');
  });

  test('is corrected where it marks what cannot be marked', async (t) => {
    const { page } = await openPrune(t, '?prune-marks=1.1,3.1,1.1,1.2,2.1,2.2,2.3&prune-check=2');
    const told = await textOf(page, '#prune .notices');
    assert.ok(told.includes('“1.1,3.1,1.1,1.2,2.1,2.2,2.3”'), told);
    assert.ok(told.includes('1.1, 1.2, 2.1, and 2.2'), told);
    assert.ok(told.includes('Invalid prune-check “2”'), told);
  });

  test('shows no truth to who has marked too few', async (t) => {
    const page = await plantedAct(t, '?prune-marks=1.1&prune-check=1');
    assert.match(
      await textOf(page, '#prune .notices'),
      /“prune-check=1”.*4 entries in prune-marks/,
    );
    assert.deepEqual(await shownRoles(page), []);
    assert.equal(await textOf(page, '#prune .guess-status'), '1 of 4 marked.');
  });
});
