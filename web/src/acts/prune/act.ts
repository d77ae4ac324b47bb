import './style.css';

import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { hideable } from '../../address/hideable.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createChartLegend } from '../../ui/legend.js';
import { announce } from '../../ui/live-region.js';
import { createStage } from '../../ui/stage.js';
import { Connection } from '../../worker/connection.js';
import { allHeads } from '../../worker/heads.js';
import { createWorkerNotice } from '../../worker/notice.js';
import { orderNames } from '../../worker/study.js';
import { createCurveChart } from './curve-chart.js';
import { createImportanceCharts, createTruthLegend } from './importance-charts.js';
import { numSeeds, Planter } from './planter.js';
import { createSessionView } from './session-view.js';
import { metrics, type PruneState } from './state.js';
import { words } from './words.js';

/** A model whose truth is known, measured and pruned. */
export function createPruneContent(store: Store<PruneState>): HTMLElement[] {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    plant();
  });
  const connection = new Connection(notice.showSlow);
  const planter = new Planter(connection, {
    onChange: show,
    onFailure: (error) => {
      notice.showFailure(error);
      session.close();
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
  const session = createSessionView(store, connection, (error) => {
    planter.fail(error);
  });

  function plant(): void {
    notice.clear();
    session.close();
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
    if (isFirst) session.open();
  }

  let { seed } = store.state;
  store.subscribe((state) => {
    curves.draw();
    if (state.seed === seed) return;
    seed = state.seed;
    // What is shown is of another seed.
    if (planter.state !== 'idle') plant();
  });

  const truthLegend = createTruthLegend();
  const orderLegend = createChartLegend(
    orderNames.map((order) => ({ series: order, name: words.orders[order] })),
  );
  const preview = element('p', { class: 'preview' }, words.preview);
  const results = element(
    'div',
    { class: 'results' },
    element('h3', {}, words.importance),
    truthLegend,
    charts.root,
    element('p', { class: 'caption' }, words.bars),
    element('h3', {}, words.curves),
    element(
      'div',
      { class: 'run-bar' },
      orderLegend,
      boundChoice(store, 'metric', {
        label: words.metric,
        values: metrics,
        nameOf: (metric) => words.metrics[metric],
      }),
    ),
    curves.root,
    element('p', { class: 'caption' }, words.band),
  );
  results.hidden = true;
  const perStudy = (dataOf: (study: Planter['studies'][number]) => unknown): unknown =>
    planter.studies.length === 0 ? undefined : planter.studies.map(dataOf);
  return [
    createStage({
      label: words.panel,
      rail: [element('div', { class: 'rail-pinned' }, session.goal, panel.root), notice.root],
      end: createPanelEnd(store, 'prune', [
        {
          name: words.exportNames.importance,
          figure: () => composeDrawings([...charts.drawings(), [drawLegend(truthLegend)]]),
          data: () =>
            perStudy(({ seed: of, importance }) => ({ seed: of, heads: allHeads, importance })),
        },
        {
          name: words.exportNames.curves,
          figure: () =>
            composeDrawings([
              [{ drawing: curves.root, title: words.curves }],
              [drawLegend(orderLegend)],
            ]),
          data: () => perStudy(({ seed: of, curves: drawn }) => ({ seed: of, curves: drawn })),
        },
      ]),
      views: [preview, results, session.root],
    }),
  ];
}

export interface PlantPanel {
  readonly root: HTMLElement;
  show(planter: Planter): void;
}

/** Which seed, the button that plants or stops, and how far it has come. */
export function createPlantPanel(
  store: Store<PruneState>,
  onPlant: () => void,
  onStop: () => void,
): PlantPanel {
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  seed.show(store.state.seed);
  store.subscribe((state) => {
    seed.show(state.seed);
  });
  const button = element('div', { class: 'plant' });
  const progress = element('div', { class: 'plant-progress' });
  const show = (isBusy: boolean, done: number, sentence: string): void => {
    render(
      html`<button
        type="button"
        class="primary"
        @click=${isBusy ? onStop : onPlant}
        .textContent=${isBusy ? words.stop : words.plant}
      ></button>`,
      button,
    );
    render(
      html`<progress class="progress" max="1" .value=${done} aria-label=${words.panel}></progress>
        <p class="plant-status">${sentence}</p>`,
      progress,
    );
  };
  show(false, 0, words.notYet);
  let wasBusy = false;

  function sentenceOf({ state, studies, seed: studied }: Planter): string {
    if (state === 'busy') return words.progress(studied, studies.length + 1, numSeeds);
    if (studies.length === 0) return words.notYet;
    return state === 'done' ? words.done(studies.length) : words.stopped(studies.length);
  }
  return {
    root: hideable('controls', element('div', { class: 'controls' }, seed.root, button, progress)),
    show(planter) {
      const isBusy = planter.state === 'busy';
      show(isBusy, planter.progress, sentenceOf(planter));
      if (wasBusy && !isBusy) announce(sentenceOf(planter));
      wasBusy = isBusy;
    },
  };
}
