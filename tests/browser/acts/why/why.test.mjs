// Why a key weighs what it weighs, in Chromium: every number against float64, from what the page draws by its seeds.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init, Tensor } from 'headwise';
import { violations } from '../../lib/axe.mjs';
import { useDownloads } from '../../lib/downloads.mjs';
import { save } from '../../lib/heads-act.mjs';
import { fitsAcross, open, waitForSearch } from '../../lib/pages.mjs';

before(() => init());

const [tokens, heads, embedding] = [8, 4, 64];
const words = ['a', 'small', 'cat', 'sleeps', 'on', 'my', 'warm', 'bed'];

const openWhy = async (t, query = '', options = {}) => {
  const opened = await open(t, `${query}#why`, options);
  await opened.page.waitForSelector('#why .why-chart .chart[data-done]');
  // Drawn once their sizes are known.
  await opened.page.waitForSelector('#why .why-chart .why-point');
  await opened.page.waitForSelector('#why .why-key[data-weight]');
  return opened;
};
const textOf = (page, selector) => page.$eval(`#why ${selector}`, (found) => found.textContent);
const control = (page, name, role) =>
  page.waitForSelector(`#why ::-p-aria([name="${name}"][role="${role}"])`);
const press = async (page, name) => (await control(page, name, 'button')).click();
const readingOf = async (page, name) => (await textOf(page, `[data-reading="${name}"] dd`)).trim();

const sum = (values) => values.reduce((total, value) => total + value, 0);
const dot = (a, b) => sum(a.map((value, at) => value * b[at]));
const softmax = (scores) => {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  return powers.map((power) => power / sum(powers));
};
const entropyOf = (weights) => -sum(weights.map((p) => (p > 0 ? p * Math.log(p) : 0)));

/** Rows of a tensor's last axis, in float64. */
const rowsOf = ({ data, shape }) => {
  const size = shape.at(-1);
  return Array.from({ length: data.length / size }, (_none, row) =>
    Array.from(data.subarray(row * size, (row + 1) * size)),
  );
};

/** Queries and keys of all heads, and their scores. */
function drawn(d, seed) {
  const X = rowsOf(Tensor.randn([tokens, embedding], 3 * seed));
  const projected = (from) => {
    const W = rowsOf(Tensor.randn([heads * d, embedding], from));
    const all = X.map((x) => W.map((row) => dot(x, row) / Math.sqrt(embedding)));
    return (head) => all.map((row) => row.slice(head * d, (head + 1) * d));
  };
  const [queries, keys] = [projected(3 * seed + 1), projected(3 * seed + 2)];
  const scoresOf = (head) => queries(head).map((q) => keys(head).map((k) => dot(q, k)));
  const all = Array.from({ length: heads }, (_none, head) => scoresOf(head)).flat(2);
  const mean = sum(all) / all.length;
  const variance = sum(all.map((score) => (score - mean) ** 2)) / (all.length - 1);
  return { queries, keys, scoresOf, deviation: Math.sqrt(variance) };
}

const near = (found, expected, what, tolerance = 1e-4) => {
  assert.equal(found.length, expected.length, what);
  found.forEach((value, at) => {
    const error = Math.abs(value - expected[at]);
    assert.ok(error < tolerance, `${what} ${at}: ${value} and not ${expected[at]}`);
  });
};

const keysOf = (page) =>
  page.$$eval('#why .why-key', (all) =>
    all.map(({ dataset, ariaPressed }) => ({
      score: Number(dataset.score),
      scaled: Number(dataset.scaled),
      weight: Number(dataset.weight),
      isChosen: ariaPressed === 'true',
    })),
  );
const stripsOf = (page) =>
  page.$eval('#why .why-products', (root) => {
    const valuesOf = (selector, name) =>
      [...root.querySelectorAll(selector)].map(({ dataset }) => Number(dataset[name]));
    return {
      units: valuesOf('[data-strip="q"] > rect', 'unit'),
      q: valuesOf('[data-strip="q"] > rect', 'value'),
      k: valuesOf('[data-strip="k"] > rect', 'value'),
      products: valuesOf('[data-strip="product"] > rect', 'value'),
      sums: valuesOf('.why-sum', 'after'),
    };
  });

