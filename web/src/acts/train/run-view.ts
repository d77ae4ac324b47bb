import type { Store } from '../../address/store.js';
import { createWeightLegend, hatchFill } from '../../attention/weight-legend.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { element, newId, setAttributes } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createChartLegend } from '../../ui/legend.js';
import { createGoal, type Goal } from '../../ui/goal.js';
import { Pace } from '../../ui/pace.js';
import type { RunState } from '../../worker/run-driver.js';
import { type Head, sameHead } from '../../worker/heads.js';
import { compositionOf } from './composition.js';
import { createCompositionFigure } from './composition-figure.js';
import { createEnlargedHead } from './enlarged-head.js';
import { createEventLog } from './event-log.js';
import { createHeadCards } from './head-cards.js';
import { createRunCurve, ranOf, type RunCurve } from './run-curve.js';
import { enough, type Moment, type RunRecord, scoresOf, tooLittle } from './run-record.js';
import type { TrainState } from './state.js';
import { comparisonOf, summaryOf } from './summaries.js';
import { words } from './words.js';

/** Between two drawings of the enlarged head during a run: it has many elements. */
const enlargedPauseMs = 500;

export interface RunView {
  /** Shown before there is a run, too. */
  readonly goal: Goal;
  readonly status: HTMLElement;
  readonly curve: RunCurve;
  readonly roots: readonly HTMLElement[];
  draw(record: RunRecord | undefined, state: RunState): void;
  /** Curve, composition, maps and lines as one drawing. */
  figure(): SVGSVGElement;
}

/** Everything that a run shows: curve, log, every head, and how two of them work together. */
export function createRunView(store: Store<TrainState>, onChange: () => void): RunView {
  let shown: RunRecord | undefined;
  let drawn: Moment | undefined;
  let enlargedDrawn = -Infinity;
  let drawnHead: Head | undefined;
  let drawnQuery: number | undefined;
  let turn = 0;
  const pace = new Pace();
  /** The token that the pointer or the focus is on, which speaks before the one that was chosen. */
  let looked: number | undefined;

  const onLook = (query: number | undefined): void => {
    if (looked === query) return;
    looked = query;
    onChange();
  };
  const status = element('p', { class: 'run-status' }, words.waiting);
  const scoreLegend = element('div');
  const roleRule = element(
    'p',
    { class: 'role-rule' },
    words.roleRule(
      formatPercent(enough('rightKey')),
      formatPercent(enough('previousToken')),
      formatPercent(tooLittle),
    ),
  );
  const log = createEventLog((step) => {
    store.change({ at: step });
  });
  const goal = createGoal(words.goalTask);
  goal.root.classList.add('goal-reserved');
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const enlarged = createEnlargedHead(hatchFill(hatchId), onLook);
  const curve = createRunCurve(store);
  const composition = createCompositionFigure({
    onLook,
    onChoose: (query) => {
      looked = undefined;
      store.change({ query: query + 1 });
    },
  });
  const cards = createHeadCards((place) => {
    const { head } = store.state;
    store.change({ head: head !== undefined && sameHead(head, place) ? undefined : place });
  });

  /** What stays the same while a run goes on. */
  function begin(record: RunRecord): void {
    const { task } = record.options;
    shown = record;
    goal.clear();
    scoreLegend.replaceChildren(
      createChartLegend(
        scoresOf[task].map((name) => ({ series: name, name: words.scoreName(name, task) })),
        words.scores,
      ),
    );
    enlargedDrawn = -Infinity;
  }

  function showGoal(record: RunRecord): void {
    const { goalStep, options } = record;
    const other = curve.pinned()?.summary;
    const compared = other && comparisonOf(summaryOf(record), other);
    if (compared !== undefined) {
      goal.show(words.goalAnswered(ranOf(compared.more), ranOf(compared.one)), true);
    } else if (goalStep !== undefined) {
      goal.show(words.goalReached(goalStep, options.layers, options.seed), true);
    }
  }

  function statusOf({ step: last }: RunRecord, moment: Moment, state: RunState): string {
    if (state === 'making') return words.waiting;
    const { step, measurement, isNow } = moment;
    const measured = [formatLoss(measurement.loss), formatPercent(measurement.accuracy)] as const;
    if (!isNow) return words.past(step, ...measured, last);
    const sentence = words.status(step, ...measured);
    return state === 'ended' ? joinSentences([sentence, words.ended(step)]) : sentence;
  }

  /** Of the model that there is. */
  function chosenOf({ places }: RunRecord): Head | undefined {
    const { head } = store.state;
    return places.find((place) => head !== undefined && sameHead(place, head));
  }

  function queryOf({ start }: RunRecord): number {
    const last = start.tokens.length - 1;
    return Math.min(looked ?? (store.state.query === 0 ? last : store.state.query - 1), last);
  }

  /** Not at every frame of a run, unless the reader has asked for something else. */
  function drawEnlarged(
    record: RunRecord,
    moment: Moment,
    state: RunState,
    isAsked: boolean,
  ): void {
    const now = performance.now();
    if (state === 'running' && !isAsked && now - enlargedDrawn < enlargedPauseMs) return;
    enlargedDrawn = now;
    enlarged.draw(record, moment, chosenOf(record));
  }

  const heads = element(
    'div',
    { class: 'run-heads' },
    cards.root,
    element('div', { class: 'run-legends' }, scoreLegend, roleRule),
  );
  const side = element('div', { class: 'run-side' }, enlarged.root, legend.root, log.root);

  return {
    goal,
    status,
    curve,
    roots: [
      element(
        'div',
        { class: 'run' },
        element('div', { class: 'run-main' }, curve.root, heads),
        side,
        composition.root,
      ),
    ],
    draw(record, state) {
      if (record === undefined) return;
      const isNew = record !== shown;
      if (isNew) begin(record);
      const moment = record.momentAt(store.state.at);
      const chosen = chosenOf(record);
      const query = queryOf(record);
      const { speed } = store.state;
      const isQuick = state === 'running' && !isNew && (speed === '60' || speed === 'full');
      log.show(record);
      showGoal(record);
      status.textContent = statusOf(record, moment, state);
      setAttributes(status, {
        'data-state': state,
        'data-step': moment.step,
        'data-past': !moment.isNow,
        'data-accuracy': moment.measurement.accuracy,
      });
      const isOtherHead = chosen !== drawnHead;
      // What is past stays as it was drawn while the run goes on.
      const isOtherPast = !moment.isNow && moment !== drawn;
      const isAsked = isOtherHead || isOtherPast || query !== drawnQuery;
      if (isQuick && !isAsked && !pace.isDue()) return;
      drawn = moment;
      drawnHead = chosen;
      // Where the next frame brings the next step, curve and arcs have every other one each: both at once would cost frames.
      turn += 1;
      if (!isQuick || turn % 2 === 0) curve.draw(record, moment);
      cards.draw(record, moment, chosen, isQuick && moment.isNow);
      if (!isQuick || isAsked || turn % 2 === 1) {
        drawnQuery = query;
        composition.draw(record, query, compositionOf(record, moment, query, chosen));
      }
      drawEnlarged(record, moment, state, isOtherHead || isOtherPast);
    },
    figure: () =>
      composeDrawings([
        [{ drawing: curve.chart, title: words.lossCurve }],
        [drawLegend(curve.legend)],
        ...cards.drawings(hatchId),
        [drawLegend(scoreLegend)],
        [drawLegend(legend.root)],
        [{ drawing: composition.drawing, title: words.composition }],
      ]),
  };
}
