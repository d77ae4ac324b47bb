// What the examples' figures have in common.

/** @import { ScaleLinear } from 'd3-scale' */
/** @typedef {ScaleLinear<number, number>} Scale */

/**
 * Grid, ticks and names of the axes of one panel.
 *
 * @param {Scale} x
 * @param {Scale} y
 * @param {string} title
 * @param {string} below what x is
 */
export function axes(x, y, title, below) {
  const [left, right] = x.range();
  const [bottom, top] = y.range();
  const xTicks = x.ticks(6).map((tick) => {
    const at = x(tick).toFixed(1);
    return `<text x="${at}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`;
  });
  const yTicks = y.ticks(5).map((tick) => {
    const at = y(tick).toFixed(1);
    return (
      `<path class="grid" d="M${left},${at}H${right}"/>` +
      `<text x="${left - 8}" y="${at}" dy="0.32em" text-anchor="end">${y.tickFormat(5)(tick)}</text>`
    );
  });
  return [
    ...yTicks,
    ...xTicks,
    `<path class="axis" d="M${left},${bottom}H${right}"/>`,
    `<text class="title" x="${left}" y="${top - 16}">${title}</text>`,
    `<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${below}</text>`,
  ].join('\n');
}

/**
 * The file of a figure.
 *
 * @param {{ width: number, height: number, title: string, parts: string[] }} figure
 */
export const svgOf = ({ width, height, title, parts }) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; fill: #111 }
.note { fill: #666 }
.grid { stroke: #e5e5e5 }
.axis { stroke: #999 }
.line { fill: none; stroke-linejoin: round }
.band { fill: #999; opacity: 0.2 }
</style>
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
