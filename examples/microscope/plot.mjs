// Panels of this example's figures.
import { extent } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { schemeTableau10 } from 'd3-scale-chromatic';
import { line } from 'd3-shape';
import { axes, svgOf } from '../lib/plot.mjs';

const cell = { width: 56, height: 34 };
const top = 40;

/**
 * A cell for each head: blue above 0, orange below, stronger the larger the number is.
 *
 * @param {{ title: string, values: number[][], left: number, digits?: number }} panel `values` by layer and head
 */
export function headGrid({ title, values, left, digits = 2 }) {
  const largest = Math.max(...values.flat().map(Math.abs), 1e-6);
  const cells = values.flatMap((heads, layer) =>
    heads.map((value, head) => {
      const [x, y] = [left + 24 + cell.width * head, top + cell.height * layer];
      const colour = schemeTableau10[value < 0 ? 1 : 0];
      const opacity = (Math.abs(value) / largest).toFixed(2);
      return (
        `<rect x="${x}" y="${y}" width="${cell.width - 2}" height="${cell.height - 2}" fill="${colour}" fill-opacity="${opacity}"/>` +
        `<text x="${x + cell.width / 2}" y="${y + 21}" text-anchor="middle">${value.toFixed(digits)}</text>`
      );
    }),
  );
  const layers = values.map(
    (_, layer) =>
      `<text class="note" x="${left}" y="${top + cell.height * layer + 21}">${layer}</text>`,
  );
  return [`<text class="title" x="${left}" y="24">${title}</text>`, ...layers, ...cells].join('\n');
}

/** The width of a grid, with the space behind it. */
export const gridWidth = (/** @type {number[][]} */ [heads]) => 48 + cell.width * heads.length;

export const gridHeight = (/** @type {number[][]} */ values) =>
  top + cell.height * values.length + 16;

/**
 * Lines with a legend beside them. `x` of each value is its place.
 *
 * @param {{ title: string, below: string, lines: Map<string, number[]>, left: number, width: number, height: number }} panel
 */
export function linePanel({ title, below, lines, left, width, height }) {
  const all = [...lines.values()];
  const [least = 0, most = 1] = extent(all.flat());
  const x = scaleLinear([0, all[0].length - 1], [left + 32, left + width]);
  const y = scaleLinear([Math.min(least, 0), most], [height - 48, top]).nice();
  const path = line((/** @type {number} */ _, i) => x(i), y).digits(1);
  const drawn = [...lines].map(([name, values], i) => {
    const stroke = `class="line" stroke="${schemeTableau10[i]}" stroke-width="2"`;
    const at = top + 10 + 24 * i;
    return (
      `<path d="${path(values)}" ${stroke}/><path d="M${left + width + 16},${at}h24" ${stroke}/>` +
      `<text x="${left + width + 48}" y="${at}" dy="0.32em">${name}</text>`
    );
  });
  return [axes(x, y, title, below), ...drawn].join('\n');
}

/**
 * Grids side by side.
 *
 * @param {string} title
 * @param {[string, number[][]][]} grids titles and values
 */
export function drawGrids(title, grids) {
  const [[, values]] = grids;
  const width = gridWidth(values);
  const parts = grids.map(([each, numbers], i) =>
    headGrid({ title: each, values: numbers, left: 16 + width * i }),
  );
  return svgOf({ width: 16 + width * grids.length, height: gridHeight(values), title, parts });
}
