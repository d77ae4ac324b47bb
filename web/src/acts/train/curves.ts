import { extent } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';

import {
  type Chart,
  createChart,
  drawAxes,
  type Point,
  type Size,
  downsample,
} from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { type Head, nameOfHead, sameHead } from '../../worker/heads.js';
import {
  enough,
  type Moment,
  type RoleEvent,
  type RunRecord,
  scoreAt,
  scoresOf,
  tooLittle,
} from './run-record.js';
import type { LossScale } from './state.js';
import type { PinnedRun } from './summaries.js';
import { words } from './words.js';

/** Around the lines, in pixels of the page. */
export const margin = { left: 52, right: 14, top: 24, bottom: 40 } as const;
export const curveHeight = 136;
/** Losses below are drawn here: a logarithm has no bottom. */
const least = 1e-4;

/** What the chart of losses shows. */
export interface Curves {
  readonly record: RunRecord;
  /** Drawn beside it, as far as the steps go. */
  readonly pinned: PinnedRun | undefined;
  readonly scale: LossScale;
}

/** Loss of what is trained on, of what is not, and of guessing; a mark where a head took a role. */
export function createLossCurve(curvesNow: () => Curves | undefined): Chart {
  return createChart({
    label: words.lossCurve,
    height: curveHeight,
    draw: (size) => {
      const curves = curvesNow();
      return curves === undefined ? [] : drawCurve(curves, size);
    },
  });
}

function drawCurve({ record, pinned, scale }: Curves, { width, height }: Size): SVGElement[] {
  const end = stepsShown(record.step);
  const x = scaleLinear([0, end], [margin.left, width - margin.right]);
  const beside = pinned?.points.filter(({ step }) => step <= end) ?? [];
  const [low = 1, high = 1] = extent([
    ...record.losses,
    ...record.measurements.map(({ loss }) => loss),
    ...beside.map(({ loss }) => loss),
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
  const pointOf = ({ step, loss }: { step: number; loss: number }): Point => [step, loss];
  const drawn = (series: string, points: readonly Point[]): SVGElement =>
    svg('path', {
      class: 'line',
      'data-series': series,
      d: path(downsample(points, width)) ?? '',
    });
  const guessing = at(record.start.guessing);
  const [bottom = 0, top = 0] = range;
  return [
    drawAxes(
      { scale: x, ticks: Math.max(3, Math.round(width / 110)), name: words.steps },
      { scale: y, ticks: 5, name: words.loss },
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
    ...createRoleNames(record.events, x, top),
    ...(pinned === undefined ? [] : [drawn('pinned', beside.map(pointOf))]),
    drawn('training', trained),
    drawn('unseen', record.measurements.map(pointOf)),
  ];
}

const size = { width: 200, height: 60 } as const;
const inset = 3;

export interface ScoreLines {
  readonly root: SVGSVGElement;
  draw(record: RunRecord, moment: Moment): void;
}

/**
 * What one head looks at, from the first step on: a small line for each thing it may look at, across those from which on
 * it has a role, and the one below which it has none.
 */
export function createScoreLines(place: Head): ScoreLines {
  const root = svg('svg', {
    class: 'score-lines',
    viewBox: `0 0 ${size.width} ${size.height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  return {
    root,
    draw(record, moment) {
      const { heads, task } = record.options;
      const x = scaleLinear([0, stepsShown(record.step)], [0, size.width]);
      const y = scaleLinear([0, 1], [size.height - inset, inset]);
      const lines = scoresOf[task].map((name) => {
        const path = line<Point>(
          ([step]) => x(step),
          ([, share]) => y(share),
        ).digits(1);
        const shares = record.measurements.map((measurement): Point => [
          measurement.step,
          scoreAt(measurement, heads, place, name),
        ]);
        const d = path(downsample(shares, size.width)) ?? '';
        return svg('path', { class: 'line', 'data-series': name, d });
      });
      const across = (share: number, series: string): SVGElement =>
        svg('line', {
          class: 'line threshold',
          'data-series': series,
          'data-share': share,
          x2: size.width,
          y1: y(share),
          y2: y(share),
        });
      const own = record.events.filter((event) => sameHead(event.place, place));
      root.replaceChildren(
        svg('line', { class: 'chart-base', x2: size.width, y1: y(0), y2: y(0) }),
        ...scoresOf[task]
          .filter((name) => name !== 'firstToken')
          .map((name) => across(enough(name), name)),
        across(tooLittle, 'tooLittle'),
        ...createRoleMarks(own, x, 0, size.height),
        ...lines,
        ...(moment.isNow
          ? []
          : [
              svg('line', {
                class: 'line moment-line',
                x1: x(moment.step),
                x2: x(moment.step),
                y2: size.height,
              }),
            ]),
      );
    },
  };
}

/** A line across a chart, from `top` to `bottom`, where a head took a role: in its colour, dashed as the role's line is. */
export function createRoleMarks(
  events: readonly RoleEvent[],
  x: (step: number) => number,
  top: number,
  bottom: number,
): SVGElement[] {
  return events
    .filter(({ kind }) => kind === 'took')
    .map(({ step, place, score }) =>
      withHeadColour(
        svg('line', {
          class: 'line role-mark',
          'data-series': score,
          x1: x(step),
          x2: x(step),
          y1: top,
          y2: bottom,
        }),
        place.head,
      ),
    );
}

/** Above the marks, which heads took a role: `2.1`, as layer.head. Names that would overlap are left out. */
function createRoleNames(
  events: readonly RoleEvent[],
  x: (step: number) => number,
  top: number,
): SVGElement[] {
  let free = -Infinity;
  return events.flatMap(({ kind, step, place }) => {
    const at = x(step);
    if (kind !== 'took' || at < free) return [];
    free = at + 22;
    const name = svg('text', { class: 'role-name', x: at, y: top - 4 }, nameOfHead(place));
    return [withHeadColour(name, place.head)];
  });
}

/** How far the axis of steps goes: twice as far each time that a run reaches its end. */
export function stepsShown(step: number): number {
  let end = 100;
  while (end < step) end *= 2;
  return end;
}
