// <attention-heads> of headwise/view in a page with a strict policy: what it shows, how it is used, and its files.
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

const tokens = 'the quick brown fox saw the lazy dog'.split(' ');

/** What the tests do in the page, as functions of the page's own. */
async function prepare() {
  const { AttentionHeadsElement, defineAttentionHeads } = await import('/headwise/view.js');
  defineAttentionHeads();
  const page = globalThis;
  page.AttentionHeadsElement = AttentionHeadsElement;
  page.defineAttentionHeads = defineAttentionHeads;
  /** Causal weights: head 0 looks at the word before, head 1 at the first, others at all alike. */
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
  document.addEventListener('attention-select', ({ detail }) => page.selections.push(detail));
  main.append(heading, page.view);
  document.body.append(main);
  page.inside = (selector) => [...page.view.shadowRoot.querySelectorAll(selector)];
  page.textsOf = (selector) => page.inside(selector).map(({ textContent }) => textContent);
  /** Head and key of each arc. */
  page.arcs = () => page.inside('.curves path').map(({ dataset }) => [+dataset.head, +dataset.key]);
  page.chosenWord = () => page.textsOf('[aria-selected="true"] .token').join();
}

async function open(t, { width = 1000, media = {} } = {}) {
  const page = await openPlain(t);
  await page.setViewport({ width, height: 800, hasTouch: true });
  await prefer(page, media);
  await page.evaluate(prepare);
  return page;
}

/** Sets properties and waits until they are drawn. */
const set = (page, properties) =>
  page.evaluate(async (given) => {
    Object.assign(globalThis.view, given);
    await null;
  }, properties);

/** A sentence under four heads, in one layer or in several. */
async function openSentence(t, { layers = 1, ...options } = {}) {
  const page = await open(t, options);
  await page.evaluate(
    async (words, count) => {
      const { view, makeWeights } = globalThis;
      const weights = makeWeights(4, words.length);
      Object.assign(view, {
        tokens: words,
        weights: count === 1 ? weights : Array.from({ length: count }, () => weights),
      });
      await null;
    },
    tokens,
    layers,
  );
  return page;
}

const evaluate = (page, text) => page.evaluate(text);
const find = async (page, selector, index = 0) =>
  (await page.evaluateHandle((s, i) => globalThis.inside(s)[i], selector, index)).asElement();
const hover = async (page, selector, index) => (await find(page, selector, index)).hover();
const press = async (page, selector, index) => (await find(page, selector, index)).click();
const ofHead = (arcs, head) => arcs.filter(([h]) => h === head).map(([, key]) => key);

test('shows the last word at first, and the word under the pointer as long as it is there', async (t) => {
  const page = await openSentence(t);
  assert.equal(await evaluate(page, 'chosenWord()'), 'dog');
  assert.ok(ofHead(await evaluate(page, 'arcs()'), 0).includes(6));
  await hover(page, '.word', 3);
  assert.equal(await evaluate(page, 'chosenWord()'), 'fox');
  assert.equal(await evaluate(page, 'view.query'), 3);
  const arcs = await evaluate(page, 'arcs()');
  assert.deepEqual(ofHead(arcs, 2).sort(), [0, 1, 2, 3]);
  // Under each key the largest weight of all heads: 9/12 of heads 0 and 1, 1/4 of the others.
  assert.deepEqual(await evaluate(page, "textsOf('.number')"), [
    ...['0.75', '0.25', '0.75', '0.25'],
    ...['', '', '', ''],
  ]);
  await hover(page, '.chip', 0);
  assert.equal(await evaluate(page, 'chosenWord()'), 'dog');
  const there = { view: 'arcs', layer: 0 };
  assert.deepEqual(
    await evaluate(page, 'selections'),
    [3, 7].map((query) => ({ ...there, query })),
  );
});

test('a press on a word stays, by a mouse and by a finger', async (t) => {
  const page = await openSentence(t);
  await press(page, '.word', 2);
  await hover(page, '.chip', 0);
  assert.equal(await evaluate(page, 'chosenWord()'), 'brown');
  assert.equal(await evaluate(page, "view.getAttribute('query')"), '2');
  await (await find(page, '.word', 4)).tap();
  assert.equal(await evaluate(page, 'chosenWord()'), 'saw');
  assert.equal(
    await evaluate(page, "textsOf('.said').join()"),
    'saw, Head 1: fox 0.69; Head 2: the 0.69; Head 3: the 0.20; Head 4: the 0.20',
  );
});

