import { least, range, sum } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { scaledDotProductAttention, Tensor } from 'headwise';

import { entropyOf } from '../../attention/attention-view.js';
import { formatShort } from '../../format/numbers.js';
import { createChart, drawAxes, drawLine, type Point, type Size } from '../../ui/chart.js';
import { element, svg } from '../../ui/dom.js';
import { words } from './words.js';

interface Shown {
  /** As far as they have been measured. */
  readonly measured: readonly Dimension[];
  readonly d: number;
}

const height = 160;
const margin = { left: 38, right: 14, top: 26, bottom: 38 } as const;
const span = [height - margin.bottom, margin.top] as const;
const variants = ['undivided', 'divided'] as const;

/**
 * Entropy of the weights of random queries and keys against d, with and without the division by √d. It is measured when
 * it is first drawn.
 */
export function createDimensionsChart() {
  const measured: Dimension[] = [];
  let d = 0;
  const now = (): Shown => ({ d, measured });
  const chart = createChart({ label: words.chart, height, draw: (size) => drawChart(now(), size) });
  const sentence = element('p.inside-seen');
  const root = element('div.inside-chart', chart.root);
  const redraw = (): void => {
    chart.draw();
    sentence.textContent = sentenceOf(now());
    root.toggleAttribute('data-done', measured.length === dimensions.length);
  };
  return {
    ...{ root, sentence, svg: chart.root },
    draw(headSize: number): void {
      if (headSize === d) return;
      if (d === 0) {
        void measureDimensions((next) => {
          measured.push(next);
          redraw();
        });
      }
      d = headSize;
      redraw();
    },
  };
}

function drawChart({ measured, d }: Shown, { width }: Size): SVGElement[] {
  const right = width - margin.right;
  const x = scaleLog([1, dimensions.at(-1) ?? 1], [margin.left, right]).base(2);
  const y = scaleLinear([0, 1.06 * mostEntropy], [...span]);
  const nearest = nearestOf({ measured, d });
  // The name of the line at the act's d, between the two curves.
  const here =
    nearest &&
    svg(
      'text.inside-here-name',
      {
        x: x(d) + 6,
        y: y((nearest.undivided.entropy + nearest.divided.entropy) / 2),
        dy: '0.32em',
      },
      `d = ${d}`,
    );
  return [
    drawAxes({ scale: x, ticks: 10, name: 'd' }, { scale: y, ticks: 4, name: words.entropy }),
    svg('path.inside-uniform', { d: `M${margin.left},${y(mostEntropy)}H${right}` }),
    svg(
      'text.inside-line-name',
      { x: right, y: y(mostEntropy) - 6, 'text-anchor': 'end' },
      words.equalWeights,
    ),
    svg('path.inside-here', { d: `M${x(d)},${span[0]}V${span[1]}` }),
    ...(here === undefined ? [] : [here]),
    ...variants.flatMap((variant) => drawVariant({ measured, d }, variant, x, y)),
  ];
}

/** A curve, its points, and its name once all of it is there. */
function drawVariant(
  { measured, d }: Shown,
  variant: (typeof variants)[number],
  x: (d: number) => number,
  y: (value: number) => number,
): SVGElement[] {
  const points = measured.map((each): Point => [each.d, each[variant].entropy]);
  const dots = points.map(([size, value]) =>
    svg('circle.inside-point', {
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
            'text.inside-line-name',
            {
              'data-variant': variant,
              x: x(dimensions.at(-1) ?? 1),
              y: y(beside) + by,
              'text-anchor': 'end',
            },
            variant === 'divided' ? 'q · k / √d' : 'q · k',
          ),
        ];
  return [drawLine(points, x, y, { 'data-variant': variant }), ...dots, ...name];
}

/** What the chart shows at the measured size nearest to `d`, since the size of a head need not be a power of two. */
function sentenceOf(shown: Shown): string {
  const here = nearestOf(shown);
  if (here === undefined) return words.measuring;
  const { d, undivided, divided } = here;
  return words.seen(
    d,
    ...([undivided, divided].map(({ entropy }) => formatShort(entropy)) as [string, string]),
    ...([undivided, divided].map(({ gradient }) => gradient.toFixed(3)) as [string, string]),
  );
}

const nearestOf = ({ measured, d }: Shown): Dimension | undefined =>
  least(measured, (each) => Math.abs(Math.log2(each.d / d)));

/** Mean entropy of the weights, and mean p (1 − p): how much a weight changes with its own score. */
export interface Measures {
  readonly entropy: number;
  readonly gradient: number;
}

/** Means over random queries and keys of size `d`. */
export interface Dimension {
  readonly d: number;
  readonly undivided: Measures;
  readonly divided: Measures;
}

/** 1, 2, 4 … 512 */
export const dimensions: readonly number[] = range(10).map((power) => 2 ** power);

/** Sets of eight keys, and queries for each: 512 rows of weights for each d. */
const [numSets, numQueries, numKeys] = [64, 8, 8];

/** In nats, of eight equal weights. */
export const mostEntropy = Math.log(numKeys);

/** Of independent standard normal queries and keys. */
export function measureDimension(d: number): Dimension {
  const queries = Tensor.randn([1, numSets, numQueries, d], 2 * d);
  const keys = Tensor.randn([1, numSets, numKeys, d], 2 * d + 1);
  const measures = (scale: number): Measures => {
    const { attentionWeights } = scaledDotProductAttention(queries, keys, keys, {
      scale,
      returnWeights: true,
    });
    const { data } = attentionWeights;
    return {
      entropy: entropyOf(data) / (numSets * numQueries),
      gradient: sum(data, (weight) => weight * (1 - weight)) / data.length,
    };
  };
  return { d, undivided: measures(1), divided: measures(1 / Math.sqrt(d)) };
}

/** All sizes, one per task, so that the page stays responsive. */
export async function measureDimensions(onNext: (next: Dimension) => void): Promise<void> {
  for (const d of dimensions) {
    onNext(measureDimension(d));
    await new Promise((resolve) => setTimeout(resolve));
  }
}