describe('every number follows from what is drawn', () => {
  for (const { query, d = 64, seed = 1, head = 0, at = 2, key, divisor = 1, sorted } of [
    { query: '', key: 5 },
    {
      query:
        '?why-d=16&why-divisor=5.5&why-head=3&why-query=7&why-key=2&why-order=product&why-seed=9',
      ...{ d: 16, seed: 9, head: 2, at: 6, key: 1, divisor: 5.5, sorted: true },
    },
    {
      query: '?why-d=4&why-divisor=8&why-head=4&why-query=1&why-key=8',
      ...{ d: 4, head: 3, at: 0, key: 7, divisor: 8 },
    },
    { query: '?why-divisor=8&why-order=product', key: 5, divisor: 8, sorted: true },
  ]) {
    test(`of a query and its keys${query}`, async (t) => {
      const { page } = await openWhy(t, query);
      const { queries, keys, scoresOf, deviation } = drawn(d, seed);
      const [q, k] = [queries(head)[at], keys(head)[key]];
      const scores = scoresOf(head)[at];
      const weights = softmax(scores.map((score) => score / divisor));
      const shown = await keysOf(page);
      const column = (name) => shown.map((each) => each[name]);
      near(column('score'), scores, 'score');
      near(
        column('scaled'),
        scores.map((score) => score / divisor),
        'scaled score',
      );
      near(column('weight'), weights, 'weight', 1e-5);
      assert.equal(column('isChosen').indexOf(true), key);

      const strips = await stripsOf(page);
      const units = [...q.keys()];
      if (sorted) units.sort((a, b) => q[b] * k[b] - q[a] * k[a]);
      assert.deepEqual(strips.units, units);
      const products = units.map((unit) => q[unit] * k[unit]);
      near(
        strips.q,
        units.map((unit) => q[unit]),
        'q',
      );
      near(
        strips.k,
        units.map((unit) => k[unit]),
        'k',
      );
      near(strips.products, products, 'product');
      near(
        strips.sums,
        products.map((_product, place) => sum(products.slice(0, place + 1))),
        'running sum',
      );
      assert.ok(Math.abs(strips.sums.at(-1) - shown[key].score) < 1e-4, 'the sum is the score');

      const raising = products.filter((product) => product > 0);
      const lowering = products.filter((product) => product < 0);
      assert.equal(
        (await textOf(page, '.why-read-out')).replaceAll('−', '-'),
        `${words[at]} · ${words[key]}: ${raising.length} products raise the score by ${sum(raising).toFixed(2)}, ` +
          `${lowering.length} lower it by ${(-sum(lowering)).toFixed(2)}. ` +
          `Their sum is the score, q · k = ${scores[key].toFixed(2)}.`,
      );
      assert.equal(await readingOf(page, 'weight'), Math.max(...weights).toFixed(2));
      assert.equal(await readingOf(page, 'entropy'), `${entropyOf(weights).toFixed(2)} of 2.08`);
      assert.equal(await readingOf(page, 'deviation'), (deviation / divisor).toFixed(2));
    });
  }

  test('of random queries and keys against d', async (t) => {
    const { page } = await openWhy(t);
    const valuesOf = (variant) =>
      page.$$eval(`#why .why-point[data-variant="${variant}"]`, (all) =>
        all.map(({ dataset }) => Number(dataset.value)),
      );
    const expected = (scaleOf) => {
      const measures = Array.from({ length: 10 }, (_none, power) => {
        const d = 2 ** power;
        const queries = rowsOf(Tensor.randn([64 * 8, d], 2 * d));
        const keys = rowsOf(Tensor.randn([64 * 8, d], 2 * d + 1));
        const rows = queries.map((q, at) => {
          const set = 8 * Math.floor(at / 8);
          return softmax(keys.slice(set, set + 8).map((k) => scaleOf(d) * dot(q, k)));
        });
        return {
          entropy: sum(rows.map(entropyOf)) / rows.length,
          gradient: sum(rows.flat().map((p) => p * (1 - p))) / rows.flat().length,
        };
      });
      return (name) => measures.map((each) => each[name]);
    };
    const [undivided, divided] = [expected(() => 1), expected((d) => 1 / Math.sqrt(d))];
    near(await valuesOf('undivided'), undivided('entropy'), 'entropy, not divided');
    near(await valuesOf('divided'), divided('entropy'), 'entropy, divided');
    assert.match(
      await textOf(page, '.why-seen'),
      new RegExp(
        `^At d = 64, mean entropy is ${undivided('entropy')[6].toFixed(2)} without the division, ` +
          `${divided('entropy')[6].toFixed(2)} with it, and at most ${Math.log(8).toFixed(2)}`,
      ),
    );
    const largest = () =>
      page.$$eval('#why .why-point[r="5"]', (all) => all.map(({ dataset }) => dataset.d));
    assert.deepEqual(await largest(), ['64', '64']);
    await (await control(page, '16', 'radio')).click();
    assert.deepEqual(await largest(), ['16', '16']);
    // What is seen: without the division it falls, with it it stays.
    assert.ok(undivided('entropy')[9] < 0.15 && divided('entropy')[9] > 1.6);

    await (await control(page, 'Gradient p(1 − p)', 'radio')).click();
    await waitForSearch(page, '?why-d=16&why-measure=gradient');
    near(await valuesOf('undivided'), undivided('gradient'), 'gradient, not divided', 1e-5);
    near(await valuesOf('divided'), divided('gradient'), 'gradient, divided', 1e-5);
    assert.match(
      await textOf(page, '.why-seen'),
      new RegExp(`is ${undivided('gradient')[4].toFixed(3)} without the division`),
    );
  });
});

