// The elements of headwise/view in a page with a strict policy.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { interpolateViridis } from 'd3-scale-chromatic';
import { violations } from '../lib/axe.mjs';
import { root } from '../lib/browser.mjs';
import { openPlain } from '../lib/package-server.mjs';
import { overflowOf, prefer } from '../lib/pages.mjs';
import { until } from '../lib/until.mjs';

/** Defines in the page what the tests evaluate there. */
async function prepare(count) {
  const { AttentionHeadsElement, defineAttentionHeads, defineHeadScores, defineLogitLens } =
    await import('/headwise/view.js');
  defineHeadScores();
  defineLogitLens();
  const page = globalThis;
  // What is set before the element is defined is kept.
  const early = document.createElement('attention-heads');
  early.weights = { data: [1], shape: [1, 1, 1] };
  early.tokens = ['early'];
  const other = document.createElement('other-heads');
  document.body.append(early, other);
  for (const name of [undefined, undefined, 'other-heads', 'other-heads']) {
    defineAttentionHeads(name);
  }
  await null;
  page.isDefinedOnce =
    [early, other].every((made) => made instanceof AttentionHeadsElement) &&
    early.shadowRoot.querySelector('.token').textContent === 'early';
  early.remove();
  other.remove();

  /** Causal weights: head 0 prefers the previous word, head 1 the first, others weigh all alike. */
  page.makeWeights = (heads, queries, keys = queries, isCausal = true) => {
    const data = [];
    for (let head = 0; head < heads; head++) {
      for (let query = 0; query < queries; query++) {
        const favourite = [Math.max(query - 1, 0), 0][head];
        const row = Array.from({ length: keys }, (_, key) => {
          if (isCausal && key > query) return 0;
          return key === favourite ? 9 : 1;
        });
        const sum = row.reduce((a, b) => a + b);
        data.push(...row.map((weight) => weight / sum));
      }
    }
    return { data, shape: [heads, queries, keys] };
  };
  const main = document.createElement('main');
  const heading = document.createElement('h1');
  heading.textContent = 'Attention';
  page.view = document.createElement('attention-heads');
  page.selections = [];
  for (const name of ['attention', 'head', 'lens']) {
    document.addEventListener(`${name}-select`, ({ detail }) => page.selections.push(detail));
  }
  /** Puts another element into the place of the first one, which stays in the page as `heads`. */
  page.show = (name, properties) => {
    page.heads ??= page.view;
    if (page.view !== page.heads) page.view.remove();
    page.view = document.createElement(name);
    page.heads.before(page.view);
    page.heads.hidden = name !== 'attention-heads';
    Object.assign(page.view, properties);
  };
  /** The colour of each box: red, green, blue and alpha. */
  page.fills = () => {
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    return page.inside('.boxes .box').map((box) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = getComputedStyle(box).backgroundColor;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    });
  };
  main.append(heading, page.view);
  document.body.append(main);
  page.inside = (selector) => [...page.view.shadowRoot.querySelectorAll(selector)];
  page.textsOf = (selector) => page.inside(selector).map(({ textContent }) => textContent);
  page.focused = () => page.view.shadowRoot.activeElement;
  /** Head and key of each arc. */
  page.arcs = () => page.inside('.curves path').map(({ dataset }) => [+dataset.head, +dataset.key]);
  page.chosenWord = () => page.textsOf('[aria-selected="true"] .token').join();
  const tokens = 'the quick brown fox saw the lazy dog'.split(' ');
  const weights = page.makeWeights(4, tokens.length);
  Object.assign(page.view, { tokens, weights: count === 1 ? weights : Array(count).fill(weights) });
  await null;
}

/** A sentence of eight words under four heads, in one layer or in several. */
async function open(t, { width = 1000, layers = 1, media = {} } = {}) {
  const page = await openPlain(t);
  await page.setViewport({ width, height: 800, hasTouch: true });
  await prefer(page, media);
  await page.evaluate(prepare, layers);
  /** Evaluates an expression of the page. */
  const get = (expression) => page.evaluate(expression);
  const find = async (selector, index = 0) =>
    (await page.evaluateHandle((s, i) => globalThis.inside(s)[i], selector, index)).asElement();
  return {
    page,
    get,
    /** Sets properties, as an expression, and waits until they are drawn. */
    set: (properties) => get(`Object.assign(view, ${properties}); Promise.resolve()`),
    hover: async (selector, index) => (await find(selector, index)).hover(),
    click: async (selector, index) => (await find(selector, index)).click(),
    tap: async (selector, index) => (await find(selector, index)).tap(),
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
  };
}

