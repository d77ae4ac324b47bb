import { range } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { headColour } from 'headwise/view';

import type { Store } from '../../address/store.js';
import { createWeightLegend } from '../../attention/weight-legend.js';
import { words as mapWords } from '../../attention/words.js';
import { joinSentences } from '../../format/sentences.js';
import {
  type Chart,
  createChart,
  createChartLegend,
  drawAxes,
  drawLine,
  type Point,
} from '../../ui/chart.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element, newId } from '../../ui/dom.js';
import { oncePerFrame } from '../../ui/frames.js';
import { createStage } from '../../ui/stage.js';
import { words as uiWords } from '../../ui/words.js';
import { lastAlignmentStep } from '../../worker/alignment.js';
import { maxDateLength } from '../../worker/dates.js';
import { createWorker } from '../../worker/notice.js';
import { createRunControl } from '../../worker/run-driver.js';
import { createAlignmentFigure, createAlignmentLoop } from './alignment-figure.js';
import { type AlignRecord, AlignRun, dataOf, meanAlignment, shownOf, verdictOf } from './run.js';
import { createHeadMaps } from './maps.js';
import { createDateField, createRail } from './rail.js';
import { runOptionsOf, type TranslateState } from './state.js';
import { words } from './words.js';

/** An encoder–decoder that learns, and what its cross-attention aligns. */
export function createTranslateContent(store: Store<TranslateState>): HTMLElement[] {
  const { notice, connection } = createWorker(() => begin());
  const drawSoon = oncePerFrame(() => {
    rail.show(run);
    views.draw();
  });
  const run = new AlignRun(connection, store.state.text, {
    onChange: drawSoon,
    onFailure: notice.showFailure,
  });
  /** The reader takes the run over from where it is: the address no longer asks for a step. */
  const takeOver = (): void => store.change({ at: 0 }, 'replace');
  const { begin, ensureBegun, actions } = createRunControl(
    run,
    notice,
    () => runOptionsOf(store.state),
    takeOver,
  );
  const reachShown = async (): Promise<void> => {
    await ensureBegun();
    await run.reach(store.state.at);
  };
  const rail = createRail(store, {
    ...actions,
    onPause() {
      takeOver();
      actions.onPause();
    },
  });
  store.moment = () => ({ at: run.record?.step ?? 0 });
  const views = createViews(store, run, drawSoon);

  let made = JSON.stringify(runOptionsOf(store.state));
  store.subscribe((state, origin) => {
    run.show(state.text);
    drawSoon();
    const next = JSON.stringify(runOptionsOf(state));
    if (next !== made) {
      made = next;
      begin();
      if (origin !== 'popstate') store.change({ at: 0 }, 'replace');
    }
    void reachShown();
  });
  void reachShown();

  return [
    createStage({
      rail: [...rail.main, notice.root],
      more: { label: uiWords.controls.seed, content: rail.more },
      end: createPanelEnd(store, 'translate', [views.savable]),
      views: views.roots,
    }),
  ];
}

function createViews(store: Store<TranslateState>, run: AlignRun, drawSoon: () => void) {
  /** What the pointer or the focus is on, which speaks before what was chosen. */
  let looked: number | undefined;
  const onLook = (query: number | undefined): void => {
    if (looked === query) return;
    looked = query;
    drawSoon();
  };
  const figure = createAlignmentFigure({
    onLook,
    onChoose: (query) => {
      looked = undefined;
      store.change({ query: store.state.query === query + 1 ? 0 : query + 1 });
    },
  });
  const maps = createHeadMaps({
    onLook,
    onChoose: (head) => store.change({ head: store.state.head === head + 1 ? 0 : head + 1 }),
  });
  const chart = createShareCurve(() => run.record);
  const chartLegend = element('div');
  const charted = element('div.align-charts.stack', chartLegend, chart.root);
  const verdict = element('p.align-verdict');
  const readOut = element('p.read-out.align-read-out', words.hint);
  const padding = element('p.note.align-padding');
  const legend = createWeightLegend(newId('align-legend'));
  const views = element(
    'div.align-heads',
    maps.root,
    charted,
    element('div.align-legend.legends.row', legend.root, padding),
  );

  return {
    roots: [
      createDateField(store),
      element('div.align-main', figure.root, element('div.align-told.two-lines', verdict, readOut)),
      views,
    ],
    savable: {
      name: words.exportName,
      figure: () => figure.root,
      data: () => run.record && dataOf(run.record),
      loop: () => (run.record === undefined ? figure.root : createAlignmentLoop(run.record)),
    },
    draw() {
      const { record } = run;
      if (record === undefined) return;
      const { state } = store;
      const shown = shownOf(record);
      const query = looked ?? (state.query === 0 ? undefined : state.query - 1);
      const head = state.head === 0 ? undefined : state.head - 1;
      figure.draw(shown, query, head);
      maps.draw(shown, record.measurements.at(-1), query, head);
      chart.draw();
      if (views.dataset.heads !== String(shown.heads)) {
        views.dataset.heads = String(shown.heads);
        views.style.setProperty('--heads', String(shown.heads));
        chartLegend.replaceChildren(createShareLegend(shown.heads));
      }
      verdict.textContent = query === undefined ? verdictOf(record, run.state === 'ended') : '';
      readOut.textContent = query === undefined ? words.hint : shown.sentenceOf(query);
      readOut.hidden = verdict.textContent !== '';
      padding.textContent = joinSentences([
        words.padding(shown.text.length, maxDateLength),
        words.outlined,
      ]);
    },
  };
}

/** Share of unseen dates that are right, and of each head's weight that is where it should be. */
function createShareCurve(recordNow: () => AlignRecord | undefined): Chart {
  const height = 165;
  const margin = { left: 44, right: 12, top: 26, bottom: 40 } as const;
  return createChart({
    label: words.shareCurve,
    height,
    draw({ width }) {
      const record = recordNow();
      if (record === undefined) return [];
      const { measurements, options } = record;
      const x = scaleLinear([0, lastAlignmentStep], [margin.left, width - margin.right]);
      const y = scaleLinear([0, 1], [height - margin.bottom, margin.top]);
      const heads = range(options.heads).map((head) => {
        const points = measurements.map((each): Point => [each.step, meanAlignment(each, head)]);
        const drawn = drawLine(points, x, y, {});
        drawn.style.setProperty('stroke', headColour(head));
        return drawn;
      });
      const right = measurements.map(({ step, accuracy }): Point => [step, accuracy]);
      return [
        drawAxes(
          { scale: x, ticks: Math.max(2, Math.round(width / 130)), name: uiWords.run.steps },
          { scale: y, ticks: 3, name: words.shares },
        ),
        ...heads,
        drawLine(right, x, y, { 'data-series': 'unseen' }),
      ];
    },
  });
}

/** The lines of the chart. */
const createShareLegend = (heads: number): HTMLElement =>
  createChartLegend([
    { series: 'unseen', name: words.dates },
    ...range(heads).map((head) => ({ head, name: mapWords.map.title(head + 1) })),
  ]);
