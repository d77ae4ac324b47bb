// The goal: the head that looks three back is found among planted heads that are not named. Weights are held to float64.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notes, openHeads, press, query, save, slide, textOf } from '../../lib/heads-act.mjs';
import { useDownloads } from '../../lib/downloads.mjs';
import { readCells } from '../../lib/page-reader.mjs';

const told = (page) => textOf(page, '#heads .head-told');
const reached = (page) => textOf(page, '#heads .goal-progress');
const firstLines = async (page) => (await notes(page)).map(([line]) => line);

/** The key that each pattern asks for, where there is one. */
const targets = {
  'three back': (at) => at - 3,
  'previous token': (at) => at - 1,
  'first token': () => 0,
  itself: (at) => at,
};

/** Mean weight of a head on the keys of a pattern, over all samples. */
function meanOn(cells, head, pattern) {
  const asked = cells.filter(
    (cell) => cell.head === head && !cell.masked && cell.key === targets[pattern](cell.query),
  );
  return asked.reduce((sum, { weight }) => sum + weight, 0) / asked.length;
}

/** What each head does, by its drawn weights alone. */
function rolesOf(cells) {
  const heads = [...new Set(cells.map(({ head }) => head))];
  return heads.map(
    (head) =>
      Object.keys(targets).find((pattern) => meanOn(cells, head, pattern) > 0.5) ?? 'uniform',
  );
}

/** Attention of each head in float64, of the inputs and parameters that the page hands over. */
function attentionInFloat64({ queries, keys, parameters }, numHeads) {
  const [, length, size] = queries.shape;
  const [rows] = parameters['W_q.weight'].shape;
  const headSize = rows / numHeads;
  const project = ({ data }, weight, sample, at, unit) => {
    let sum = 0;
    for (let column = 0; column < size; column++) {
      sum += data[(sample * length + at) * size + column] * weight.data[unit * size + column];
    }
    return sum;
  };
  return ({ sample, head, query: at, key }) => {
    const units = Array.from({ length: headSize }, (_none, unit) => head * headSize + unit);
    const q = units.map((unit) => project(queries, parameters['W_q.weight'], sample, at, unit));
    const scores = Array.from({ length }, (_none, each) =>
      units.reduce(
        (sum, unit, column) =>
          sum + q[column] * project(keys, parameters['W_k.weight'], sample, each, unit),
        0,
      ),
    ).map((score) => Math.exp(score / Math.sqrt(headSize)));
    return scores[key] / scores.reduce((sum, score) => sum + score);
  };
}

describe('planted patterns', () => {
  test('have the weights that float64 has of their parameters', async (t) => {
    const { page } = await openHeads(t, '?input=patterns&seed=3&heads=5');
    const readFile = await useDownloads(t, page);
    await save(page, 'Save the numbers of the layer as JSON');
    const saved = JSON.parse(await readFile('headwise-the-layer.json'));
    const weightOf = attentionInFloat64(saved, 5);
    const cells = await readCells(page, 'heads');
    assert.equal(cells.length, 2 * 5 * 10 * 10);
    for (const cell of cells.filter(({ query: at }) => at % 3 === 0)) {
      assert.ok(Math.abs(cell.weight - weightOf(cell)) < 1e-5, JSON.stringify(cell));
    }
  });

  test('are all there, in heads that the seed decides', async (t) => {
    const looking = new Set();
    for (const seed of [1, 2, 3, 4]) {
      const { page } = await openHeads(t, `?input=patterns&names=1&seed=${seed}`);
      const roles = rolesOf(await readCells(page, 'heads'));
      assert.deepEqual(roles.toSorted(), [...Object.keys(targets), 'uniform'].toSorted());
      assert.deepEqual(await firstLines(page), roles, 'and are named as they are');
      looking.add(roles.indexOf('three back'));
    }
    assert.ok(looking.size > 1, 'not always the same head');
  });

  test('have a head that looks three back, however few heads there are', async (t) => {
    for (const heads of [1, 2, 4, 10]) {
      const { page } = await openHeads(t, `?input=patterns&heads=${heads}`);
      const roles = rolesOf(await readCells(page, 'heads'));
      assert.equal(roles.length, heads);
      assert.ok(roles.includes('three back'), roles.join());
    }
  });
});

