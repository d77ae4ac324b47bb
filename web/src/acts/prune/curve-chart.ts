import { area, line } from 'd3-shape';
import { extent, mean, transpose } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { type Chart, createChart, drawAxes, type Size } from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import type { OrderName } from '../../worker/study.js';
import { words } from './words.js';

const margin = { left: 46, right: 14, top: 28, bottom: 42 } as const;

interface Line {
  readonly order: OrderName;
  /** For each run, a value for each point: with all heads, with `step` fewer, and so on. */
  readonly runs: readonly (readonly number[])[];
}

export interface Curves {
  readonly lines: readonly Line[];
  /** All heads of the model. */
  readonly heads: number;
  readonly step: number;
  /** Name and ends of the vertical axis; lines are clipped there. */
  readonly axis: { readonly name: string; readonly from: number; readonly to: number };
  /** A value that a line across marks. */
  readonly limit?: { readonly value: number; readonly name: string };
  /** The order in front, and its point that is marked. */
  readonly chosen?: { readonly order: OrderName; readonly point: number };
}

/** Loss or accuracy against heads left, a line for each order. Lines are means over runs; random runs have a band. */
export function createCurveChart(
  label: string,
  height: number,
  curvesNow: () => Curves | undefined,
): Chart {
  return createChart({
    label,
    height,
    draw: (size) => {
      const curves = curvesNow();
      return curves === undefined ? [] : drawCurves(curves, size);
    },
  });
}

function drawCurves(
  { lines, heads, step, axis, limit, chosen }: Curves,
  { width, height }: Size,
): SVGElement[] {
  const numPoints = Math.max(...lines.flatMap(({ runs }) => runs.map(({ length }) => length)));
  const [left, right] = [margin.left, width - margin.right];
  const [bottom, top] = [height - margin.bottom, margin.top];
  // Heads go from left to right, as time does.
  const x = scaleLinear([heads, heads - step * (numPoints - 1)], [left, right]);
  const y = scaleLinear([axis.from, axis.to], [bottom, top]);
  const at = (point: number): number => x(heads - step * point);
  const path = line<number>((_, i) => at(i), y).digits(1);
  const band = area(
    (_, i) => at(i),
    ([least]) => y(least),
    ([, most]) => y(most),
  ).digits(1);
  const drawn = lines.map(({ order, runs }) => {
    const points = transpose(runs);
    return {
      order,
      means: points.map((values) => mean(values) ?? NaN),
      ends: points.map((values) => extent(values) as [number, number]),
    };
  });
  const random = drawn.find(({ order }) => order === 'random');
  const marked = drawn.find(({ order }) => order === chosen?.order);
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  return [
    drawAxes(
      { scale: x, ticks: Math.min(6, numPoints), name: words.heads },
      { scale: y, ticks: 5, name: axis.name },
    ),
    svg(
      'svg',
      { ...box, viewBox: Object.values(box).join(' '), class: 'curves' },
      ...(random === undefined ? [] : [svg('path', { class: 'band', d: band(random.ends) ?? '' })]),
      ...drawn.map(({ order, means }) =>
        svg('path', {
          class: 'line',
          'data-series': order,
          'data-chosen': order === chosen?.order,
          d: path(means) ?? '',
        }),
      ),
    ),
    ...(limit === undefined
      ? []
      : [
          svg('path', { class: 'limit', d: `M${left},${y(limit.value)}H${right}` }),
          svg('text', { class: 'limit-name', x: left + 6, y: y(limit.value) - 6 }, limit.name),
        ]),
    ...(marked === undefined || chosen === undefined
      ? []
      : [
          svg('path', { class: 'cut-line', d: `M${at(chosen.point)},${top}V${bottom}` }),
          svg('circle', {
            class: 'cut-mark',
            cx: at(chosen.point),
            cy: Math.max(top, y(marked.means[chosen.point] ?? NaN)),
            r: 5,
          }),
        ]),
  ];
}
