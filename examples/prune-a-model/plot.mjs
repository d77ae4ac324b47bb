// The curves as an SVG.
import { extent, group, max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { schemeTableau10 } from 'd3-scale-chromatic';
import { line } from 'd3-shape';
import { axes, svgOf } from '../lib/plot.mjs';

/** @typedef {{ order: string, gone: number, loss: number }} Row */

const [width, height] = [740, 420];
const margin = { left: 56, right: 170, top: 40, bottom: 48 };

const isRandom = (/** @type {string} */ name) => name.startsWith('random');

/**
 * The first lines are the widest, so that they show beneath those that take the same way.
 *
 * @param {string} name
 * @param {number} place
 */
const strokeOf = (name, place) =>
  isRandom(name)
    ? 'class="line" stroke="#999" stroke-width="1" stroke-dasharray="4 3"'
    : `class="line" stroke="${schemeTableau10[place]}" stroke-width="${(6 - 0.6 * place).toFixed(1)}"`;

/**
 * Loss against heads gone, a line for each order.
 *
 * @param {Row[]} rows
 */
export function drawCurves(rows) {
  const orders = group(rows, ({ order }) => order);
  const [least = 0, most = 1] = extent(rows, ({ loss }) => loss);
  const right = width - margin.right;
  const x = scaleLinear([0, max(rows, ({ gone }) => gone) ?? 0], [margin.left, right]);
  const y = scaleLinear([least, most], [height - margin.bottom, margin.top]).nice();
  const path = line(
    (/** @type {Row} */ { gone }) => x(gone),
    ({ loss }) => y(loss),
  ).digits(1);
  const lines = [...orders].map(
    ([name, points], i) => `<path d="${path(points)}" ${strokeOf(name, i)}/>`,
  );
  const named = [...orders.keys()].filter((name) => !isRandom(name));
  const legend = [...named, ...(named.length < orders.size ? ['random'] : [])].map((name, i) => {
    const at = margin.top + 10 + 24 * i;
    return (
      `<path d="M${right + 20},${at}h24" ${strokeOf(name, i)}/>` +
      `<text x="${right + 52}" y="${at}" dy="0.32em">${name}</text>`
    );
  });
  return svgOf({
    width,
    height,
    title: 'Loss as heads go, the least important first',
    parts: [axes(x, y, 'Loss (nats a token)', 'heads gone'), ...lines, ...legend],
  });
}
