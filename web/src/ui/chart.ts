import { maxIndex, minIndex, range } from 'd3-array';
import type { ScaleContinuousNumeric } from 'd3-scale';
import { line } from 'd3-shape';
import { headColour } from 'headwise/view';
import { render, type TemplateResult } from 'lit-html';

import { type Attributes, element, setAttributes, svg } from './dom.js';

interface Axis {
  readonly scale: ScaleContinuousNumeric<number, number>;
  readonly ticks: number;
  readonly name: string;
}

/** Lines across at the marks of `y`, and their numbers; `span` is from where to where they go. */
export function drawGrid(y: Axis, [left = 0, right = 0]: readonly number[]): SVGGElement {
  const [bottom = 0, top = 0] = y.scale.range();
  return svg(
    'g.chart-axes',
    ...marksOf(y).map(([at, mark]) =>
      svg(
        'g',
        { transform: `translate(0 ${at})` },
        svg('line.chart-grid', { x1: left, x2: right }),
        svg('text', { x: left - 8, dy: '0.32em', 'text-anchor': 'end' }, mark),
      ),
    ),
    svg('line.chart-base', { x1: left, x2: right, y1: bottom, y2: bottom }),
    svg('text', { x: left, y: top - 12 }, y.name),
  );
}

/** The grid, and numbers along `x`. */
export function drawAxes(x: Axis, y: Axis): SVGGElement {
  const span = x.scale.range();
  const [bottom = 0] = y.scale.range();
  return svg(
    'g.chart-axes',
    drawGrid(y, span),
    ...marksOf(x).map(([at, mark]) =>
      svg('text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, mark),
    ),
    svg('text', { x: span[1], y: bottom + 36, 'text-anchor': 'end' }, x.name),
  );
}

/** Places and words; marks that a logarithmic scale leaves without a number are left out, and those too near to another. */
function marksOf({ scale, ticks }: Axis): [number, string][] {
  const format = scale.tickFormat(ticks, '.4~g');
  return scale
    .ticks(ticks)
    .map((mark): [number, string] => [scale(mark), format(mark)])
    .filter(([, mark]) => mark !== '')
    .filter(([at], i, all) => i === 0 || Math.abs(at - all[i - 1][0]) >= 11);
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Chart {
  readonly root: SVGSVGElement;
  /** Draws again, after what it shows has changed. */
  draw(): void;
}

interface Options {
  readonly label: string;
  readonly height: number;
  readonly draw: (size: Size) => readonly SVGElement[] | TemplateResult;
}

/**
 * A drawing as wide as its place, in pixels of the page: letters are as large on a phone as on a
 * projector, and it is drawn anew when its place changes.
 */
export function createChart({ label, height, draw }: Options): Chart {
  const root = svg('svg.chart.drawing', { role: 'img', 'aria-label': label, height });
  let width = 0;
  const redraw = (): void => {
    if (width > 0) render(draw({ width, height }), root);
  };
  new ResizeObserver(([entry]) => {
    const found = Math.round(entry.contentRect.width);
    if (found === width) return;
    width = found;
    setAttributes(root, { viewBox: `0 0 ${width} ${height}` });
    redraw();
  }).observe(root);
  return { root, draw: redraw };
}

export type Point = readonly [x: number, y: number];

/** @param room how many points the line may have */
export function drawLine(
  points: readonly Point[],
  x: (value: number) => number,
  y: (value: number) => number,
  attributes: Attributes,
  room = Infinity,
): SVGPathElement {
  const path = line<Point>(
    (point) => x(point[0]),
    (point) => y(point[1]),
  ).digits(1);
  return svg('path.line', { ...attributes, d: path(downsample(points, room)) ?? '' });
}

/**
 * Of more points than a chart has room for, the lowest and the highest of each few in a row, and the
 * last: a line through them looks the same and takes less time to draw. How many stand together
 * doubles as points come in, so that those chosen stay chosen until then.
 *
 * @param room how many points a line may have; of more there come at most three beyond that
 */
export function downsample(points: readonly Point[], room: number): readonly Point[] {
  if (points.length <= room) return points;
  let together = 4;
  while ((2 * points.length) / together > room) together *= 2;
  const kept = range(0, points.length, together).flatMap((from) => {
    const some = points.slice(from, from + together);
    const y = ([, value]: Point): number => value;
    const extremes = [minIndex(some, y), maxIndex(some, y)].sort((a, b) => a - b);
    return extremes.map((i) => some[Math.max(i, 0)]);
  });
  return [...kept, ...points.slice(-1)];
}

interface Entry {
  /** As the line has it: it is drawn alike. */
  readonly series?: string;
  /** The head, counted from 0, whose colour the line has. */
  readonly head?: number;
  readonly name: string;
  /** What stands for it, if not a piece of a line. */
  readonly sample?: SVGElement;
}

/** What the lines or bars of a chart are, each beside a piece of it. */
export function createChartLegend(entries: readonly Entry[], name = ''): HTMLElement {
  return element(
    'ul.chart-legend.row',
    { 'aria-label': name },
    ...(name === '' ? [] : [element('li.chart-legend-name.soft', { 'aria-hidden': 'true' }, name)]),
    ...entries.map((entry) => {
      const line = svg('path.line', { 'data-series': entry.series, d: 'M1,4H23' });
      if (entry.head !== undefined) line.style.setProperty('stroke', headColour(entry.head));
      const piece = { viewBox: '0 0 24 8', 'aria-hidden': 'true' };
      return element('li', entry.sample ?? svg('svg.chart-legend-line', piece, line), entry.name);
    }),
  );
}
