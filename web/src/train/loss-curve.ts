import { extent } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';

import { drawAxes } from '../chart/axes.js';
import { createChart, type Chart, type Size } from '../chart/chart.js';
import { thin, type Point } from '../chart/thin.js';
import { svg } from '../dom.js';
import { text } from '../text/index.js';
import type { LossScale } from '../state/train-state.js';
import { createRoleMarks } from './role-marks.js';
import type { RunRecord } from './run-record.js';
import { stepsShown } from './steps-shown.js';

const margin = { left: 52, right: 14, top: 28, bottom: 42 } as const;
/** Losses below are drawn here: a logarithm has no bottom. */
const least = 1e-4;

/** Loss of what is trained on, of what is not, and of guessing; a mark where a head took a role. */
export function createLossCurve(
  recordNow: () => RunRecord | undefined,
  scaleNow: () => LossScale,
): Chart {
  return createChart({
    label: text.train.lossCurve,
    height: 250,
    draw: (size) => {
      const record = recordNow();
      return record === undefined ? [] : drawCurve(record, scaleNow(), size);
    },
  });
}

function drawCurve(record: RunRecord, scale: LossScale, { width, height }: Size): SVGElement[] {
  const x = scaleLinear([0, stepsShown(record.step)], [margin.left, width - margin.right]);
  const [low = 1, high = 1] = extent([
    ...record.losses,
    ...record.measurements.map(({ loss }) => loss),
    record.start.guessing,
  ]);
  const range = [height - margin.bottom, margin.top];
  const y =
    scale === 'log'
      ? scaleLog([Math.max(least, low / 1.2), high * 1.2], range)
      : scaleLinear([0, high * 1.05], range);
  const at = (loss: number): number => y(Math.max(loss, least));
  const path = line<Point>(
    ([step]) => x(step),
    ([, loss]) => at(loss),
  ).digits(1);
  const trained = record.losses.map((loss, i): Point => [i + 1, loss]);
  const unseen = record.measurements.map(({ step, loss }): Point => [step, loss]);
  const guessing = at(record.start.guessing);
  const [bottom = 0, top = 0] = range;
  return [
    drawAxes(
      { scale: x, ticks: Math.max(3, Math.round(width / 110)), name: text.train.steps },
      { scale: y, ticks: 5, name: text.train.loss },
    ),
    svg('line', {
      class: 'line',
      'data-series': 'guessing',
      x1: margin.left,
      x2: width - margin.right,
      y1: guessing,
      y2: guessing,
    }),
    ...createRoleMarks(record.events, x, top, bottom),
    svg('path', { class: 'line', 'data-series': 'training', d: path(thin(trained, width)) ?? '' }),
    svg('path', { class: 'line', 'data-series': 'unseen', d: path(thin(unseen, width)) ?? '' }),
  ];
}