describe('the divisor', () => {
  test('is dragged by keyboard, and the weights follow at once', async (t) => {
    const { page } = await openWhy(t);
    const scores = drawn(64, 1).scoresOf(0)[2];
    const slider = await control(page, 'Divide the scores by', 'slider');
    await slider.focus();
    for (const [key, divisor] of [
      ['ArrowRight', 2 ** (1 / 16)],
      ['End', 128],
      ['Home', 1],
    ]) {
      await page.keyboard.press(key);
      const rounded = Math.round(100 * divisor) / 100;
      await waitForSearch(page, rounded === 1 ? '' : `?why-divisor=${rounded}`);
      const weights = softmax(scores.map((score) => score / rounded));
      near(
        (await keysOf(page)).map(({ weight }) => weight),
        weights,
        'weight',
        1e-5,
      );
      assert.equal(
        await slider.evaluate(
          (input) => input.ariaValueText ?? input.getAttribute('aria-valuetext'),
        ),
        `${rounded}: largest weight ${Math.max(...weights).toFixed(2)}, entropy ${entropyOf(weights).toFixed(2)}`,
      );
    }
  });

  test('is dragged by pointer, in one step of the history', async (t) => {
    const { page } = await openWhy(t);
    const slider = await control(page, 'Divide the scores by', 'slider');
    const { x, y, width, height } = await slider.boundingBox();
    const middle = y + height / 2;
    await page.mouse.move(x + 8, middle);
    await page.mouse.down();
    await page.mouse.move(x + width / 3, middle, { steps: 4 });
    await page.mouse.move(x + width - 8, middle, { steps: 4 });
    await page.mouse.up();
    await waitForSearch(page, '?why-divisor=128');
    const all = (await keysOf(page)).map(({ weight }) => weight);
    assert.ok(Math.max(...all) < 0.2, 'nearly uniform');
    await page.goBack();
    await waitForSearch(page, '');
    await page.waitForFunction(
      () => document.querySelector('#why [data-reading="weight"] dd').textContent.trim() === '0.95',
    );
  });

  test('has marks at 1, √d and d, each below its place on the slider', async (t) => {
    const { page } = await openWhy(t, '?why-d=16');
    const marks = await page.$$('#why .why-marks > button');
    const names = await Promise.all(marks.map((mark) => mark.evaluate((e) => e.textContent)));
    assert.deepEqual(names, ['1', '√d = 4', 'd = 16']);
    const slider = await (await control(page, 'Divide the scores by', 'slider')).boundingBox();
    for (const [at, search] of [
      [1, '?why-d=16&why-divisor=4'],
      [2, '?why-d=16&why-divisor=16'],
    ]) {
      await marks[at].click();
      await waitForSearch(page, search);
      const { x, width } = await marks[at].boundingBox();
      const place = slider.x + 8 + ((2 * at) / 5) * (slider.width - 16);
      assert.ok(Math.abs(x + width / 2 - place) < 2, names[at]);
      assert.equal(await marks[at].evaluate((mark) => mark.ariaPressed), 'true');
    }
    assert.equal(await textOf(page, '.why-divisor-value'), '16');
  });

  test('by which the deviation is 1 at two values of d is the goal', async (t) => {
    const { page } = await openWhy(t);
    assert.equal(await textOf(page, '.goal-progress'), '');
    await press(page, '√d = 8');
    assert.equal(await textOf(page, '.goal-progress'), 'd = 64: 8. Now choose another d.');
    await press(page, 'd = 64');
    assert.equal(await page.$('#why .goal[data-reached]'), null, 'another divisor is no other d');
    await (await control(page, '16', 'radio')).click();
    await press(page, '√d = 4');
    await page.waitForSelector('#why .goal[data-reached]');
    assert.match(
      await textOf(page, '.goal-progress'),
      /^Reached\. 4 for d = 16, 8 for d = 64\. The standard deviation of q · k grows as √d/,
    );
  });
});

