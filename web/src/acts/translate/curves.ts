import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { headColour } from 'headwise/view';

import { type Chart, createChart, drawAxes, type Point, type Size } from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import { lastAlignmentStep } from '../../worker/alignment.js';
import { meanAlignment } from './findings.js';
import type { AlignRecord } from './run.js';
import { words } from './words.js';

const height = 165;
const margin = { left: 44, right: 12, top: 26, bottom: 40 } as const;

type Now = () => AlignRecord | undefined;

const stepAxis = (width: number) =>
  scaleLinear([0, lastAlignmentStep], [margin.left, width - margin.right]);
const ticksOf = (width: number): number => Math.max(2, Math.round(width / 130));
const span = [height - margin.bottom, margin.top] as const;

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
      const drawn = svg('path', { class: 'line', d: path(points) ?? '' });
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
