import { extent, group, mean } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';

import { type Chart, createChart, drawAxes, type Size } from '../../ui/chart.js';
import { svg } from '../../ui/dom.js';
import { allHeads, rolesOfLayers } from '../../worker/heads.js';
import { type Curve, orderNames, type Study } from '../../worker/study.js';
import type { Metric } from './state.js';
import { words } from './words.js';

const margin = { left: 46, right: 14, top: 28, bottom: 42 } as const;

interface Point {
  readonly kept: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
}

/** Loss or right answers against heads left, for each order in which they go. */
export function createCurveChart(
  studiesNow: () => readonly Study[],
  metricNow: () => Metric,
): Chart {
  return createChart({
    label: words.curves,
    height: 400,
    draw: (size) => {
      const studies = studiesNow();
      return studies.length === 0 ? [] : drawCurves(studies, metricNow(), size);
    },
  });
}

function drawCurves(
  studies: readonly Study[],
  metric: Metric,
  { width, height }: Size,
): SVGElement[] {
  const curves = group(
    studies.flatMap((study) => study.curves),
    ({ order }) => order,
  );
  const lines = orderNames.map((order) => ({
    order,
    points: pointsOf(curves.get(order) ?? [], metric),
  }));
  // Heads go from left to right, as time does.
  const x = scaleLinear(
    [allHeads.length, rolesOfLayers.length],
    [margin.left, width - margin.right],
  );
  const high = Math.max(...lines.flatMap(({ points }) => points.map(({ most }) => most)));
  const y = scaleLinear(
    [0, metric === 'accuracy' ? 1 : high],
    [height - margin.bottom, margin.top],
  );
  const path = line<Point>(
    ({ kept }) => x(kept),
    (point) => y(point.mean),
  ).digits(1);
  const band = area<Point>(
    ({ kept }) => x(kept),
    ({ least }) => y(least),
    ({ most }) => y(most),
  ).digits(1);
  const random = lines.find(({ order }) => order === 'random')?.points ?? [];
  return [
    svg('path', { class: 'band', d: band(random) ?? '' }),
    drawAxes(
      { scale: x, ticks: 6, name: words.heads },
      { scale: y, ticks: 5, name: words.metrics[metric] },
    ),
    ...lines.map(({ order, points }) =>
      svg('path', { class: 'line', 'data-series': order, d: path(points) ?? '' }),
    ),
  ];
}

function pointsOf(curves: readonly Curve[], metric: Metric): Point[] {
  const [first] = curves;
  return first.points.map(({ kept }, i) => {
    const values = curves.map(({ points }) => points[i][metric]);
    const [least = 0, most = 0] = extent(values);
    return { kept, least, most, mean: mean(values) ?? 0 };
  });
}