const keysOf = (arcs, head) => arcs.filter(([h]) => h === head).map(([, key]) => key);

test('a word is chosen for as long as the pointer is on it, and for good by a click or a tap', async (t) => {
  const { get, hover, click, tap } = await open(t);
  assert.ok(await get('isDefinedOnce'));
  assert.equal(await get('chosenWord()'), 'dog');
  assert.ok(keysOf(await get('arcs()'), 0).includes(6));
  await hover('.word', 3);
  assert.equal(await get('chosenWord()'), 'fox');
  assert.equal(await get('view.query'), 3);
  assert.deepEqual(keysOf(await get('arcs()'), 2).sort(), [0, 1, 2, 3]);
  // Below each key the largest weight of all heads: 9/12 of heads 0 and 1, 1/4 of the others.
  assert.equal(await get("textsOf('.number').join()"), '0.75,0.25,0.75,0.25,,,,');
  await hover('.chip', 0);
  assert.equal(await get('chosenWord()'), 'dog');
  assert.deepEqual(await get('selections.map(({ query }) => query)'), [3, 7]);

  await click('.word', 2);
  await hover('.chip', 0);
  assert.equal(await get('chosenWord()'), 'brown');
  assert.equal(await get("view.getAttribute('query')"), '2');
  await tap('.word', 4);
  assert.equal(await get('chosenWord()'), 'saw');
  const fans = 'saw, Head 0: fox 0.69; Head 1: the 0.69; Head 2: the 0.20; Head 3: the 0.20';
  assert.equal(await get("textsOf('.said').join()"), fans);
});

test('a chip shows one head alone, and all again', async (t) => {
  const { get, click } = await open(t);
  const pressed = () => get("inside('.chip').map((chip) => chip.ariaPressed)");
  await click('.chip', 1);
  assert.deepEqual(await pressed(), ['false', 'true', 'false', 'false']);
  assert.equal(await get('view.head'), 1);
  assert.deepEqual(await get('[...new Set(arcs().map(([head]) => head))]'), [1]);
  assert.deepEqual(await get("textsOf('.number').slice(-3)"), ['0.06', '0.06', '0.06']);
  const fan = 'dog, Head 1: the 0.56, quick 0.06, brown 0.06';
  assert.equal(await get("textsOf('.said').join()"), fan);
  await click('.chip', 1);
  assert.deepEqual(await pressed(), ['false', 'false', 'false', 'false']);
  assert.deepEqual(await get('selections.map(({ head }) => head ?? null)'), [1, null]);
});

test('by keyboard: chips, then one word, from which arrows, Home and End lead on', async (t) => {
  const { get, press } = await open(t);
  await press('Tab', 'Tab', 'Tab', 'Space');
  assert.equal(await get('view.head'), 2);
  await press('Tab', 'Tab');
  const words = [];
  for (const key of ['ArrowLeft', 'ArrowUp', 'Home', 'ArrowLeft', 'ArrowRight', 'End']) {
    await press(key);
    assert.ok((await get('focused().textContent')).startsWith(await get('chosenWord()')));
    words.push(await get('view.query'));
  }
  assert.deepEqual(words, [6, 5, 0, 0, 1, 7]);
  await press('Tab');
  assert.equal(await get('focused()'), null);
});

test('nothing moves when another word or head is shown; arcs follow words to other lines', async (t) => {
  const { page, get, hover, click } = await open(t, { width: 360 });
  const boxes = () =>
    page.evaluate(() =>
      globalThis.inside('.chip, .word, .number').map((each) => {
        const { x, y, width } = each.getBoundingClientRect();
        return [x, y, width];
      }),
    );
  const before = await boxes();
  await hover('.word', 1);
  assert.deepEqual(await boxes(), before);
  await click('.chip', 2);
  assert.deepEqual(await boxes(), before);
  assert.ok(before.every(([x, , width]) => x >= 0 && x + width <= 360));

  const paths = () => get("inside('.curves path').map((path) => path.getAttribute('d')).join()");
  const narrow = await paths();
  await page.setViewport({ width: 1000, height: 800, hasTouch: true });
  await until(async () => (await paths()) !== narrow, 'the arcs stay as they were');
});