test('a chip shows one head alone, and all again', async (t) => {
  const page = await openSentence(t);
  const pressed = () => evaluate(page, "inside('.chip').map((chip) => chip.ariaPressed)");
  await press(page, '.chip', 1);
  assert.deepEqual(await pressed(), ['false', 'true', 'false', 'false']);
  assert.equal(await evaluate(page, 'view.head'), 1);
  assert.deepEqual([...new Set((await evaluate(page, 'arcs()')).map(([head]) => head))], [1]);
  assert.deepEqual(await evaluate(page, "textsOf('.number').slice(-3)"), ['0.06', '0.06', '0.06']);
  assert.equal(
    await evaluate(page, "textsOf('.said').join()"),
    'dog, Head 2: the 0.56, quick 0.06, brown 0.06',
  );
  await press(page, '.chip', 1);
  assert.deepEqual(await pressed(), ['false', 'false', 'false', 'false']);
  assert.deepEqual(await evaluate(page, 'selections.map(({ head }) => head ?? null)'), [1, null]);
});

test('by keyboard: chips, then one word, from which arrows, Home and End lead on', async (t) => {
  const page = await openSentence(t);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.equal(await evaluate(page, 'view.head'), 2);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const words = [];
  for (const key of ['ArrowLeft', 'ArrowUp', 'Home', 'ArrowLeft', 'ArrowRight', 'End']) {
    await page.keyboard.press(key);
    const focused = await evaluate(page, 'view.shadowRoot.activeElement.textContent');
    assert.ok(focused.startsWith(await evaluate(page, 'chosenWord()')));
    words.push(await evaluate(page, 'view.query'));
  }
  assert.deepEqual(words, [6, 5, 0, 0, 1, 7]);
  await page.keyboard.press('Tab');
  assert.equal(await evaluate(page, 'view.shadowRoot.activeElement'), null);
});

test('nothing moves when another word or head is shown', async (t) => {
  const page = await openSentence(t, { width: 360 });
  const boxes = () =>
    evaluate(
      page,
      "inside('.chip, .word, .number').map((each) => { const { x, y, width } = each.getBoundingClientRect(); return [x, y, width]; })",
    );
  const before = await boxes();
  await hover(page, '.word', 1);
  assert.deepEqual(await boxes(), before);
  await press(page, '.chip', 2);
  assert.deepEqual(await boxes(), before);
  assert.ok(before.every(([x, , width]) => x >= 0 && x + width <= 360));
  assert.equal(await overflowOf(page), 0);
});

test('words of two rows for cross-attention', async (t) => {
  const page = await open(t);
  await evaluate(
    page,
    "Object.assign(view, { tokens: ['HH', 'AH', 'L'], keyTokens: ['h', 'e', 'l', 'l', 'o'], weights: makeWeights(2, 3, 5, false) })",
  );
  assert.deepEqual(await evaluate(page, "textsOf('.keys .token')"), ['h', 'e', 'l', 'l', 'o']);
  assert.deepEqual(await evaluate(page, "textsOf('.keys .number')"), [
    ...['0.69', '0.69', '0.08', '0.08', '0.08'],
  ]);
  assert.equal(await evaluate(page, "inside('[role=option]').length"), 3);
  // Keys stand above, and each curve ends where its key does.
  const [key, query] = await evaluate(
    page,
    "['.keys', '.queries'].map((row) => inside(row)[0].getBoundingClientRect().y)",
  );
  assert.ok(key < query);
  assert.equal((await evaluate(page, 'arcs()')).length, 10);
});

test('layers are stepped through, and have names of their own', async (t) => {
  const page = await openSentence(t, { layers: 2 });
  const names = Array.from({ length: 8 }, (_, i) => `name ${i}`);
  await set(page, { names });
  assert.deepEqual(await evaluate(page, "textsOf('.chip')"), names.slice(0, 4));
  assert.equal(
    await evaluate(page, "inside('.steps')[0].innerText.includes('Layer 1 of 2')"),
    true,
  );
  for (const layer of [1, 1]) {
    await press(page, '.steps button', 1);
    assert.equal(await evaluate(page, 'view.layer'), layer);
  }
  assert.deepEqual(await evaluate(page, "textsOf('.chip')"), names.slice(4));
  assert.equal((await evaluate(page, 'selections')).at(-1).layer, 1);
});

