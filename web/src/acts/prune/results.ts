import { extent, mean, sum, transpose } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import { area } from 'd3-shape';
import type { HeadMeasure } from 'headwise/models';

import { words as mapWords } from '../../attention/words.js';
import { joinSentences } from '../../format/sentences.js';
import {
  createChart,
  createChartLegend,
  drawAxes,
  drawGrid,
  drawLine,
  type Point,
  type Size,
} from '../../ui/chart.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createStage } from '../../ui/stage.js';
import {
  allHeads,
  nameOfHead,
  numPlanted,
  numPlantedAmong,
  type Role,
  rolesOfLayers,
} from '../../worker/heads.js';
import { chosenBy, measures, type OrderName, orderNames, type Study } from '../../worker/study.js';
import { words } from './words.js';

/** Importance by each measure, and the accuracy of the planted models as heads are pruned in each order. */
export function createResults(studiesNow: () => readonly Study[]) {
  const charts = measures.map(createMeasureChart);
  const curves = createChart({
    label: words.curves,
    height: 330,
    draw: (size) => drawCurves(curvesOf(studiesNow()), size),
  });
  const bars = element('p.caption');
  const truthLegend = createTruthLegend();
  const orderLegend = createOrderLegend();
  const root = element(
    'div.results',
    createStage({
      rail: [
        element('h3', words.importance),
        truthLegend,
        bars,
        element('h4', words.curves),
        orderLegend,
        element('p.caption', words.band),
      ],
      views: [
        element(
          'div.judged',
          element('div.measures', ...charts.map((chart) => chart.root)),
          curves.root,
        ),
      ],
    }),
  );
  const draw = (): void => {
    const studies = studiesNow();
    root.hidden = studies.length === 0;
    bars.textContent = studies.length === 0 ? '' : words.bars(studies[0].seed);
    for (const chart of charts) chart.draw(studies);
    curves.draw();
  };
  draw();
  const perStudy = (dataOf: (study: Study) => unknown): unknown =>
    studiesNow().length === 0 ? undefined : studiesNow().map(dataOf);
  const savables = [
    {
      name: words.exportNames.importance,
      figure: () =>
        composeDrawings([...charts.map(({ piece }) => [piece]), [drawLegend(truthLegend)]]),
      data: () =>
        perStudy(({ seed, roles, importance: measured }) => ({
          seed,
          heads: allHeads.map((head, i) => ({ ...head, role: roles[i] })),
          importance: measured,
        })),
    },
    {
      name: words.exportNames.curves,
      figure: () =>
        composeDrawings([
          [{ drawing: curves.root, title: words.curves }],
          [drawLegend(orderLegend)],
        ]),
      data: () => perStudy(({ seed, curves: drawn }) => ({ seed, curves: drawn })),
    },
  ];
  return {
    root,
    /** Nothing while there are no studies. */
    savables,
    /** Draws the studies that may be shown now; hidden while there are none. */
    draw,
  };
}

/** What the lines of the orders look like. */
export const createOrderLegend = (): HTMLElement =>
  createChartLegend(orderNames.map((order) => ({ series: order, name: words.orders[order] })));

function curvesOf(studies: readonly Study[]): Curves | undefined {
  if (studies.length === 0) return undefined;
  const all = studies.flatMap(({ curves }) => curves);
  return {
    lines: orderNames.map((order) => ({
      order,
      runs: all.filter((curve) => curve.order === order).map(({ accuracy }) => accuracy),
    })),
    heads: allHeads.length,
    step: 1,
    axis: { name: words.accuracy, from: 0, to: 1 },
  };
}

const barMargin = { left: 46, right: 4, top: 10, bottom: 40 } as const;

/** The kind of a head, by which its bar is coloured. */
export const kindOf = (role: Role): 'planted' | 'sharp' | 'quiet' =>
  role === 'sharp' || role === 'quiet' ? role : 'planted';