test('layers, samples, two rows of words, and other words and weights one after the other', async (t) => {
  const { get, set, click } = await open(t, { layers: 2 });
  const names = Array.from({ length: 8 }, (_, i) => `<b>${i}</b> & more`);
  await set(`{ names: ${JSON.stringify(names)} }`);
  assert.deepEqual(await get("textsOf('.chip')"), names.slice(0, 4));
  assert.match(await get("inside('.steps')[0].innerText"), /Layer 0 \(of 2\)/);
  // The last layer is not passed.
  for (let presses = 0; presses < 2; presses++) {
    await click('.steps button', 1);
    assert.equal(await get('view.layer'), 1);
  }
  assert.deepEqual(await get("textsOf('.chip')"), names.slice(4));
  assert.equal(await get('selections.at(-1).layer'), 1);

  await set("{ names: undefined, tokens: ['a', 'b'], weights: makeWeights(3, 2) }");
  assert.deepEqual(await get("textsOf('.token')"), ['a', 'b']);
  assert.equal(await get("inside('.chip').length"), 3);

  await set(
    "{ tokens: [...'heʊ'], keyTokens: [...'hello'], weights: makeWeights(2, 3, 5, false) }",
  );
  assert.deepEqual(await get("textsOf('.keys .token')"), [...'hello']);
  assert.deepEqual(await get("textsOf('.keys .number')"), ['0.69', '0.69', '0.08', '0.08', '0.08']);
  assert.equal(await get("inside('[role=option]').length"), 3);
  assert.equal(await get('arcs().length'), 10);
  const topOf = (row) => `inside('.${row}')[0].getBoundingClientRect().y`;
  assert.ok(await get(`${topOf('keys')} < ${topOf('queries')}`));

  await set('{ tokens: undefined, keyTokens: undefined }');
  await set('{ weights: { data: [1, 0, 0.2, 0.8], shape: [2, 1, 1, 2] } }');
  assert.deepEqual(await get("textsOf('.number')"), ['1.00', '']);
  await set('{ sample: 1 }');
  assert.deepEqual(await get("textsOf('.number')"), ['0.20', '0.80']);
  for (const [weights, numbers] of [
    ['{ data: [1, 0, 0.2, 0.8], dims: [2, 1, 2] }', ['1.00', '0.80']],
    ['[[[1, 0]], [new Float32Array([0.2, 0.8])]]', ['1.00', '0.80']],
    ['[[[[[1, 0]]]], [[[[0.2, 0.8]]]]], layer: 1', ['0.20', '0.80']],
    ['[[1, 0]]', ['1.00', '']],
    ['[[[1, 0]], [[0.2, 0.8]]], mean: true', ['0.60', '0.40']],
  ]) {
    await set(`{ weights: ${weights} }`);
    assert.deepEqual(await get("textsOf('.number')"), numbers);
  }
  assert.deepEqual(await get("textsOf('.chip')"), ['Mean of 2 heads']);
  await set('{ weights: undefined }');
  assert.equal(await get("inside('.frame')[0].checkVisibility()"), false);
});

test('the map shows one head in viridis, and is walked through by keys and pointer', async (t) => {
  const { get, set, hover, press } = await open(t);
  await set("{ view: 'map', head: 1 }");
  const told = () => get("textsOf('.told').join()");
  assert.equal(await told(), 'dog → the: 0.56');
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab');
  assert.equal(await get('focused().ariaLabel'), 'dog → the: 0.56');
  for (const [key, label] of [
    ['ArrowUp', 'lazy → the: 0.60'],
    ['ArrowRight', 'lazy → quick: 0.07'],
    ['End', 'lazy → dog: 0'],
  ]) {
    await press(key);
    assert.deepEqual([await get('focused().ariaLabel'), await told()], [label, label]);
  }
  const chosen = { view: 'map', layer: 0, head: 1, query: 6, key: 7 };
  assert.deepEqual(await get('selections.at(-1)'), chosen);
  await hover('.numbers span', 8);
  assert.equal(await told(), 'quick → the: 0.90');
  await hover('.chip', 0);
  assert.equal(await told(), 'lazy → dog: 0');
  // One cell follows the reader, over a canvas.
  assert.equal(await get("inside('.plot *').filter(({ role }) => role).length"), 2);

  const weights = Array.from({ length: 256 }, (_, i) => i / 255);
  const given = JSON.stringify({ data: weights, shape: [1, 16, 16] });
  await set(`{ tokens: undefined, head: undefined, weights: ${given} }`);
  const rgba = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).concat(255);
  assert.deepEqual(
    await get("[...inside('canvas')[0].getContext('2d').getImageData(0, 0, 16, 16).data]"),
    weights.flatMap((weight) => rgba(interpolateViridis(weight))),
  );
  await set('{ weights: makeWeights(1, 512) }');
  assert.ok((await get("inside('*').length")) < 1000);
});

