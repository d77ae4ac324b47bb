// What a reader takes away: every figure as SVG and JSON, each opened again, and the link to a view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../lib/flows.mjs';

const isDrawn = { until: '#equal-keys .key-map' };
const fileOf = (name, format) => `headwise-${name.replaceAll(' ', '-')}.${format}`;

/** How many colours a picture has without the page around it. */
const coloursOf = (page, svg) =>
  page.evaluate(async (source) => {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }));
    await image.decode();
    const context = new OffscreenCanvas(200, 200).getContext('2d');
    context.drawImage(image, 0, 0, 200, 200);
    return new Set(new Uint32Array(context.getImageData(0, 0, 200, 200).data.buffer)).size;
  }, svg);

/** Saves the SVG of a figure, which must need nothing of the page, and returns its text. */
async function saveSvg(act, name) {
  const svg = String(await act.save(`Save ${name} as SVG`, fileOf(name, 'svg')));
  const found = await act.page.evaluate((source) => {
    const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml');
    const all = [...documentElement.querySelectorAll('*')];
    return {
      errors: documentElement.querySelectorAll('parsererror').length,
      ofPage: all.filter((each) => each.matches('[class], [tabindex], [style], [aria-label]'))
        .length,
      missing: all.filter((each) => {
        const id = /url\("?#([^")]+)/.exec(each.getAttribute('fill'))?.[1];
        return id && !documentElement.querySelector(`[id="${id}"]`);
      }).length,
    };
  }, svg);
  assert.deepEqual(found, { errors: 0, ofPage: 0, missing: 0 }, name);
  assert.ok((await coloursOf(act.page, svg)) > 10, `${name} is drawn`);
  return svg;
}

const saveNumbers = async (act, name) =>
  JSON.parse(await act.save(`Save ${name} as JSON`, fileOf(name, 'json')));

const count = (text, pattern) => text.match(pattern)?.length ?? 0;

/**
 * By act: an address, a selector that exists once it is drawn, and for each figure the least number of rectangles, a
 * pattern of its SVG, and some of its numbers with the expected values.
 */
const figures = {
  'equal-keys': [
    // With masked cells, whose hatching is defined elsewhere on the page.
    '?input=patterns&heads=2&valid=4',
    '#equal-keys .key-map',
    {
      'the maps of all heads': [200, /./, ({ weights }) => weights.shape, [1, 2, 10, 10]],
      'the enlarged map': [100, />masked</, ({ weights }) => weights.length, 10],
    },
  ],
  inside: [
    '?inside-input=small&inside-step=3&inside-order=product',
    '#inside [data-strip] rect',
    {
      'the products of query and key': [
        4 * 4,
        /./,
        ({ products, layer }) => [products.length, ...layer.W_o.shape],
        [4, 8, 8],
      ],
    },
  ],
  look: [
    '?text=peace+is+peace&look-shut=2.2',
    '#look .candidate',
    {
      'all heads on a sentence': [0, />2\.2/, ({ shut }) => shut, [{ layer: 1, head: 1 }]],
      // Head 2 of layer 2.
      'the selected head': [
        0,
        /<text/,
        ({ weights: { data } }, { 'all heads on a sentence': all }) =>
          data.filter((weight, at) => weight !== all.weights[1].data[data.length + at]),
        [],
      ],
    },
  ],
  // Its roles are secret.
  prune: [
    '',
    '#prune .guess-tile canvas',
    {
      'the maps of the planted model': [
        0,
        /./,
        ({ seed, tokens, weights, ...more }) => [seed, tokens.length, weights[1].shape, more],
        [1, 20, [6, 20, 20], {}],
      ],
    },
  ],
  translate: [
    '',
    '#translate .align-map rect',
    { 'the alignment': [10 + 18, /./, ({ reading }) => reading.weights.shape, [2, 10, 18]] },
  ],
};

