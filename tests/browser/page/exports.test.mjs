// What a reader takes away: every figure as SVG, PNG and JSON, each opened again; the link to a
// view; and what a teacher takes away from the page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, press, query, save, textOf } from '../lib/heads-act.mjs';
import { useDownloads } from '../lib/downloads.mjs';
import { open } from '../lib/pages.mjs';
import { readCells } from '../lib/page-reader.mjs';

const isDrawn = { until: '#heads .map' };
// With masked cells, whose hatch is elsewhere on the page.
const view = '?input=patterns&heads=2&compare=2&gates=0.5,1&valid=4,10#heads';

const figures = {
  'the maps of all heads': { cells: 2 * 2 * 100, json: ({ weights }) => weights.shape },
  'the enlarged map': { cells: 100, json: ({ weights }) => [weights.length, weights[0].length] },
  'the difference of two heads': { cells: 100, json: ({ differences }) => [differences.length] },
  'the effect of the gates': { cells: 200, json: ({ gates }) => gates },
  'the layer': { cells: 0, json: ({ parameters }) => parameters['W_q.weight'].shape },
};
const shapes = [[2, 2, 10, 10], [10, 10], [10], [0.5, 1], [20, 18]];
const fileOf = (name, format) => `headwise-${name.replaceAll(' ', '-')}.${format}`;

/** Opens a picture without the page around it; gives its size, and how many colours it has. */
const lookAt = (page, bytes, type) =>
  page.evaluate(
    async (encoded, kind) => {
      const image = new Image();
      const blob = new Blob([Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0))], {
        type: kind,
      });
      image.src = URL.createObjectURL(blob);
      await image.decode();
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set(new Uint32Array(data.buffer));
      return { width: canvas.width, height: canvas.height, colours: colours.size };
    },
    bytes.toString('base64'),
    type,
  );

describe('a figure is saved', () => {
  Object.entries(figures).forEach(([name, { cells, json }], at) => {
    test(`as SVG, PNG and JSON: ${name}`, async (t) => {
      const { page } = await open(t, view, isDrawn);
      const readFile = await useDownloads(t, page);
      await save(page, `Save ${name} as SVG`);
      const svg = await readFile(fileOf(name, 'svg'));
      const drawn = await page.evaluate((source) => {
        const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml');
        const all = [...documentElement.querySelectorAll('*')];
        return {
          error: documentElement.querySelector('parsererror')?.textContent,
          squares: all.filter((each) => each.getAttribute('rx') === '2').length,
          leftovers: all.filter((each) =>
            each.matches('[class], [tabindex], [style], [aria-label]'),
          ).length,
          missing: all.filter((each) => {
            const id = /url\("?#([^")]+)/.exec(each.getAttribute('fill'))?.[1];
            return id && !documentElement.querySelector(`[id="${id}"]`);
          }).length,
        };
      }, svg.toString());
      assert.equal(drawn.error, undefined);
      assert.ok(drawn.squares >= cells, `${drawn.squares} squares`);
      assert.equal(drawn.leftovers, 0, 'nothing of the page is left in it');
      assert.equal(drawn.missing, 0, 'it has all it refers to');
      const vector = await lookAt(page, svg, 'image/svg+xml');

      await save(page, `Save ${name} as PNG`);
      const bitmap = await lookAt(page, await readFile(fileOf(name, 'png')), 'image/png');
      assert.ok(vector.colours > 10 && bitmap.colours > 10, 'something is drawn');
      assert.ok(Math.abs(bitmap.width / bitmap.height - vector.width / vector.height) < 0.02);
      assert.ok(bitmap.width > 2 * vector.width);

      await save(page, `Save the numbers of ${name} as JSON`);
      const numbers = JSON.parse(await readFile(fileOf(name, 'json')));
      assert.deepEqual(json(numbers), shapes[at]);
    });
  });

  test('with the very numbers that are drawn', async (t) => {
    const { page } = await open(t, '?sample=2&head=3#heads', isDrawn);
    const readFile = await useDownloads(t, page);
    const cells = await readCells(page, 'heads');
    await save(page, 'Save the numbers of the enlarged map as JSON');
    const large = JSON.parse(await readFile(fileOf('the enlarged map', 'json')));
    assert.deepEqual(
      large.weights.flat(),
      cells.filter((cell) => cell.sample === 1 && cell.head === 2).map(({ weight }) => weight),
    );
    await save(page, 'Save the numbers of the maps of all heads as JSON');
    const name = fileOf('the maps of all heads', 'json');
    const { weights, validLens } = JSON.parse(await readFile(name));
    assert.deepEqual(
      weights.data,
      cells.map(({ weight }) => weight),
    );
    assert.deepEqual(validLens, [3, 2]);
    assert.match(await textOf(page, '#heads .export-status:not(:empty)'), new RegExp(name));
  });

  test('not, which is said, where the browser draws no picture', async (t) => {
    const { page } = await open(t, '#heads', {
      ...isDrawn,
      prepare: (fresh) =>
        fresh.evaluateOnNewDocument(() => {
          HTMLImageElement.prototype.decode = () => Promise.reject(new Error('no'));
        }),
    });
    await save(page, 'Save the layer as PNG');
    await page.waitForSelector('#heads .export-status:not(:empty)');
    assert.match(
      await textOf(page, '#heads .export-status:not(:empty)'),
      /Nothing was saved.*SVG and JSON/,
    );
  });
});