/** Importance of every head by a measure. */
function createMeasureChart(measure: HeadMeasure) {
  let studies: readonly Study[] = [];
  const chart = createChart({
    label: words.orders[measure],
    height: 140,
    draw: (size) => (studies.length === 0 ? [] : drawBars(measure, studies[0], size)),
  });
  const verdict = element('p.verdict');
  return {
    root: element(
      'div.measure',
      { 'data-measure': measure },
      element('h4', words.orders[measure]),
      element('p.measure-note.soft', words.measureNotes[measure]),
      chart.root,
      verdict,
    ),
    piece: { drawing: chart.root, title: words.orders[measure] },
    draw(given: readonly Study[]): void {
      studies = given;
      chart.draw();
      if (studies.length === 0) return;
      const [first] = studies;
      const told = words.verdict(foundBy(measure, first), numPlanted, first.seed);
      const all = sum(studies, (study) => foundBy(measure, study));
      const more = words.overSeeds(all, studies.length * numPlanted, studies.length);
      verdict.textContent = studies.length === 1 ? told : joinSentences([told, more]);
      setAttributes(chart.root, {
        'aria-label': words.chart(words.orders[measure], verdict.textContent),
      });
    },
  };
}

/** Planted heads among the measure’s choice. */
const foundBy = (measure: HeadMeasure, study: Study): number =>
  numPlantedAmong(chosenBy(measure, study), study.roles);

/** Of one study: another seed plants elsewhere, so that there is no mean of a place. */
function drawBars(
  measure: HeadMeasure,
  { importance, roles }: Study,
  { width, height }: Size,
): SVGElement[] {
  const values = importance[measure];
  const y = scaleLinear(
    [Math.min(0, ...values), Math.max(...values)],
    [height - barMargin.bottom, barMargin.top],
  ).nice(4);
  const x = scaleBand(allHeads.map(nameOfHead), [barMargin.left, width - barMargin.right]).padding(
    0.25,
  );
  return [
    drawGrid({ scale: y, ticks: 4, name: '' }, x.range()),
    ...allHeads.map((head, i) => {
      const name = nameOfHead(head);
      const value = values[i];
      const left = x(name) ?? 0;
      return svg(
        'g.bar',
        { 'data-truth': kindOf(roles[i]), 'data-head': name, 'data-value': value },
        svg('rect', {
          x: left,
          width: x.bandwidth(),
          y: Math.min(y(value), y(0)),
          height: Math.abs(y(value) - y(0)),
        }),
        svg(
          'text',
          { x: left + x.bandwidth() / 2, y: height - 24, 'text-anchor': 'middle' },
          String(head.head + 1),
        ),
      );
    }),
    ...rolesOfLayers.map((_, layer) =>
      svg(
        'text.bar-layer',
        { x: x(nameOfHead({ layer, head: 0 })) ?? 0, y: height - 6 },
        mapWords.map.layer(layer + 1),
      ),
    ),
  ];
}

/** What the looks of the bars say. */
const createTruthLegend = (): HTMLElement =>
  createChartLegend(
    (['planted', 'sharp', 'quiet'] as const).map((name) => {
      const look = { viewBox: '0 0 16 16', 'data-truth': name, 'aria-hidden': 'true' };
      const bar = svg('rect', { x: 1, y: 1, width: 14, height: 14 });
      return { name: words.truths[name], sample: svg('svg.swatch', look, bar) };
    }),
    words.truth,
  );

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
export function drawCurves(curves: Curves | undefined, { width, height }: Size): SVGElement[] {
  if (curves === undefined) return [];
  const { lines, heads, step, axis, limit, chosen } = curves;
  const numPoints = Math.max(...lines.flatMap(({ runs }) => runs.map(({ length }) => length)));
  const [left, right] = [margin.left, width - margin.right];
  const [bottom, top] = [height - margin.bottom, margin.top];
  // Heads go from left to right, as time does.
  const x = scaleLinear([heads, heads - step * (numPoints - 1)], [left, right]);
  const y = scaleLinear([axis.from, axis.to], [bottom, top]);
  const at = (point: number): number => x(heads - step * point);
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
      ...(random === undefined ? [] : [svg('path.band', { d: band(random.ends) ?? '' })]),
      ...drawn.map(({ order, means }) =>
        drawLine(
          means.map((value, point): Point => [point, value]),
          at,
          y,
          { 'data-series': order, 'data-chosen': order === chosen?.order },
        ),
      ),
    ),
    ...(limit === undefined
      ? []
      : [
          svg('path.limit', { d: `M${left},${y(limit.value)}H${right}` }),
          svg('text.limit-name', { x: left + 6, y: y(limit.value) - 6 }, limit.name),
        ]),
    ...(marked === undefined || chosen === undefined
      ? []
      : [
          svg('path.cut-line', { d: `M${at(chosen.point)},${top}V${bottom}` }),
          svg('circle.cut-mark', {
            cx: at(chosen.point),
            cy: Math.max(top, y(marked.means[chosen.point] ?? NaN)),
            r: 5,
          }),
        ]),
  ];
}