test('of a batch one sample', async (t) => {
  const page = await open(t);
  await evaluate(page, 'view.weights = { data: [1, 0, 0.2, 0.8], shape: [2, 1, 1, 2] }');
  assert.deepEqual(await evaluate(page, "textsOf('.number')"), ['1.00', '']);
  await set(page, { sample: 1 });
  assert.deepEqual(await evaluate(page, "textsOf('.number')"), ['0.20', '0.80']);
});

test('the map: a grid of the weights of one head, in viridis', async (t) => {
  const page = await open(t);
  const weights = Array.from({ length: 256 }, (_, i) => i / 255);
  await set(page, { weights: { data: weights, shape: [1, 16, 16] }, view: 'map' });
  const colours = await evaluate(
    page,
    "inside('.cell').map((cell) => getComputedStyle(cell).backgroundColor)",
  );
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(', ');
  assert.deepEqual(
    colours,
    weights.map((weight) => `rgb(${rgb(interpolateViridis(weight))})`),
  );
});

test('the map is walked through by arrow keys, and by the pointer', async (t) => {
  const page = await openSentence(t);
  await set(page, { view: 'map', head: 1 });
  const focused = () => evaluate(page, 'view.shadowRoot.activeElement.ariaLabel');
  const told = () => evaluate(page, "textsOf('.told').join()");
  assert.equal(await told(), 'dog → the: 0.56');
  for (let i = 0; i < 5; i++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'dog → the: 0.56');
  const walk = { ArrowUp: 'lazy → the: 0.60', ArrowRight: 'lazy → quick: 0.07' };
  for (const [key, label] of Object.entries({ ...walk, End: 'lazy → dog: 0' })) {
    await page.keyboard.press(key);
    assert.deepEqual([await focused(), await told()], [label, label]);
  }
  const { view, layer, head, query, key } = (await evaluate(page, 'selections')).at(-1);
  assert.deepEqual([view, layer, head, query, key], ['map', 0, 1, 6, 7]);
  await hover(page, '.cell', 8);
  assert.equal(await told(), 'quick → the: 0.90');
  await hover(page, '.chip', 0);
  assert.equal(await told(), 'lazy → dog: 0');
  assert.equal(await evaluate(page, "inside('[role=row]').length"), 9);
});

test('the model: a small map of each head, which opens it', async (t) => {
  const page = await open(t);
  const milliseconds = await page.evaluate(async () => {
    const { view, makeWeights, inside } = globalThis;
    const weights = Array.from({ length: 12 }, () => makeWeights(12, 32));
    view.view = 'model';
    let least = Infinity;
    // Again where a busy machine held it up.
    for (let turn = 0; turn < 5 && least >= 1000; turn++) {
      const began = performance.now();
      view.weights = [...weights];
      await null;
      inside('canvas').at(-1).getBoundingClientRect();
      least = Math.min(least, performance.now() - began);
    }
    return least;
  });
  t.diagnostic(`12 layers of 12 heads over 32 words: ${milliseconds.toFixed(0)} ms`);
  assert.ok(milliseconds < 1000, `${milliseconds} ms`);
  assert.equal(await evaluate(page, "inside('canvas').length"), 144);
  await press(page, '.tile', 12 * 3 + 5);
  assert.deepEqual(await evaluate(page, '[view.view, view.layer, view.head]'), ['arcs', 3, 5]);
  assert.deepEqual([...new Set((await evaluate(page, 'arcs()')).map(([head]) => head))], [5]);
  // And back, by keyboard.
  assert.equal(await evaluate(page, 'view.shadowRoot.activeElement.textContent'), 'All layers');
  await page.keyboard.press('Enter');
  assert.equal(await evaluate(page, 'view.view'), 'model');
  const focused = () => evaluate(page, 'view.shadowRoot.activeElement.ariaLabel');
  assert.equal(await focused(), 'Layer 4 of 12, Head 6');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  assert.equal(await focused(), 'Layer 5 of 12, Head 1');
  await page.keyboard.press('Enter');
  assert.deepEqual(await evaluate(page, '[view.view, view.layer, view.head]'), ['arcs', 4, 0]);
});