describe('a key is chosen', () => {
  test('by pointer, by keyboard, with the way back', async (t) => {
    const { page } = await openWhy(t);
    assert.match(await textOf(page, '.why-made h3'), /^Why “my”: its score for the query “cat”/);
    await page.click('#why .why-key[data-key="0"] .why-row-back');
    await waitForSearch(page, '?why-key=1');
    assert.match(await textOf(page, '.why-made h3'), /^Why “a”/);
    await page.$eval('#why .why-key[data-key="0"]', (row) => row.focus());
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await textOf(page, '.why-made h3'), /^Why “a”/, 'the focus alone chooses nothing');
    await page.keyboard.press('Enter');
    await waitForSearch(page, '?why-key=3');
    assert.match(await textOf(page, '.why-made h3'), /^Why “cat”/);
    const focused = await page.evaluate(() => document.activeElement.dataset.key);
    assert.equal(focused, '2', 'the focus stays');
    const name = await page.evaluate(() => document.activeElement.ariaLabel);
    assert.match(name.replace('−', '-'), /^Key 3, cat: score -17\.74, weight 0\.0000$/);
    await page.goBack();
    await page.waitForFunction(() =>
      document.querySelector('#why .why-made h3').textContent.startsWith('Why “a”'),
    );
  });

  test('and is the one with the largest score until then, for every query and head', async (t) => {
    const { page } = await openWhy(t, '?why-d=16');
    const { scoresOf } = drawn(16, 1);
    for (const [head, query] of [
      [0, 2],
      [0, 6],
      [2, 6],
    ]) {
      await page.click(`#why .why-heads input[value="${head + 1}"]`);
      await page.select('#why .why-settings select', String(query + 1));
      const scores = scoresOf(head)[query];
      const largest = scores.indexOf(Math.max(...scores));
      assert.equal(
        (await keysOf(page)).findIndex(({ isChosen }) => isChosen),
        largest,
      );
      assert.match(
        await textOf(page, '.why-made h3'),
        new RegExp(`^Why “${words[largest]}”.* “${words[query]}”`),
      );
    }
  });
});