describe('the menu of what can be saved', () => {
  const stateOf = (page, act) =>
    page.$eval(`${act} .export`, (menu) => {
      const list = menu.querySelector('.save-list');
      const box = list.getBoundingClientRect();
      return {
        isOpen: list.checkVisibility(),
        isTold: menu.querySelector('.save-toggle').getAttribute('aria-expanded') === 'true',
        hasFocus: document.activeElement === menu.querySelector('.save-toggle'),
        isInWindow:
          box.top >= 0 &&
          box.left >= 0 &&
          box.bottom <= innerHeight &&
          box.right <= document.documentElement.clientWidth,
      };
    });
  const opened = { isOpen: true, isTold: true, hasFocus: true, isInWindow: true };

  test('opens by the keyboard and closes by Escape, which gives the focus back', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    await (await control(page, 'Save', 'button')).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await stateOf(page, '#heads'), opened);
    await page.keyboard.press('Tab');
    assert.equal(
      await page.evaluate(() => document.activeElement.ariaLabel),
      'Save the maps of all heads as SVG',
    );
    await page.keyboard.press('Escape');
    const { isOpen, isTold, hasFocus } = await stateOf(page, '#heads');
    assert.deepEqual(
      { isOpen, isTold, hasFocus },
      { isOpen: false, isTold: false, hasFocus: true },
    );
  });

  test('closes when something else is pressed or has the focus', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    await press(page, 'Save', 'button');
    await page.click('#heads h2');
    assert.ok(!(await stateOf(page, '#heads')).isOpen);
    await press(page, 'Save', 'button');
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    assert.ok(!(await stateOf(page, '#heads')).isOpen);
  });

  test('is in the window of a phone, where it is opened by touch', async (t) => {
    const { page } = await open(t, '#heads', {
      ...isDrawn,
      prepare: (fresh) =>
        fresh.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true }),
    });
    await (await control(page, 'Save', 'button')).tap();
    const { isOpen, isInWindow } = await stateOf(page, '#heads');
    assert.ok(isOpen && isInWindow);
    await page.evaluate(() => window.scrollBy(0, 60));
    await page.waitForFunction(() => {
      const [toggle, list] = ['toggle', 'list'].map((part) =>
        document.querySelector(`#heads .save-${part}`).getBoundingClientRect(),
      );
      // Below the button, or above it where there is more room.
      return [list.top - toggle.bottom, toggle.top - list.bottom].some(
        (gap) => Math.abs(gap - 8) < 1,
      );
    });
  });

  test('says what there is nothing to save of yet', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    await press(page, 'Save', 'button');
    const name = 'Save the difference of two heads as SVG';
    const isOff = async () =>
      (await control(page, name, 'button')).evaluate((button) => button.ariaDisabled);
    assert.equal(await isOff(), 'true');
    assert.match(await textOf(page, '#heads .save-list'), /difference of two headsSVG.*Nothing to/);
    await (await control(page, name, 'button')).click();
    assert.equal(await textOf(page, '#heads .export-status'), '');
    await page.keyboard.press('Escape');
    await page.select('#heads .compare select', '2');
    await press(page, 'Save', 'button');
    assert.equal(await isOff(), null);
  });
});

