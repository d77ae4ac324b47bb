// Reads drawn maps of the page back.
import assert from 'node:assert/strict';
import { scaleLinear } from 'd3-scale';
import { headColour } from 'headwise/view';

/** All cells of an act's small multiples as the browser shows them, in the order of the weights. */
export const readCells = (page, part) =>
  // `$$eval` would make a handle for each map.
  page.evaluate((within) => {
    const maps = [...document.querySelectorAll(`#${within} .samples .map`)];
    return maps.flatMap((map) => {
      const texts = map.querySelectorAll('.cell-text');
      return Array.from(map.querySelectorAll('.cell'), (cell, at) => ({
        sample: Number(cell.dataset.sample),
        head: Number(cell.dataset.head),
        query: Number(cell.dataset.query),
        key: Number(cell.dataset.key),
        weight: Number(cell.dataset.weight),
        masked: cell.dataset.masked !== undefined,
        label: cell.getAttribute('aria-label'),
        fill: getComputedStyle(cell).fill,
        text: texts[at].textContent,
      }));
    });
  }, part);

/** Asserts that every cell has the colour, number and label of its weight, and a hatch if masked. */
export function assertDrawnAsWeighed(cells, validLens) {
  assert.notEqual(cells.length, 0);
  for (const { sample, head, query, key, weight, masked, label, fill, text } of cells) {
    const spoken = `Head ${head + 1}, query ${query + 1}, key ${key + 1}: weight ${weight.toFixed(4)}`;
    assert.equal(masked, key >= validLens[sample], label);
    assert.equal(label, masked ? `${spoken}, masked` : spoken);
    if (masked) {
      assert.equal(weight, 0);
      assert.match(fill, /^url\("?#hatch-\d+"?\)$/);
      assert.equal(text, '');
    } else {
      assert.equal(fill, fillOf(head, weight), label);
      assert.equal(text, weight.toFixed(2).replace(/^0|\.00$/, ''));
    }
  }
}

/** The colour of a weight on white, as browsers serialize it. */
const fillOf = (head, weight) =>
  scaleLinear([0, 255], ['#ffffff', /#\w{6}/.exec(headColour(head))[0]])(Math.round(255 * weight));

/**
 * The contrast (WCAG) between the lightest and the darkest pixel of an element, and the most frequent colour.
 */
export async function readPixels(page, element) {
  const png = await element.screenshot({ encoding: 'base64', captureBeyondViewport: false });
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const linear = (value) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const counts = new Map();
    let [darkest, lightest] = [1, 0];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = data.slice(at, at + 3);
      const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
      darkest = Math.min(darkest, luminance);
      lightest = Math.max(lightest, luminance);
      const colour = [red, green, blue].join();
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const [[ground]] = [...counts].sort(([, a], [, b]) => b - a);
    return { contrast: (lightest + 0.05) / (darkest + 0.05), ground };
  }, png);
}

/** The contrast (WCAG) between the lightest and the darkest pixel of an element. */
export const contrastWithin = async (page, element) => (await readPixels(page, element)).contrast;