test('a product is told under the pointer and by the arrow keys', async (t) => {
  const { page } = await openWhy(t, '?why-order=product');
  const { units, q, k, products } = await stripsOf(page);
  const told = (place) => {
    const [a, b, c] = [q, k, products].map((all) => all[place].toFixed(4));
    const verb = products[place] < 0 ? 'lowers' : 'raises';
    return `Column ${units[place] + 1}: q ${a} × k ${b} = ${c} ${verb} the score.`;
  };
  const readOut = async () => (await textOf(page, '.why-read-out')).replaceAll('−', '-');
  const summary = await readOut();
  await (await page.$('#why [data-strip="k"] > rect:nth-child(64)')).hover();
  assert.equal(await readOut(), told(63));
  await page.mouse.move(0, 0);
  assert.equal(await readOut(), summary);
  await page.focus('#why .why-made input:checked');
  await page.keyboard.press('Tab');
  assert.equal(await readOut(), told(0));
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await readOut(), told(2));
  const state = await page.evaluate(() => {
    const { role, ariaValueNow, ariaValueMax, ariaValueText } = document.activeElement;
    return [role, ariaValueNow, ariaValueMax, ariaValueText];
  });
  assert.deepEqual(state.slice(0, 3), ['slider', '3', '64']);
  assert.equal(state[3].replaceAll('−', '-'), told(2));
  await page.keyboard.press('End');
  assert.equal(await readOut(), told(63));
  await page.keyboard.press('Home');
  assert.equal(await readOut(), told(0));
});

describe('in an address', () => {
  const noticesOf = (page) =>
    page.$$eval('#why .notices p', (all) => all.map((notice) => notice.textContent));

  test('what there is not is replaced, in words', async (t) => {
    const { page } = await openWhy(
      t,
      '?why-d=5&why-divisor=0.5&why-head=9&why-query=0&why-key=99&why-order=x&why-measure=y&why-seed=0',
    );
    const notices = await noticesOf(page);
    const names = ['d', 'divisor', 'head', 'query', 'key', 'order', 'measure', 'seed'];
    assert.equal(notices.length, names.length);
    names.forEach((name, at) => {
      assert.match(notices[at], new RegExp(`^Invalid why-${name} “.*using .*\\.$`));
    });
    assert.match(notices[4], /expected a number from 0 to 8; using 8\.$/);
    assert.match(await textOf(page, '.why-made h3'), /^Why “bed”: its score for the query “a”/);
  });

  test('a divisor ends at twice d', async (t) => {
    const { page } = await openWhy(t, '?why-d=4&why-divisor=100');
    assert.deepEqual(await noticesOf(page), [
      'Invalid why-divisor “100” in the address: expected a number from 1 to 8; using 8.',
    ]);
    assert.equal(await textOf(page, '.why-divisor-value'), '8');
    // By a control it needs no words.
    await (await control(page, '64', 'radio')).click();
    await (await control(page, 'Divide the scores by', 'slider')).focus();
    await page.keyboard.press('End');
    await (await control(page, '16', 'radio')).click();
    await waitForSearch(page, '?why-divisor=32&why-d=16');
  });
});

