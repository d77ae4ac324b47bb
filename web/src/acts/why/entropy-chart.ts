import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';

import { formatShort } from '../../format/numbers.js';
import { type Chart, createChart, drawAxes, type Point, type Size } from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import { type Dimension, dimensions, uniform } from './dimensions.js';
import type { MeasureName } from './state.js';
import { words } from './words.js';

interface Shown {
  /** As far as they have been measured. */
  readonly measured: readonly Dimension[];
  readonly measure: MeasureName;
  readonly d: number;
}

const height = 230;
const margin = { left: 38, right: 14, top: 26, bottom: 42 } as const;
const span = [height - margin.bottom, margin.top] as const;
const variants = ['undivided', 'divided'] as const;

/** Entropy of the weights, or the gradient of softmax, against d: with the division by √d and without it. */
export function createEntropyChart(now: () => Shown): Chart {
  return createChart({ label: words.chart, height, draw: (size) => drawChart(now(), size) });
}

function drawChart({ measured, measure, d }: Shown, { width }: Size): SVGElement[] {
  const right = width - margin.right;
  const x = scaleLog([1, dimensions.at(-1) ?? 1], [margin.left, right]).base(2);
  const even = uniform[measure];
  const y = scaleLinear([0, 1.06 * even], [...span]);
  const here = measured.find((each) => each.d === d);
  return [
    drawAxes(
      { scale: x, ticks: 10, name: words.dimension },
      { scale: y, ticks: 4, name: words.measures[measure] },
    ),
    svg('path', { class: 'why-uniform', d: `M${margin.left},${y(even)}H${right}` }),
    svg(
      'text',
      { class: 'why-line-name', x: right, y: y(even) - 6, 'text-anchor': 'end' },
      words.uniform[measure],
    ),
    svg('path', { class: 'why-here', d: `M${x(d)},${span[0]}V${span[1]}` }),
    ...(here === undefined ? [] : [drawHere(d, x(d) + 6, y(meanOf(here, measure)))]),
    ...variants.flatMap((variant) => drawVariant({ measured, measure, d }, variant, x, y)),
  ];
}

const meanOf = ({ undivided, divided }: Dimension, measure: MeasureName): number =>
  (undivided[measure] + divided[measure]) / 2;

/** The name of the line at the act's d, between the two curves. */
const drawHere = (d: number, x: number, y: number): SVGElement =>
  svg('text', { class: 'why-here-name', x, y, dy: '0.32em' }, words.here(d));

/** A curve, its points, and its name once all of it is there. */
function drawVariant(
  { measured, measure, d }: Shown,
  variant: (typeof variants)[number],
  x: (d: number) => number,
  y: (value: number) => number,
): SVGElement[] {
  const points = measured.map((each): Point => [each.d, each[variant][measure]]);
  const path = line<Point>(
    ([size]) => x(size),
    ([, value]) => y(value),
  ).digits(1);
  const dots = points.map(([size, value]) =>
    svg('circle', {
      class: 'why-point',
      'data-variant': variant,
      'data-d': size,
      'data-value': value,
      cx: x(size),
      cy: y(value),
      r: size === d ? 5 : 2.5,
    }),
  );
  // Below the upper curve, above the lower one.
  const [at, by] = variant === 'divided' ? [-1, 20] : [-4, -14];
  const beside = points.at(at)?.[1];
  const name =
    beside === undefined || measured.length < dimensions.length
      ? []
      : [
          svg(
            'text',
            {
              class: 'why-line-name',
              'data-variant': variant,
              x: x(dimensions.at(-1) ?? 1),
              y: y(beside) + by,
              'text-anchor': 'end',
            },
            words.variants[variant],
          ),
        ];
  return [
    svg('path', { class: 'why-line', 'data-variant': variant, d: path(points) ?? '' }),
    ...dots,
    ...name,
  ];
}

/** What the chart shows at `d`, in words. */
export function sentenceAt({ measured, measure, d }: Shown): string {
  const here = measured.find((each) => each.d === d);
  if (here === undefined) return words.measuring;
  const values = variants.map((variant) => here[variant][measure]);
  const format = measure === 'entropy' ? formatShort : (value: number) => value.toFixed(3);
  const [undivided = '', divided = ''] = values.map(format);
  return words.seen[measure](d, undivided, divided, format(uniform[measure]));
}
