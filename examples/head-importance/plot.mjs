// The pruning curves as an SVG.
import { max, min } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { schemeTableau10 } from 'd3-scale-chromatic';
import { area, line } from 'd3-shape';
import { axes, svgOf } from '../lib/plot.mjs';
import { familiesOf, mean } from './report.mjs';

/** @import { Curve } from './pruning-curve.mjs' */
/** @import { Families, Result } from './report.mjs' */

/** @typedef {{ kept: number, least: number, most: number, mean: number }} Summary */
/** @typedef {Map<string, string>} Colours by the name of an order */

const [width, height] = [1000, 420];
const margin = { left: 56, right: 16, top: 40, bottom: 48 };
const panelWidth = 330;

/**
 * Mean, least and most of a number over curves, by heads kept.
 *
 * @param {Curve[]} curves
 * @param {'loss' | 'accuracy'} number
 * @returns {Summary[]}
 */
const summaries = (curves, number) =>
  curves[0].points.map(({ kept }, i) => {
    const values = curves.map(({ points }) => points[i][number]);
    const [least = NaN, most = NaN] = [min(values), max(values)];
    return { kept, least, most, mean: mean(values, (value) => value) };
  });

/**
 * The first lines are the widest, so that they show beneath those that take the same way.
 *
 * @param {string} name
 * @param {number} place
 * @param {Colours} colours
 */
function strokeOf(name, place, colours) {
  const dash = name === 'random' ? ' stroke-dasharray="4 3"' : '';
  const width = name === 'random' ? 2 : 7 - 1.4 * place;
  return `class="line" stroke="${colours.get(name)}" stroke-width="${width.toFixed(1)}"${dash}`;
}

/**
 * One panel; heads go from left to right.
 *
 * @param {Families} families
 * @param {Colours} colours
 * @param {'loss' | 'accuracy'} number
 * @param {string} title
 * @param {number} left
 * @param {number[]} domain
 */
function panel(families, colours, number, title, left, domain) {
  const x = scaleLinear([12, 2], [left, left + panelWidth]);
  const y = scaleLinear(domain, [height - margin.bottom, margin.top]);
  const at = (/** @type {Summary} */ { kept }) => x(kept);
  const band = area(
    at,
    ({ least }) => y(least),
    ({ most }) => y(most),
  ).digits(1);
  const path = line(at, ({ mean: value }) => y(value)).digits(1);
  const bands = summaries(families.get('random') ?? [], number);
  const lines = [...families].map(
    ([name, curves], i) =>
      `<path d="${path(summaries(curves, number))}" ${strokeOf(name, i, colours)}/>`,
  );
  const drawn = [`<path class="band" d="${band(bands)}"/>`, ...lines];
  return [axes(x, y, title, 'heads kept'), ...drawn].join('\n');
}

/**
 * @param {Colours} colours
 * @param {number} left
 */
function legend(colours, left) {
  const entries = [...colours.keys()].map((name, i) => {
    const y = margin.top + 10 + 24 * i;
    return (
      `<path d="M${left},${y}h24" ${strokeOf(name, i, colours)}/>` +
      `<text x="${left + 32}" y="${y}" dy="0.32em">${name}</text>`
    );
  });
  const note = margin.top + 10 + 24 * colours.size + 6;
  return [
    ...entries,
    `<text class="note" x="${left}" y="${note}">lines: means of seeds</text>`,
    `<text class="note" x="${left}" y="${note + 18}">grey: all random orders</text>`,
  ].join('\n');
}

/**
 * Loss and accuracy against heads kept, of the measures taken once and of random orders.
 *
 * @param {Result[]} results
 */
export function drawCurves(results) {
  const families = new Map([...familiesOf(results)].filter(([name]) => !name.endsWith('-anew')));
  const names = [...families.keys()];
  const colours = new Map(
    names.map((name, i) => [name, name === 'random' ? '#555' : schemeTableau10[i]]),
  );
  const losses = [...families.values()].flatMap((curves) => summaries(curves, 'loss'));
  const largest = Math.max(...losses.map(({ most }) => most));
  const second = margin.left + panelWidth + 56;
  return svgOf({
    width,
    height,
    title: 'Loss and accuracy as heads go, the least important first',
    parts: [
      panel(families, colours, 'loss', 'Loss', margin.left, [0, largest]),
      panel(families, colours, 'accuracy', 'Accuracy', second, [0, 1]),
      legend(colours, second + panelWidth + 20),
    ],
  });
}