for (const [id, [address, until, all]] of Object.entries(figures)) {
  test(`every figure of act ${id} is saved as a picture and as numbers`, async (t) => {
    const act = await openFlows(t, id, address, { until });
    const saved = {};
    for (const [name, [rectangles, drawn, read, numbers]] of Object.entries(all)) {
      const svg = await saveSvg(act, name);
      assert.ok(count(svg, /<rect/g) >= rectangles, `${name}: ${count(svg, /<rect/g)}`);
      assert.match(svg, drawn);
      // An outline that was drawn over its letters would hide them.
      for (const [text] of svg.matchAll(/<text[^>]*stroke="(?!none)[^>]*>/g)) {
        assert.match(text, /paint-order="stroke/);
      }
      saved[name] = await saveNumbers(act, name);
      assert.deepEqual(read(saved[name], saved), numbers, name);
    }
    const last = fileOf(Object.keys(all).at(-1), 'json');
    assert.ok((await act.text('.export-status:not(:empty)')).includes(last));
  });
}

test('a saved run has the map and the weights of every head, cell by cell, and the key of its lines', async (t) => {
  const act = await openFlows(t, 'train', '', { until: '#train .head-card' });
  const { page } = act;
  const svg = await saveSvg(act, 'the training run');
  assert.equal(count(svg, /<linearGradient/g), 1, 'and their scale');
  const lines = await act.each('.chart-legend > li:has(svg)', (item) => ({
    name: item.textContent,
    stroke: getComputedStyle(item.querySelector('.line')).stroke,
  }));
  assert.equal(lines.length, 6);
  for (const { name, stroke } of lines) {
    assert.ok(svg.includes(`>${name}</text>`), name);
    assert.ok(svg.includes(`stroke="${stroke}"`), stroke);
  }
  const isSame = await page.evaluate((source) => {
    const { documentElement: picture } = new DOMParser().parseFromString(source, 'image/svg+xml');
    const maps = [...picture.querySelectorAll('svg[shape-rendering]')];
    return [...document.querySelectorAll('#train canvas')].map((canvas, head) => {
      const { width } = canvas;
      // Each rectangle after the ground is a run of equal cells of a row.
      const [ground, ...runs] = maps[head].children;
      const pitch = ground.getAttribute('width') / width;
      const copy = new OffscreenCanvas(width, width).getContext('2d');
      for (const run of runs) {
        const sides = ['x', 'y', 'width', 'height'].map((name) => run.getAttribute(name) / pitch);
        copy.fillStyle = run.getAttribute('fill');
        copy.fillRect(...sides.map(Math.round));
      }
      const [drawn, shown] = [copy, canvas.getContext('2d')].map((each) =>
        each.getImageData(0, 0, width, width).data.join(),
      );
      return drawn === shown && ground.getAttribute('fill').startsWith('url(#');
    });
  }, svg);
  assert.deepEqual(isSame, Array(4).fill(true));
});

test('the menu of figures opens within the window and closes by Escape, by a click elsewhere and by Tab', async (t) => {
  const act = await openFlows(t, 'equal-keys', '', isDrawn);
  const { page } = act;
  const state = () =>
    page.$eval('#equal-keys .export', (menu) => {
      const [toggle, list] = ['toggle', 'list'].map((part) => menu.querySelector(`.save-${part}`));
      const { top, left, bottom, right } = list.getBoundingClientRect();
      const isInWindow = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
      const isOpen = list.checkVisibility();
      if (isOpen !== (toggle.ariaExpanded === 'true')) return 'not as told';
      if (isOpen && !isInWindow) return 'outside';
      return `${isOpen ? 'open' : 'closed'}${document.activeElement === toggle ? ', focused' : ''}`;
    });
  await (await act.control('Save')).focus();
  await page.keyboard.press('Enter');
  assert.equal(await state(), 'open, focused');
  await page.keyboard.press('Tab');
  const focused = await page.evaluate(() => document.activeElement.ariaLabel);
  assert.equal(focused, 'Save the maps of all heads as SVG');
  await page.keyboard.press('Escape');
  assert.equal(await state(), 'closed, focused');
  await act.press('Save');
  await page.click('#equal-keys h2');
  assert.equal(await state(), 'closed');
  await act.press('Save');
  await page.keyboard.down('Shift');
  await page.keyboard.press('Tab');
  await page.keyboard.up('Shift');
  assert.equal(await state(), 'closed');

  // On a phone, below the button or above it, also after scrolling.
  await page.setViewport({ width: 390, height: 844 });
  await act.press('Save');
  assert.match(await state(), /^open/);
  await page.evaluate(() => window.scrollBy(0, 60));
  await page.waitForFunction(() => {
    const [toggle, list] = ['toggle', 'list'].map((part) =>
      document.querySelector(`#equal-keys .save-${part}`).getBoundingClientRect(),
    );
    return [list.top - toggle.bottom, toggle.top - list.bottom].some(
      (gap) => Math.abs(gap - 8) < 1,
    );
  });
});

test('what is not there yet cannot be saved', async (t) => {
  const act = await openFlows(t, 'inside', '?inside-input=small');
  await act.press('Save');
  await act.press('Save the products of query and key as SVG');
  assert.equal(await act.text('.export-status'), '');
  assert.ok((await act.count('.save-note')) > 0);
});

test('a picture that the browser cannot draw, and a link where there is no clipboard', async (t) => {
  const act = await openFlows(t, 'equal-keys', '?seed=3', isDrawn);
  const { page } = act;
  await page.evaluate(() => {
    HTMLImageElement.prototype.decode = () => Promise.reject(new Error('no'));
    navigator.clipboard.writeText = async (copied) => {
      window.copied = copied;
    };
  });
  await act.press('Save');
  await act.press('Save the enlarged map as PNG');
  await act.waitForText('.export-status', /SVG and JSON/);
  await act.press('Copy link');
  await page.waitForFunction(() => window.copied !== undefined);
  const copied = new URL(await page.evaluate(() => window.copied));
  assert.deepEqual([copied.search, copied.hash], ['?seed=3', '#equal-keys']);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('closed'));
  });
  await act.press('Copy link');
  const field = await page.waitForSelector('#equal-keys .link-field');
  assert.match(await field.evaluate((input) => input.value), /\?seed=3#equal-keys$/);
});