describe('a picture has the scale of its colours', () => {
  for (const name of ['the enlarged map', 'the difference of two heads']) {
    test(name, async (t) => {
      const { page } = await open(t, view, isDrawn);
      const readFile = await useDownloads(t, page);
      await save(page, `Save ${name} as SVG`);
      const svg = (await readFile(fileOf(name, 'svg'))).toString();
      assert.equal(svg.match(/<linearGradient/g)?.length, 1);
      assert.match(
        svg,
        name === 'the enlarged map'
          ? />Weight<.*>masked</s
          : />orange: head 1 has the larger weight/,
      );
    });
  }
});

test('a picture of lines has their key', async (t) => {
  const { page } = await open(t, '#train', { until: '#train .head-card' });
  const readFile = await useDownloads(t, page);
  await save(page, 'Save the training run as SVG', '#train');
  const svg = (await readFile(fileOf('the training run', 'svg'))).toString();
  const lines = await page.$$eval('#train .chart-legend > li:has(svg)', (items) =>
    items.map((item) => ({
      name: item.textContent,
      stroke: getComputedStyle(item.querySelector('.line')).stroke,
    })),
  );
  assert.equal(lines.length, 6);
  for (const { name, stroke } of lines) {
    assert.ok(svg.includes(`>${name}</text>`), name);
    assert.ok(svg.includes(`stroke="${stroke}"`), stroke);
  }
});

describe('weights are saved with their shape', () => {
  const runs = {
    '#train': {
      name: 'the training run',
      isDrawn: '#train .head-card',
      layers: 2,
      weightsOf: ({ weights }) => weights,
      shapeOf: ({ tokens }) => [2, tokens.length, tokens.length],
    },
    '#align': {
      name: 'the alignment',
      isDrawn: '#align .align-map rect',
      layers: 1,
      weightsOf: ({ reading }) => [reading.weights],
      shapeOf: ({ reading }) => [2, reading.answer.length, 18],
    },
  };
  for (const [act, { name, isDrawn, layers, weightsOf, shapeOf }] of Object.entries(runs)) {
    test(name, async (t) => {
      const { page } = await open(t, act, { until: isDrawn });
      const readFile = await useDownloads(t, page);
      await save(page, `Save the numbers of ${name} as JSON`, act);
      const saved = JSON.parse(await readFile(fileOf(name, 'json')));
      assert.equal(weightsOf(saved).length, layers);
      for (const { shape, data } of weightsOf(saved)) {
        assert.deepEqual(shape, shapeOf(saved));
        const [heads, queries, keys] = shape;
        assert.equal(data.length, heads * queries * keys);
        // Each query's weights, over what is padding too, sum to 1.
        for (let row = 0; row < data.length; row += keys) {
          const sum = data.slice(row, row + keys).reduce((a, b) => a + b);
          assert.ok(Math.abs(sum - 1) < 1e-4, `${sum}`);
        }
      }
    });
  }
});

test('the picture of a run has the map of every head, cell by cell', async (t) => {
  const { page } = await open(t, '#train', { until: '#train .head-card' });
  const readFile = await useDownloads(t, page);
  const saved = async (format) => {
    await save(page, `Save the training run as ${format}`, '#train');
    return readFile(fileOf('the training run', format.toLowerCase()));
  };
  const svg = await saved('SVG');
  assert.equal(svg.toString().match(/<linearGradient/g)?.length, 1, 'and their scale');
  const wrong = await page.evaluate((source) => {
    const { documentElement: picture } = new DOMParser().parseFromString(source, 'image/svg+xml');
    const maps = [...picture.querySelectorAll('svg[shape-rendering]')];
    return [...document.querySelectorAll('#train canvas')].map((canvas, head) => {
      const { data, width } = canvas
        .getContext('2d')
        .getImageData(0, 0, canvas.width, canvas.height);
      const [ground, ...runs] = [...maps[head].children].map((rect) => ({
        fill: rect.getAttribute('fill'),
        ...Object.fromEntries(
          ['x', 'y', 'width', 'height'].map((name) => [name, Number(rect.getAttribute(name))]),
        ),
      }));
      const pitch = ground.width / width;
      const fillAt = (row, column) =>
        runs.find(
          ({ x, y, width: wide }) =>
            Math.round(y / pitch) === row &&
            x <= (column + 0.5) * pitch &&
            (column + 0.5) * pitch < x + wide,
        )?.fill;
      let differences = ground.fill.startsWith('url(#') ? 0 : 1;
      for (let row = 0; row < width; row += 1) {
        for (let column = 0; column < width; column += 1) {
          const [red, green, blue, opacity] = data.subarray(4 * (row * width + column));
          const drawn = opacity === 0 ? undefined : `rgb(${red},${green},${blue})`;
          if (fillAt(row, column) !== drawn) differences += 1;
        }
      }
      return differences;
    });
  }, svg.toString());
  assert.deepEqual(wrong, [0, 0, 0, 0]);
  const vector = await lookAt(page, svg, 'image/svg+xml');
  const bitmap = await lookAt(page, await saved('PNG'), 'image/png');
  assert.ok(vector.colours > 40 && bitmap.colours > 40, 'the maps are in what is seen');
});