test('SVG files need nothing around them and look as the element does', async (t) => {
  const page = await openSentence(t, { layers: 2 });
  const grounds = [];
  for (const scheme of ['light', 'dark']) {
    await prefer(page, { scheme });
    await evaluate(page, "document.documentElement.style.colorScheme = 'light dark'");
    for (const view of ['arcs', 'map', 'model']) {
      await set(page, { view });
      const file = await evaluate(page, 'view.toSVG()');
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
      assert.ok(
        size.every((length) => length > 100),
        String(size),
      );
      const [paths, texts, rects, images] = parts;
      if (view === 'arcs') assert.ok(paths >= 15 && texts >= 8 + 8 + 5 && rects > 8 * 4);
      if (view === 'map') assert.ok(texts >= 16 + 64 && rects > 64);
      if (view === 'model') assert.equal(images, 8);
      grounds.push(fill);
    }
  }
  assert.deepEqual(grounds.slice(0, 3), new Array(3).fill('rgb(255,255,255)'));
  assert.ok(grounds.slice(3).every((ground) => ground !== 'rgb(255,255,255)'));
});

test('bad values are refused, and what was shown stays', async (t) => {
  const page = await openSentence(t);
  const errorOf = (name, value) =>
    page.evaluate(
      (property, text) => {
        try {
          globalThis.view[property] =
            (0, new Map(Object.entries(globalThis.bad))).get(text) ?? text;
          return 'none';
        } catch (error) {
          return `${error.constructor.name}: ${error.message}`;
        }
      },
      name,
      value,
    );
  await page.evaluate(() => {
    const shape = [1, 2, 2];
    globalThis.bad = {
      '': { data: [1], shape: [2, 4] },
      count: { data: [1, 0, 1], shape },
      nan: { data: [1, 0, NaN, 1], shape },
      text: { data: [1, 0, 'a', 1], shape },
      negative: { data: [1, 0, -1, 1], shape },
      layers: [
        { data: [1, 0, 1, 0], shape },
        { data: [1], shape: [1, 1, 1] },
      ],
      none: [],
      number: 5,
      mixed: ['a', 5],
      minus: -1,
    };
  });
  const cases = [
    [
      'weights',
      '',
      'RangeError: weights: expected (heads, queries, keys) or (batch, heads, queries, keys), got (2, 4)',
    ],
    ['weights', 'count', 'RangeError: weights: expected 4 numbers for shape (1, 2, 2), got 3'],
    ['weights', 'nan', 'RangeError: weights: expected finite numbers from 0 on, got NaN'],
    ['weights', 'negative', 'RangeError: weights: expected finite numbers from 0 on, got -1'],
    ['weights', 'text', 'TypeError: weights: expected numbers, got "a"'],
    ['weights', 'layers', 'RangeError: weights[1]: expected (1, heads, 2, 2), got (1, 1, 1, 1)'],
    ['weights', 'none', 'RangeError: weights: expected at least one layer, got none'],
    ['weights', 'number', 'TypeError: weights: expected a tensor or { data, shape }, got 5'],
    ['tokens', 'number', 'TypeError: tokens: expected an array of strings, got 5'],
    ['names', 'mixed', 'TypeError: names: expected strings, got 5'],
    ['layer', 'minus', 'RangeError: layer: expected an integer from 0 on, got -1'],
    ['head', 'a', 'TypeError: head: expected an integer from 0 on, got "a"'],
    ['view', 'table', 'TypeError: view: expected "arcs" or "map" or "model", got "table"'],
  ];
  for (const [name, value, message] of cases) assert.equal(await errorOf(name, value), message);
  assert.equal(await evaluate(page, 'chosenWord()'), 'dog');

  // What is right alone and does not fit: told when it is drawn.
  const misfits = {
    tokens: [['a', 'b'], 'tokens: expected 8 tokens, one for each query, got 2'],
    keyTokens: [['a'], 'keyTokens: expected 8 tokens, one for each key, got 1'],
    names: [['a'], 'names: expected 4 names, one for each head, got 1'],
  };
  for (const [name, [value, message]] of Object.entries(misfits)) {
    const told = await page.evaluate(
      async (property, given) => {
        const { view } = globalThis;
        const before = view[property];
        const caught = new Promise((resolve) => {
          window.addEventListener(
            'error',
            (event) => {
              event.preventDefault();
              resolve(String(event.error));
            },
            { once: true },
          );
        });
        view[property] = given;
        const error = await caught;
        view[property] = given;
        let thrown;
        try {
          view.toSVG();
        } catch (each) {
          thrown = String(each);
        }
        return { error, thrown, before: before ?? null };
      },
      name,
      value,
    );
    assert.deepEqual([told.error, told.thrown], new Array(2).fill(`RangeError: ${message}`));
    // What was shown can be used as before.
    await hover(page, '.word', 1);
    assert.equal(await evaluate(page, 'chosenWord()'), 'quick');
    await hover(page, '.chip', 0);
    await evaluate(page, `view.${name} = ${JSON.stringify(told.before)} ?? undefined`);
  }
  assert.equal(await evaluate(page, 'chosenWord()'), 'dog');
});

