import type { Store } from '../../address/store.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { createChartLegend } from '../../ui/legend.js';
import { createStage } from '../../ui/stage.js';
import { allHeads } from '../../worker/heads.js';
import { orderNames, type Study } from '../../worker/study.js';
import { createCurveChart } from './curve-chart.js';
import { createImportanceCharts, createTruthLegend } from './importance-charts.js';
import { metrics, type PruneState } from './state.js';
import { words } from './words.js';

export interface Results {
  readonly roots: readonly HTMLElement[];
  /** Nothing while there are no studies. */
  readonly savables: readonly Savable[];
  /** Of the studies that may be shown now, or nothing while there are none. */
  draw(): void;
}

/** What the measures say, and what becomes of a model as heads are pruned in their orders. */
export function createResults(
  store: Store<PruneState>,
  studiesNow: () => readonly Study[],
): Results {
  const charts = createImportanceCharts();
  const curves = createCurveChart(studiesNow, () => store.state.metric);
  let { metric } = store.state;
  store.subscribe((state) => {
    if (state.metric === metric) return;
    metric = state.metric;
    curves.draw();
  });
  const bars = element('p', { class: 'caption' });
  const truthLegend = createTruthLegend();
  const orderLegend = createChartLegend(
    orderNames.map((order) => ({ series: order, name: words.orders[order] })),
  );
  const importance = createStage({
    label: words.importancePanel,
    rail: [element('h3', {}, words.importance), truthLegend, bars],
    views: [charts.root],
  });
  const pruning = createStage({
    label: words.curvesPanel,
    rail: [
      element('h3', {}, words.curves),
      element(
        'div',
        { class: 'rail-pinned' },
        boundChoice(store, 'metric', {
          label: words.metric,
          values: metrics,
          nameOf: (name) => words.metrics[name],
        }),
      ),
      orderLegend,
      element('p', { class: 'caption' }, words.band),
    ],
    views: [curves.root],
  });
  const roots = [
    element('div', { class: 'results' }, importance),
    element('div', { class: 'results' }, pruning),
  ];
  const draw = (): void => {
    const studies = studiesNow();
    const [first] = studies;
    for (const root of roots) root.hidden = studies.length === 0;
    bars.textContent = studies.length === 0 ? '' : words.bars(first.seed);
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
  return { roots, savables, draw };
}
