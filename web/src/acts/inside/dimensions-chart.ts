import { least } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';

import type { Store } from '../../address/store.js';
import { formatShort } from '../../format/numbers.js';
import { createChart, drawAxes, type Point, type Size } from '../../ui/chart.js';
import { element, svg } from '../../ui/dom.js';
import { type Dimension, dimensions, measureDimensions, uniform } from './dimensions.js';
import type { InsideState, MeasureName } from './state.js';
import { words } from './words.js';

interface Shown {
  /** As far as they have been measured. */
  readonly measured: readonly Dimension[];
  readonly measure: MeasureName;
  readonly d: number;
}

const height = 168;
const margin = { left: 38, right: 14, top: 26, bottom: 38 } as const;
const span = [height - margin.bottom, margin.top] as const;
const variants = ['undivided', 'divided'] as const;

/**
 * Entropy of the weights, or the gradient of softmax, of random queries and keys against d: with and without the division
 * by √d. It is measured when it is first drawn.
 */
export function createDimensionsChart(store: Store<InsideState>) {
  const measured: Dimension[] = [];
  let d = 0;
  const now = (): Shown => ({ d, measured, measure: store.state.measure });
  const chart = createChart({ label: words.chart, height, draw: (size) => drawChart(now(), size) });
  const sentence = element('p', { class: 'inside-seen' });
  const root = element('div', { class: 'inside-chart' }, chart.root);
  const redraw = (): void => {
    chart.draw();
    sentence.textContent = sentenceOf(now());
    root.toggleAttribute('data-done', measured.length === dimensions.length);
  };
  let drawn = '';
  return {
    ...{ root, sentence, svg: chart.root },
    draw(headSize: number): void {
      const { measure } = store.state;
      if (drawn === `${measure} ${headSize}`) return;
      if (drawn === '') {
        void measureDimensions((next) => {
          measured.push(next);
          redraw();
        });
      }
      drawn = `${measure} ${headSize}`;
      d = headSize;
      redraw();
    },
    data: () => ({ uniform, dimensions: measured }),
  };
}

function drawChart({ measured, measure, d }: Shown, { width }: Size): SVGElement[] {
  const right = width - margin.right;
  const x = scaleLog([1, dimensions.at(-1) ?? 1], [margin.left, right]).base(2);
  const even = uniform[measure];
  const y = scaleLinear([0, 1.06 * even], [...span]);
  const here = nearestOf({ measured, measure, d });
  return [
    drawAxes(
      { scale: x, ticks: 10, name: words.dimension },
      { scale: y, ticks: 4, name: words.measures[measure] },
    ),
    svg('path', { class: 'inside-uniform', d: `M${margin.left},${y(even)}H${right}` }),
    svg(
      'text',
      { class: 'inside-line-name', x: right, y: y(even) - 6, 'text-anchor': 'end' },
      words.uniform[measure],
    ),
    svg('path', { class: 'inside-here', d: `M${x(d)},${span[0]}V${span[1]}` }),
    ...(here === undefined ? [] : [drawHere(d, x(d) + 6, y(meanOf(here, measure)))]),
    ...variants.flatMap((variant) => drawVariant({ measured, measure, d }, variant, x, y)),
  ];
}

const meanOf = ({ undivided, divided }: Dimension, measure: MeasureName): number =>
  (undivided[measure] + divided[measure]) / 2;

/** The name of the line at the act's d, between the two curves. */
const drawHere = (d: number, x: number, y: number): SVGElement =>
  svg('text', { class: 'inside-here-name', x, y, dy: '0.32em' }, words.here(d));

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
      class: 'inside-point',
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
              class: 'inside-line-name',
              'data-variant': variant,
              x: x(dimensions.at(-1) ?? 1),
              y: y(beside) + by,
              'text-anchor': 'end',
            },
            words.variants[variant],
          ),
        ];
  return [
    svg('path', { class: 'inside-line', 'data-variant': variant, d: path(points) ?? '' }),
    ...dots,
    ...name,
  ];
}

/** What the chart shows at the measured size nearest to `d`. */
function sentenceOf(shown: Shown): string {
  const here = nearestOf(shown);
  const { measure } = shown;
  if (here === undefined) return words.measuring;
  const format = measure === 'entropy' ? formatShort : (value: number) => value.toFixed(3);
  return words.seen[measure](
    here.d,
    format(here.undivided[measure]),
    format(here.divided[measure]),
  );
}

/** The size of heads need not be a power of two. */
const nearestOf = ({ measured, d }: Shown): Dimension | undefined =>
  least(measured, (each) => Math.abs(Math.log2(each.d / d)));