test('weights and words of another sentence may come one after the other', async (t) => {
  const page = await openSentence(t);
  await evaluate(page, "view.tokens = ['a', 'b']; view.weights = makeWeights(3, 2); 0");
  assert.deepEqual(await evaluate(page, "textsOf('.token')"), ['a', 'b']);
  assert.equal(await evaluate(page, "inside('.chip').length"), 3);
  await evaluate(page, 'view.weights = undefined; 0');
  assert.equal(await evaluate(page, "inside('.frame')[0].checkVisibility()"), false);
});

test("colours may be the page's own properties, whatever their names", async (t) => {
  const page = await openSentence(t);
  const [ground, border] = await page.evaluate(() => {
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
  assert.equal(ground, 'rgb(1, 2, 3)');
  assert.equal(border, 'solid');
});

test("the document's example shows what it computes", async (t) => {
  const [, body, script] = /```html\n(.*?)<script type="module">(.*?)<\/script>/s.exec(
    readFileSync(join(root, 'docs/view.md'), 'utf8'),
  );
  const files = { headwise: 'index', 'headwise/view': 'view' };
  const code = script.replaceAll(
    /import (\{.*?\}) from '(.*?)';/g,
    (_, names, from) => `const ${names} = await import('/headwise/${files[from]}.js');`,
  );
  const page = await openPlain(t);
  await page.evaluate(`(async () => { document.body.innerHTML = \`${body}\`; ${code} })()`);
  const words =
    "[...document.querySelector('attention-heads').shadowRoot.querySelectorAll('.token')]";
  assert.equal(
    await page.evaluate(`${words}.map((w) => w.textContent).join(' ')`),
    'the cat sat on the mat',
  );
});

test('is defined once, under other names, too, and takes what was set before', async (t) => {
  const page = await openPlain(t);
  const found = await page.evaluate(async () => {
    const { AttentionHeadsElement, defineAttentionHeads } = await import('/headwise/view.js');
    const early = ['attention-heads', 'other-heads'].map((name) => {
      const made = document.createElement(name);
      made.weights = { data: [1], shape: [1, 1, 1] };
      made.tokens = ['early'];
      document.body.append(made);
      return made;
    });
    const before = customElements.get('attention-heads') === undefined;
    for (let i = 0; i < 2; i++) defineAttentionHeads();
    for (let i = 0; i < 2; i++) defineAttentionHeads('other-heads');
    await null;
    return [
      before,
      ...early.map((made) => made instanceof AttentionHeadsElement),
      ...early.map((made) => made.shadowRoot.querySelector('.token').textContent),
    ];
  });
  assert.deepEqual(found, [true, true, true, 'early', 'early']);
});

for (const scheme of ['light', 'dark']) {
  test(`axe-core finds nothing in any view, ${scheme}`, async (t) => {
    const page = await openSentence(t, { layers: 2, width: 360, media: { scheme } });
    // axe-core takes a page without a ground of its own for white.
    await evaluate(
      page,
      "document.documentElement.style.colorScheme = 'light dark'; document.body.style.background = 'Canvas'",
    );
    for (const view of ['arcs', 'map', 'model']) {
      for (const head of [undefined, 1]) {
        await set(page, { view });
        await evaluate(page, `view.head = ${head}`);
        assert.deepEqual(await violations(page), []);
      }
      assert.equal(await overflowOf(page), 0);
    }
    await evaluate(
      page,
      "Object.assign(view, { view: 'arcs', tokens: ['a', 'b'], keyTokens: ['x', 'y', 'z'], weights: makeWeights(2, 2, 3, false) })",
    );
    assert.deepEqual(await violations(page), []);
  });
}

test('arcs are drawn anew when the words take other lines', async (t) => {
  const page = await openSentence(t);
  const paths = () =>
    evaluate(page, "inside('.curves path').map((path) => path.getAttribute('d')).join()");
  const before = await paths();
  await page.setViewport({ width: 360, height: 800, hasTouch: true });
  await until(async () => (await paths()) !== before, 'the arcs stay as they were');
});
