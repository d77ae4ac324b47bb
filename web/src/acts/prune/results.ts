import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { createChartLegend } from '../../ui/legend.js';
import { createStage } from '../../ui/stage.js';
import { allHeads } from '../../worker/heads.js';
import { orderNames, type Study } from '../../worker/study.js';
import { createCurveChart, type Curves } from './curve-chart.js';
import { createImportanceCharts, createTruthLegend } from './importance-charts.js';
import { words } from './words.js';

export interface Results {
  readonly root: HTMLElement;
  /** Nothing while there are no studies. */
  readonly savables: readonly Savable[];
  /** Draws the studies that may be shown now; hidden while there are none. */
  draw(): void;
}

/** Importance by each measure, and the accuracy of the planted models as heads are pruned in each order. */
export function createResults(studiesNow: () => readonly Study[]): Results {
  const charts = createImportanceCharts();
  const curves = createCurveChart(words.curves, 330, () => curvesOf(studiesNow()));
  const bars = element('p', { class: 'caption' });
  const truthLegend = createTruthLegend();
  const orderLegend = createOrderLegend();
  const root = element(
    'div',
    { class: 'results' },
    createStage({
      label: words.importancePanel,
      rail: [
        element('h3', {}, words.importance),
        truthLegend,
        bars,
        element('h4', {}, words.curves),
        orderLegend,
        element('p', { class: 'caption' }, words.band),
      ],
      views: [element('div', { class: 'judged' }, charts.root, curves.root)],
    }),
  );
  const draw = (): void => {
    const studies = studiesNow();
    root.hidden = studies.length === 0;
    bars.textContent = studies.length === 0 ? '' : words.bars(studies[0].seed);
    charts.draw(studies);
    curves.draw();
  };
  draw();
  const perStudy = (dataOf: (study: Study) => unknown): unknown =>
    studiesNow().length === 0 ? undefined : studiesNow().map(dataOf);
  const savables = [
    {
      name: words.exportNames.importance,
      figure: () => composeDrawings([...charts.drawings(), [drawLegend(truthLegend)]]),
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
  return { root, savables, draw };
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