describe('a view', () => {
  const full =
    '?input=text&seed=9&heads=4&valid=4,2&causal=1&scale=2.5&dropout=0.2&contrast=1' +
    '&gates=1,0.35,1,0&sample=2&head=3&compare=1&part=W_v&text=a+b+c+d%0Ae+f+g&tokens=letters' +
    '&positions=0';

  test('comes back from its address, with every control', async (t) => {
    const { page } = await open(t, `${full}#heads`, isDrawn);
    assert.equal(await textOf(page, '#heads .notices'), '');
    await (await control(page, '5', 'radio')).click();
    await page.goBack();
    const written = Object.fromEntries(await query(page));
    assert.deepEqual(written, Object.fromEntries(new URLSearchParams(full)));
    const before = await page.$eval('#heads .live', (act) => act.textContent);
    await page.reload();
    await page.waitForSelector(isDrawn.until);
    assert.equal(await page.$eval('#heads .live', (act) => act.textContent), before);
    await press(page, 'Reset', 'button');
    assert.equal([...(await query(page))].length, 0);
  });

  test('is copied as a link to its act', async (t) => {
    const { page } = await open(t, '?seed=3#heads', isDrawn);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (words) => {
        window.copied = words;
        return Promise.resolve();
      };
    });
    await press(page, 'Copy link', 'button');
    await page.waitForSelector('#heads .export-status:not(:empty)');
    const copied = new URL(await page.evaluate(() => window.copied));
    assert.deepEqual([copied.search, copied.hash], ['?seed=3', '#heads']);
  });

  test('is shown as a link where there is no clipboard', async (t) => {
    const { page } = await open(t, '?seed=3#heads', isDrawn);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('closed'));
    });
    await press(page, 'Copy link', 'button');
    const field = await page.waitForSelector('#heads .link-field');
    assert.match(await field.evaluate((input) => input.value), /\?seed=3#heads$/);
  });
});

describe('a teacher', () => {
  const selectors = {
    controls: '#heads .rail .controls',
    arithmetic: '#heads .arithmetic',
    gates: '#heads .gate-panel',
    compare: '#heads .compare',
    layer: '#heads .layer',
    export: '#heads .export',
    link: '#heads .copy-link',
    reset: '#heads .reset',
    prose: '#heads .prose',
    goal: '#heads .goal',
    toy: '#toy',
  };
  const isShown = (page, selector) => page.$eval(selector, (found) => found.checkVisibility());

  test('hides by the address what it names, and nothing else', async (t) => {
    const { page } = await open(t, '#heads', isDrawn);
    for (const selector of Object.values(selectors)) assert.ok(await isShown(page, selector));
    for (const [name, selector] of Object.entries(selectors)) {
      await page.goto(new URL(`?hide=${name}#heads`, page.url()).href);
      await page.waitForSelector(isDrawn.until);
      for (const each of Object.values(selectors)) {
        assert.equal(await isShown(page, each), each !== selector, `${each} without ${name}`);
      }
    }
  });

  test('is told of a name that there is none of, and keeps the rest in the address', async (t) => {
    const { page } = await open(t, '?hide=export,gate#heads', isDrawn);
    assert.match(
      await textOf(page, 'main > .notices'),
      /“gate” to hide in the address: expected any of toy/,
    );
    await press(page, '2', 'radio');
    assert.equal((await query(page)).get('hide'), 'export,gate');
    assert.equal(await isShown(page, selectors.export), false);
  });
});
