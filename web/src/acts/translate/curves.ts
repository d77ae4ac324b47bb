import { max } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { headColour } from 'headwise/view';

import {
  type Chart,
  createChart,
  downsample,
  drawAxes,
  type Point,
  type Size,
} from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import { lastAlignmentStep } from '../../worker/alignment.js';
import { meanAlignment } from './findings.js';
import type { AlignRecord } from './run.js';
import { words } from './words.js';

const height = 165;
const margin = { left: 44, right: 12, top: 26, bottom: 40 } as const;
/** Losses below are drawn here: a logarithm has no bottom. */
const least = 1e-4;

type Now = () => AlignRecord | undefined;

const stepAxis = (width: number) =>
  scaleLinear([0, lastAlignmentStep], [margin.left, width - margin.right]);
const ticksOf = (width: number): number => Math.max(2, Math.round(width / 130));
const span = [height - margin.bottom, margin.top] as const;

/** Training loss, and that of unseen dates. */
export function createLossCurve(now: Now): Chart {
  const draw = ({ width }: Size): SVGElement[] => {
    const record = now();
    if (record === undefined) return [];
    const x = stepAxis(width);
    const highest = max([...record.losses, ...record.measurements.map(({ loss }) => loss)]) ?? 1;
    const y = scaleLog([least, 1.2 * highest], [...span]);
    const path = line<Point>(
      ([step]) => x(step),
      ([, loss]) => y(Math.max(loss, least)),
    ).digits(1);
    const trained = record.losses.map((loss, i): Point => [i + 1, loss]);
    const unseen = record.measurements.map(({ step, loss }): Point => [step, loss]);
    return [
      drawAxes(
        { scale: x, ticks: ticksOf(width), name: words.steps },
        { scale: y, ticks: 4, name: words.loss },
      ),
      svg('path', {
        class: 'line',
        'data-series': 'training',
        d: path(downsample(trained, width)) ?? '',
      }),
      svg('path', { class: 'line', 'data-series': 'unseen', d: path(unseen) ?? '' }),
    ];
  };
  return createChart({ label: words.lossCurve, height, draw });
}

/** Share of unseen dates that are right, and of each head's weight that is where it should be. */
export function createShareCurve(now: Now): Chart {
  const draw = ({ width }: Size): SVGElement[] => {
    const record = now();
    if (record === undefined) return [];
    const x = stepAxis(width);
    const y = scaleLinear([0, 1], [...span]);
    const path = line<Point>(
      ([step]) => x(step),
      ([, share]) => y(share),
    ).digits(1);
    const { measurements, options } = record;
    const heads = Array.from({ length: options.heads }, (_, head) => {
      const points = measurements.map((each): Point => [each.step, meanAlignment(each, head)]);
      const drawn = svg('path', { class: 'line align-line', d: path(points) ?? '' });
      drawn.style.setProperty('stroke', headColour(head));
      return drawn;
    });
    const right = measurements.map(({ step, accuracy }): Point => [step, accuracy]);
    return [
      drawAxes(
        { scale: x, ticks: ticksOf(width), name: words.steps },
        { scale: y, ticks: 3, name: words.shares },
      ),
      ...heads,
      svg('path', { class: 'line', 'data-series': 'unseen', d: path(right) ?? '' }),
    ];
  };
  return createChart({ label: words.shareCurve, height, draw });
}