describe('the head that looks three back', () => {
  test('is found in two presses, with its evidence', async (t) => {
    const { page } = await openHeads(t);
    assert.equal(await (await page.$('#heads .head-answers')).isVisible(), false);
    assert.match(await textOf(page, '#heads .goal'), /choose the input “Patterns”/);
    await press(page, 'Patterns', 'radio');
    const cells = await readCells(page, 'heads');
    const wanted = rolesOf(cells).indexOf('three back');
    assert.equal(await reached(page), '');
    await press(page, `Head ${wanted + 1} looks three back`, 'button');
    assert.match(await reached(page), /^Reached/);
    const [weight, others] = (await told(page)).match(/\d\.\d\d/g).map(Number);
    assert.ok(Math.abs(weight - meanOn(cells, wanted, 'three back')) < 0.0051);
    const elsewhere = [0, 1, 2, 3, 4]
      .filter((head) => head !== wanted)
      .map((head) => meanOn(cells, head, 'three back'));
    assert.ok(Math.abs(others - Math.max(...elsewhere)) < 0.0051);
    assert.equal((await query(page)).get('answer'), String(wanted + 1));
    const title = await textOf(page, '#heads .close-up .head-title');
    assert.match(title, new RegExp(`^Head ${wanted + 1},`), 'and is enlarged');
  });

  test('is not named before it is found, unless the reader asks', async (t) => {
    const { page } = await openHeads(t, '?input=patterns');
    const roles = rolesOf(await readCells(page, 'heads'));
    const content = await textOf(page, '#heads .live');
    assert.deepEqual(await firstLines(page), Array(5).fill('pattern: ?'));
    assert.doesNotMatch(content, /in head \d/, 'nor told where the largest weight stands');
    await press(page, 'Show names', 'switch');
    assert.deepEqual(await firstLines(page), roles);
    assert.equal((await query(page)).get('names'), '1');
    await press(page, 'Show names', 'switch');
    const wanted = roles.indexOf('three back') + 1;
    await press(page, `Head ${wanted} looks three back`, 'button');
    assert.deepEqual(await firstLines(page), roles);
  });

  test('is no other one: what that one does is told in numbers', async (t) => {
    const { page } = await openHeads(t, '?input=patterns');
    const cells = await readCells(page, 'heads');
    const said = {
      'previous token': /looks at the previous token/,
      'first token': /looks at the first token/,
      itself: /each token looks at itself/,
      uniform: /weighs all keys alike/,
    };
    for (const [head, role] of rolesOf(cells).entries()) {
      if (role === 'three back') continue;
      await press(page, `Head ${head + 1} looks three back`, 'button');
      const outcome = await told(page);
      assert.match(outcome, said[role]);
      assert.equal(await textOf(page, '.live-region'), outcome, 'and read out');
      const numbers = outcome.match(/\d\.\d\d/g).map(Number);
      const expected = [
        ...(role === 'uniform' ? [] : [meanOn(cells, head, role)]),
        meanOn(cells, head, 'three back'),
      ];
      numbers.forEach((number, at) => assert.ok(Math.abs(number - expected[at]) < 0.0051, outcome));
      assert.equal(numbers.length, expected.length);
      assert.equal(await reached(page), '');
      assert.deepEqual(await firstLines(page), Array(5).fill('pattern: ?'));
    }
  });

  test('is looked for again with another seed, and there is none where weights are uniform', async (t) => {
    const { page } = await openHeads(t, '?input=patterns');
    const find = async () => rolesOf(await readCells(page, 'heads')).indexOf('three back') + 1;
    await press(page, `Head ${await find()} looks three back`, 'button');
    await press(page, 'Random seed', 'button');
    assert.equal((await query(page)).get('answer'), null);
    assert.deepEqual(await firstLines(page), Array(5).fill('pattern: ?'));
    assert.equal(await told(page), '');
    assert.match(await reached(page), /^Reached/, 'and it stays so');
    const wanted = await find();
    await slide(page, 'Scale factor (× 1/√d)', 'Home');
    await press(page, `Head ${wanted} looks three back`, 'button');
    assert.match(await told(page), /weighs all keys alike/);
  });

  test('is an answer in the address, which other inputs do not have', async (t) => {
    const { page } = await openHeads(t, '?answer=2');
    assert.equal(await (await page.$('#heads .head-answers')).isVisible(), false);
    await press(page, 'Causal', 'switch');
    assert.equal((await query(page)).get('answer'), null);
    const again = await openHeads(t, '?input=patterns&answer=2');
    const pressed = await again.page.$$eval('#heads .head-answers button', (all) =>
      all.map((button) => button.ariaPressed),
    );
    assert.deepEqual(pressed, ['false', 'true', 'false', 'false', 'false']);
  });
});