test('the model has a small map for each head, which opens it', async (t) => {
  const { get, set, click, press } = await open(t);
  await set("{ view: 'model', tokens: undefined, weights: Array(12).fill(makeWeights(12, 32)) }");
  assert.equal(await get("inside('canvas').length"), 144);
  await click('.tile', 12 * 3 + 5);
  const state = () => get('[view.view, view.layer, view.head]');
  assert.deepEqual(await state(), ['arcs', 3, 5]);
  assert.deepEqual(await get('[...new Set(arcs().map(([head]) => head))]'), [5]);
  // And back, by keyboard.
  assert.equal(await get('focused().textContent'), 'All layers');
  await press('Enter');
  assert.equal(await get('view.view'), 'model');
  assert.equal(await get('focused().ariaLabel'), 'Layer 3 (of 12), Head 5');
  await press('ArrowDown', 'Home');
  assert.equal(await get('focused().ariaLabel'), 'Layer 4 (of 12), Head 0');
  await press('Enter');
  assert.deepEqual(await state(), ['arcs', 4, 0]);
});

/** The number of paths, texts, squares and images in the element's SVG file. */
async function partsOf(page, scheme) {
  const file = await page.evaluate(() => globalThis.view.toSVG());
  assert.doesNotMatch(file, /var\(|light-dark|color-mix|color\(|class=|data-(?!:)\w+=|NaN/);
  const { size, parts, errors, fill } = await page.evaluate(async (text) => {
    const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    return {
      size: [image.naturalWidth, image.naturalHeight],
      parts: ['path', 'text', 'rect', 'image'].map((n) => root.querySelectorAll(n).length),
      errors: root.querySelectorAll('parsererror').length,
      fill: root.querySelector('rect').getAttribute('fill'),
    };
  }, file);
  assert.equal(errors, 0);
  assert.ok(Math.min(...size) > 100, `${size}`);
  assert.equal(fill === 'rgb(255,255,255)', scheme === 'light', fill);
  return parts;
}

for (const scheme of ['light', 'dark']) {
  test(`every view passes axe-core, and its SVG file needs nothing around it, ${scheme}`, async (t) => {
    const { page, get, set } = await open(t, { layers: 2, width: 360, media: { scheme } });
    // axe-core takes a page without a background of its own for white.
    await page.evaluate(() => {
      document.documentElement.style.colorScheme = 'light dark';
      document.body.style.background = 'Canvas';
    });
    await set('{ names: Array.from({ length: 8 }, (_, i) => `<b>${i}</b> & \\u0001`) }');
    for (const view of ['arcs', 'map', 'model']) {
      for (const head of ['undefined', '1']) {
        await set(`{ view: '${view}', head: ${head} }`);
        assert.deepEqual(await violations(page), []);
      }
      assert.equal(await overflowOf(page), 0);
      await set('{ head: undefined }');
      const [paths, texts, rects, images] = await partsOf(page, scheme);
      if (view === 'arcs') assert.ok(paths >= 15 && texts >= 8 + 8 + 5 && rects > 8 * 4);
      if (view === 'map') assert.ok(texts >= 16 + 64 && rects > 64);
      if (view === 'model') assert.equal(images, 8);
    }
    for (const [name, properties, counts] of [
      ['head-scores', '{ scores: [[1, -2, 3], [0]], layer: 0, head: 1 }', [0, 9, 39, 0]],
      ['logit-lens', `{ ${lensOf(9, 7)}, tokenOf: (t) => 'token'.repeat(t + 1) }`, [0, 82, 97, 0]],
    ]) {
      await get(`show('${name}', ${properties})`);
      assert.deepEqual(await violations(page), []);
      assert.equal(await overflowOf(page), 0);
      assert.deepEqual(await partsOf(page, scheme), counts);
    }
  });
}

/** Logits (rows, positions, 12) as a property of <logit-lens>: cell i has 6/19 for token i, and 3/19 for the next. */
const lensOf = (rows, positions) => {
  const data = Array.from({ length: rows * positions * 12 }, (_, i) => {
    const behind = (i + 12 - Math.floor(i / 12)) % 12;
    return Math.log([6, 3][behind] ?? 1);
  });
  return `logits: ${JSON.stringify({ data, shape: [rows, positions, 12] })}`;
};

test('a map of scores diverges from 0, and a selected head opens its arcs', async (t) => {
  const { get, set, click, hover, press } = await open(t, { layers: 2 });
  await get("heads = view; view.id = 'arcs'; view.view = 'model'; 0");
  await get(
    "show('head-scores', { scores: [[0.5, 0, -2], new Float32Array([1])], heads: 'arcs' })",
  );
  const told = () => get("textsOf('.told').join()");
  assert.equal(await told(), 'Layer 0, Head 2: −2');
  assert.deepEqual(await get("textsOf('.scale > span')"), ['−2', '', '1']);
  const [half, zero, least, one, ...empty] = await get('fills()');
  const redness = [half, zero, least, one].map(([red, , blue]) => red - blue);
  assert.ok(redness[0] > 20 && redness[3] > redness[0] && redness[2] < -100, `${redness}`);
  assert.ok(Math.abs(redness[1]) < 3 && zero[3] === 255);
  assert.deepEqual(empty, Array(2).fill([0, 0, 0, 0]));

  await press('Tab');
  for (const [key, text, isSelected] of [
    ['ArrowDown', 'Layer 1, Head 2: no such head', 'false'],
    ['Enter', 'Layer 1, Head 2: no such head', 'false'],
    ['Home', 'Layer 1, Head 0: 1', 'false'],
    ['Enter', 'Layer 1, Head 0: 1', 'true'],
  ]) {
    await press(key);
    assert.deepEqual(await get('[focused().ariaLabel, focused().ariaSelected]'), [
      text,
      isSelected,
    ]);
    assert.equal(await told(), text);
  }
  assert.deepEqual(await get('selections'), [{ layer: 1, head: 0, score: 1 }]);
  assert.deepEqual(await get('[heads.view, heads.layer, heads.head]'), ['arcs', 1, 0]);
  await hover('.boxes .box', 0);
  assert.equal(await told(), 'Layer 0, Head 0: 0.5');
  await set('{ heads }');
  await click('.boxes .box', 1);
  assert.deepEqual(await get('[view.layer, view.head, heads.layer, heads.head]'), [0, 1, 0, 1]);
  await set('{ heads: "none" }');
  await get("console.warn = (text) => { globalThis.warning = text; }; inside('.cell')[1].focus()");
  await press('Enter');
  assert.match(await get('warning'), /<head-scores> heads: expected the id of .*, got "none"/);
  await set('{ scores: { data: new Float32Array(48 * 64), dims: [48, 64] }, layer: 47, head: 63 }');
  assert.equal(await get("inside('.boxes .box').length"), 48 * 64);
  assert.equal(await told(), 'Layer 47, Head 63: 0');
  assert.deepEqual(await get("inside('.ring, .scale').map(({ hidden }) => hidden)"), [true, false]);
});

test('a logit lens shows the likeliest tokens of each layer and position', async (t) => {
  const { get, set, click, press } = await open(t);
  const tokenOf = "(token) => ' abcdefghijkl'[token + 1].toUpperCase()";
  await get(`show('logit-lens', { ${lensOf(3, 2)}, tokens: ['x', 'y'], tokenOf: ${tokenOf} })`);
  assert.deepEqual(await get("textsOf('.boxes .box')"), [...'EFCDAB']);
  assert.deepEqual(await get("textsOf('.rowheader')"), ['out', '1', '0']);
  const likely = 'F 0.32, G 0.16, A 0.05, B 0.05, C 0.05';
  assert.equal(await get("textsOf('.told').join()"), `Output, y: ${likely}`);

  await press('Tab');
  await press('ArrowDown', 'ArrowLeft', 'Enter');
  assert.ok((await get('focused().ariaLabel')).startsWith('Before layer 1, x: '));
  const [{ layer, position, tokens }] = await get('selections');
  assert.deepEqual([layer, position, tokens.length], [1, 0, 10]);
  assert.deepEqual(
    tokens.slice(0, 3).map(({ token, probability }) => [token, Math.round(19e9 * probability)]),
    [
      [2, 6e9],
      [3, 3e9],
      [0, 1e9],
    ],
  );
  await click('.boxes .box', 5);
  assert.deepEqual(await get('[view.layer, view.position]'), [0, 1]);
  await set('{ top: 3, layer: 2, position: 0 }');
  assert.deepEqual(await get("textsOf('.boxes .box:first-child > span')"), [...'EFA']);
  assert.equal(await get("inside('[role=row]')[0].ariaRowIndex"), '1');
  // Nothing is left of the texts, and the shade is that of the first token.
  await set('{ tokenOf: undefined, tokens: undefined, top: 1, logits: [[[0, 800]]] }');
  assert.deepEqual(await get("textsOf('.boxes .box, .columnheader, .rowheader')"), [
    '0',
    'out',
    '1',
  ]);
  assert.equal(await get("inside('.boxes .box')[0].style.getPropertyValue('--part')"), '100%');
});

const table = (lines) => Array.from(lines.trim().split('\n'), (line) => line.split(' → '));
/** What is refused at once. */
const refused = table(`
weights = { data: [1], shape: [4] } → RangeError: weights: expected (queries, keys), (heads, queries, keys) or (batch, heads, queries, keys), got (4,)
weights = { data: [1, 0, 1], shape: [1, 2, 2] } → RangeError: weights: expected 4 numbers for shape (1, 2, 2), got 3
weights = { data: [1, 0, -1, 1], shape: [1, 2, 2] } → RangeError: weights: expected finite numbers from 0 on, got -1
weights = { data: [NaN], shape: [1, 1, 1] } → RangeError: weights: expected finite numbers from 0 on, got NaN
weights = { data: [1, 0, 'a', 1], shape: [1, 2, 2] } → TypeError: weights: expected numbers, got "a"
weights = [{ data: [1, 0, 1, 0], shape: [1, 2, 2] }, { data: [1], shape: [1, 1, 1] }] → RangeError: weights[1]: expected (1, heads, 2, 2), got (1, 1, 1, 1)
weights = [] → RangeError: weights: expected at least one layer, got none
weights = [[1, 0], [1]] → TypeError: weights: expected nested arrays of equal lengths, got ragged ones
weights = 5 → TypeError: weights: expected a tensor, { data, shape }, { data, dims } or nested arrays, got 5
tokens = 5 → TypeError: tokens: expected an array of strings, got 5
names = ['a', 5] → TypeError: names: expected strings, got 5
layer = -1 → RangeError: layer: expected an integer from 0 on, got -1
head = 'a' → TypeError: head: expected an integer from 0 on, got "a"
view = 'table' → TypeError: view: expected "arcs" or "map" or "model", got "table"`);
/** What does not fit the rest: it waits, and is warned of if it stays. */
const misfits = table(`
tokens = ['a', 'b'] → tokens: expected 8 tokens, one for each query, got 2
keyTokens = ['a'] → keyTokens: expected 8 tokens, one for each key, got 1
names = ['a'] → names: expected 4 names, one for each head, got 1`);

/** The same of the other elements. */
const alsoRefused = {
  'head-scores': table(`
scores = [1, 2] → RangeError: scores: expected (layers, heads), got (2,)
scores = { data: [1], shape: [1, 1, 1] } → RangeError: scores: expected (layers, heads), got (1, 1, 1)
scores = [[1, Infinity]] → RangeError: scores: expected finite numbers, or NaN for missing heads, got Infinity
scores = [[1, 'a']] → TypeError: scores: expected numbers, got "a"
heads = 5 → TypeError: heads: expected an <attention-heads> or its id, got 5
layer = -1 → RangeError: layer: expected an integer from 0 on, got -1`),
  'logit-lens': table(`
logits = [[1, 2]] → RangeError: logits: expected (layers + 1, positions, vocabulary), got (1, 2)
logits = [[[1, NaN]]] → RangeError: logits: expected finite numbers, got NaN
logits = [[['a']]] → TypeError: logits: expected numbers, got "a"
tokenOf = 5 → TypeError: tokenOf: expected a function, got 5
top = 0 → RangeError: top: expected an integer from 1 to 10, got 0
logits = [[[1, 2]]]; view.tokens = ['a', 'b']; view.toSVG() → RangeError: tokens: expected 1 tokens, one for each position, got 2`),
};

test('bad values are refused, and what was shown stays', async (t) => {
  const { get, hover } = await open(t);
  const errorOf = (code) => get(`try { view.${code}; 'none'; } catch (error) { String(error); }`);
  for (const [set, message] of refused) assert.equal(await errorOf(set), message);
  for (const [name, lines] of Object.entries(alsoRefused)) {
    await get(`show('${name}')`);
    for (const [set, message] of lines) assert.equal(await errorOf(set), message);
  }
  await get('view.remove(); view = heads; view.hidden = false; 0');
  assert.equal(await get('chosenWord()'), 'dog');

  for (const [set, message] of misfits) {
    const [name] = set.split(' ');
    await get(`globalThis.before = view.${name}; view.${set}; 0`);
    const warning = await get('new Promise((resolve) => { console.warn = resolve; })');
    assert.equal(warning, `<attention-heads> ${message}`);
    assert.equal(await errorOf(`${set}; view.toSVG()`), `RangeError: ${message}`);
    await get(`view.${name} = before; 0`);
    // What was shown can be used as before.
    await hover('.word', 1);
    assert.equal(await get('chosenWord()'), 'quick');
    await hover('.chip', 0);
  }
  assert.equal(await get('chosenWord()'), 'dog');
});

test('it does without ResizeObserver, beside another copy, and keeps its style in a frame', async (t) => {
  const { page } = await open(t);
  const found = await page.evaluate(async () => {
    const { view, inside } = globalThis;
    delete globalThis.ResizeObserver;
    const { defineAttentionHeads } = await import('/headwise/view.js?copy');
    for (const name of ['attention-heads', 'copied-heads']) defineAttentionHeads(name);
    const copied = document.body.appendChild(document.createElement('copied-heads'));
    customElements.define('no-heads', class extends HTMLElement {});
    const error = await new Promise(() => defineAttentionHeads('no-heads')).catch(String);
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.contentDocument.body.append(view);
    const { borderRadius } = frame.contentWindow.getComputedStyle(inside('.swatch')[0]);
    return [error, copied.view, borderRadius];
  });
  const error = 'TypeError: name: expected one that no other element has, got "no-heads"';
  assert.deepEqual(found, [error, 'arcs', '50%']);
});

test("colours may be the page's own properties, whatever their names", async (t) => {
  const { page } = await open(t);
  const found = await page.evaluate(() => {
    const { view, inside } = globalThis;
    for (const name of ['ink', 'paper', 'focus', 'soft', 'edge', 'tint']) {
      view.parentElement.style.setProperty(`--${name}`, 'rgb(1, 2, 3)');
    }
    view.style.setProperty('--attention-heads-ink', 'var(--ink)');
    view.style.setProperty('--attention-heads-paper', 'white');
    const [token] = inside('[aria-selected="true"] .token');
    const [chip] = inside('.chip');
    return [getComputedStyle(token).backgroundColor, getComputedStyle(chip).borderTopStyle];
  });
  assert.deepEqual(found, ['rgb(1, 2, 3)', 'solid']);
});

test("the document's examples show what they compute", async (t) => {
  const text = readFileSync(join(root, 'docs/view.md'), 'utf8');
  const [first, second, third] = text.matchAll(
    /```html\n(.*?)<script type="module">(.*?)<\/script>/gs,
  );
  const files = { headwise: 'index', 'headwise/models': 'models', 'headwise/view': 'view' };
  /** Runs an example, and returns the texts of the elements that a selector finds in its element `name`. */
  const textsOf = async ([, body, script], name, selector) => {
    const code = script.replaceAll(
      /import (\{.*?\}) from '(.*?)';/g,
      (_, names, from) => `const ${names} = await import('/headwise/${files[from]}.js');`,
    );
    const page = await openPlain(t);
    await page.evaluate(`(async () => { document.body.innerHTML = \`${body}\`; ${code} })()`);
    return page.$eval(
      name,
      ({ shadowRoot }, found) =>
        Array.from(shadowRoot.querySelectorAll(found), ({ textContent }) => textContent),
      selector,
    );
  };
  const words = await textsOf(first, 'attention-heads', '.token');
  assert.equal(words.join(' '), 'the cat sat on the mat');
  const [told] = await textsOf(second, 'head-scores', '.told');
  assert.match(told, /^Layer 0, Head \d: 0\.\d+$/);
  const both = [second, third].reduce((a, b) => a.map((part, i) => part + b[i]));
  const boxes = await textsOf(both, 'logit-lens', '.columnheader, .boxes .box');
  // The output repeats the token before, as the task wants it.
  assert.deepEqual(boxes.slice(13, 24), boxes.slice(0, 11));
});