test('its figures are saved', async (t) => {
  const { page } = await openWhy(t, '?why-order=product&why-divisor=8');
  const readFile = await useDownloads(t, page);
  const jsonOf = async (name) => {
    await save(page, `Save the numbers of ${name} as JSON`, '#why');
    return JSON.parse(await readFile(`headwise-${name.replaceAll(' ', '-')}.json`));
  };
  const { weights, divisor } = await jsonOf('the weights of the keys');
  assert.equal(divisor, 8);
  near(
    weights,
    (await keysOf(page)).map(({ weight }) => weight),
    'weight',
    1e-9,
  );
  const products = await jsonOf('the products of a score');
  const { sums } = await stripsOf(page);
  assert.deepEqual(
    products.map(({ after }) => after),
    sums,
  );
  const { dimensions } = await jsonOf('entropy against d');
  assert.deepEqual(
    dimensions.map(({ d }) => d),
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  );
  for (const [name, least] of [
    ['the weights of the keys', 24],
    ['the products of a score', 4 * 64],
    ['entropy against d', 0],
  ]) {
    await save(page, `Save ${name} as SVG`, '#why');
    const file = String(await readFile(`headwise-${name.replaceAll(' ', '-')}.svg`));
    const found = await page.evaluate((source) => {
      const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml');
      const all = (selector) => [...documentElement.querySelectorAll(selector)];
      return {
        rects: all('rect').length,
        texts: all('text').length,
        hidden: all('text').filter(
          (text) =>
            !['none', ''].includes(text.getAttribute('stroke') ?? '') &&
            !text.getAttribute('paint-order')?.startsWith('stroke'),
        ).length,
      };
    }, file);
    assert.ok(found.rects > least && found.texts > 3, name);
    assert.equal(found.hidden, 0, `${name}: no outline covers its letters`);
  }
});

describe('in every dress', () => {
  for (const scheme of ['light', 'dark']) {
    test(`axe-core finds no violation, ${scheme}`, async (t) => {
      const { page } = await openWhy(t, '?why-divisor=8', { media: { scheme } });
      assert.deepEqual(await violations(page, { scope: '#why' }), []);
      await (await control(page, 'Gradient p(1 − p)', 'radio')).click();
      await press(page, '√d = 8');
      await page.focus('#why .why-products');
      assert.deepEqual(await violations(page, { scope: '#why' }), []);
    });
  }

  test('it fits a phone, where the divisor stays in view beside the weights', async (t) => {
    for (const d of [64, 4]) {
      const { page } = await openWhy(t, `?why-d=${d}`, { width: 390 });
      await fitsAcross(page, `d = ${d}`);
      await page.$eval('#why .why-keys', (keys) => keys.scrollIntoView({ block: 'end' }));
      const inView = await page.evaluate(() =>
        ['.why-divisor', '.why-keys'].map((each) => {
          const { top, bottom } = document.querySelector(`#why ${each}`).getBoundingClientRect();
          return top >= 0 && bottom <= window.innerHeight;
        }),
      );
      assert.deepEqual(inView, [true, true]);
      const tops = await page.evaluate(() =>
        ['.why-over', '.why-made', '.why-chart', '.panel-end'].map(
          (each) => document.querySelector(`#why ${each}`).getBoundingClientRect().top,
        ),
      );
      assert.deepEqual(
        tops,
        [...tops].sort((a, b) => a - b),
      );
    }
  });

  test('in forced colours names and numbers are read on the ground of the page', async (t) => {
    const { page } = await openWhy(t, '', { media: { forcedColors: 'active', scheme: 'dark' } });
    const { ground, rows, outlines, inks } = await page.evaluate(() => {
      const valuesOf = (selector, property) => [
        ...new Set(
          [...document.querySelectorAll(`#why ${selector}`)].map(
            (each) => getComputedStyle(each)[property],
          ),
        ),
      ];
      return {
        ground: getComputedStyle(document.body).backgroundColor,
        rows: valuesOf('.why-row-back', 'fill'),
        outlines: valuesOf('.why-line-name, .why-here-name', 'stroke'),
        inks: valuesOf('.why-name, .why-number, .why-line-name, .why-here-name', 'fill'),
      };
    });
    assert.deepEqual(rows, ['none']);
    assert.deepEqual(outlines, ['none']);
    assert.ok(!inks.includes(ground));
  });

  test('it is at most a screen high', async (t) => {
    const { page } = await openWhy(t, '?why-measure=gradient');
    await page.setViewport({ width: 1440, height: 900 });
    const [height, room] = await page.evaluate(() => [
      document.querySelector('#why .act-stage').getBoundingClientRect().height,
      window.innerHeight - document.querySelector('nav').getBoundingClientRect().height,
    ]);
    assert.ok(height <= room, `${height} of ${room}`);
  });
});
