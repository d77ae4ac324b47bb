import { createKey } from '../chart/key.js';
import { boundChoice } from '../controls/bound.js';
import { element } from '../dom.js';
import { composeDrawings } from '../export/compose.js';
import { drawKey } from '../export/draw-key.js';
import { createExportMenu } from '../export/export-menu.js';
import { Connection } from '../lab/connection.js';
import { allHeads } from '../lab/roles.js';
import { orderNames } from '../lab/studied.js';
import { createBenchView } from '../prune/bench-view.js';
import { createCurveChart } from '../prune/curve-chart.js';
import { createImportanceCharts } from '../prune/importance-charts.js';
import { createPlantPanel } from '../prune/plant-panel.js';
import { Planter } from '../prune/planter.js';
import { createTruthKey } from '../prune/truth-key.js';
import { metrics, type PruneState } from '../state/prune-state.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';
import { createLabNotice } from './lab-notice.js';

/** The fourth act: a model whose truth is known, measured and pruned. */
export function createPruneContent(store: Store<PruneState>): HTMLElement[] {
  const words = text.prune;
  const notice = createLabNotice(() => {
    connection.giveUp();
    plant();
  });
  const connection = new Connection(notice.showSlow);
  const planter = new Planter(connection, {
    onChange: show,
    onFailure: (error) => {
      notice.showFailure(error);
      bench.close();
    },
  });
  const panel = createPlantPanel(store, plant, () => {
    planter.stop();
  });
  const charts = createImportanceCharts();
  const curves = createCurveChart(
    () => planter.studies,
    () => store.state.metric,
  );
  const bench = createBenchView(store, connection, (error) => {
    planter.fail(error);
  });

  function plant(): void {
    notice.clear();
    bench.close();
    void planter.plant(store.state.seed);
  }

  let shown: Planter['studies'] = [];
  function show(): void {
    panel.show(planter);
    const { studies } = planter;
    preview.hidden = studies.length > 0;
    if (studies === shown) return;
    const isFirst = shown.length === 0 && studies.length > 0;
    shown = studies;
    results.hidden = studies.length === 0;
    charts.draw(studies);
    curves.draw();
    if (isFirst) bench.open();
  }

  let { seed } = store.state;
  store.subscribe((state) => {
    curves.draw();
    if (state.seed === seed) return;
    seed = state.seed;
    // What is shown is of another seed.
    if (planter.state !== 'idle') plant();
  });

  const truthKey = createTruthKey();
  const orderKey = createKey(
    orderNames.map((order) => ({ series: order, name: words.orders[order] })),
  );
  const preview = element('p', { class: 'preview' }, words.preview);
  const results = element(
    'div',
    { class: 'results' },
    element('h3', {}, words.importance),
    truthKey,
    charts.root,
    element('p', { class: 'caption' }, words.bars),
    createExportMenu({
      name: words.exportNames.importance,
      figure: () => composeDrawings([...charts.drawings(), [drawKey(truthKey)]]),
      data: () =>
        planter.studies.map(({ seed: of, importance }) => ({
          seed: of,
          heads: allHeads,
          importance,
        })),
    }),
    element('h3', {}, words.curves),
    element(
      'div',
      { class: 'run-bar' },
      orderKey,
      boundChoice(store, 'metric', {
        label: words.metric,
        values: metrics,
        nameOf: (metric) => words.metrics[metric],
      }),
    ),
    curves.root,
    element('p', { class: 'caption' }, words.band),
    createExportMenu({
      name: words.exportNames.curves,
      figure: () =>
        composeDrawings([[{ drawing: curves.root, title: words.curves }], [drawKey(orderKey)]]),
      data: () =>
        planter.studies.map(({ seed: of, curves: drawn }) => ({ seed: of, curves: drawn })),
    }),
  );
  results.hidden = true;
  return [bench.goal, panel.root, preview, notice.root, results, bench.root];
}
