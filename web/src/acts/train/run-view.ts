import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { createWeightLegend, hatchFill } from '../../attention/weight-legend.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { element, headStyle, newId, setAttributes } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createGoal } from '../../ui/goal.js';
import { createChartLegend } from '../../ui/chart.js';
import { Pace } from '../../ui/frames.js';
import { words as uiWords } from '../../ui/words.js';
import { type Head, sameHead } from '../../worker/heads.js';
import type { RunState } from '../../worker/run-driver.js';
import { compositionOf, createCompositionFigure } from './composition.js';
import { createEnlargedHead, createHeadCards } from './heads.js';
import { createLossCurve, ranOf } from './loss-curve.js';
import { comparisonOf, enough, type Moment, type RunRecord, summaryOf, tooLittle } from './run.js';
import type { TrainState } from './state.js';
import { attendedBy, shortNameOf, words } from './words.js';

/** Between two drawings of the enlarged head during a run: it has many elements. */
const enlargedPauseMs = 500;

/** Everything that a run shows: curve, log, every head, and how two of them work together. */
export function createRunView(store: Store<TrainState>, onChange: () => void) {
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
  const status = element('p.run-status.two-lines', uiWords.run.waiting);
  const scoreLegend = element('div');
  const thresholds = [enough('rightKey'), enough('previousToken'), tooLittle] as const;
  const [most, previous, left] = thresholds.map(formatPercent);
  const roleRule = element('p.role-rule', words.roleRule(most, previous, left));
  const log = createEventLog((step) => store.change({ at: step }));
  const goal = createGoal(words.goalTask, true);
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const enlarged = createEnlargedHead(hatchFill(hatchId), onLook);
  const curve = createLossCurve(store);
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
    const entries = record.scores.map((series) => {
      const name = shortNameOf(series);
      const hasKeys = series === 'induction' || series === 'rightKey';
      return { series, name: hasKeys ? words.scoreName(name, attendedBy(series, task)) : name };
    });
    scoreLegend.replaceChildren(createChartLegend(entries, words.scores));
    enlargedDrawn = -Infinity;
  }

  function showGoal(record: RunRecord): void {
    const { goalStep, options } = record;
    const other = curve.pinned();
    const compared = other && comparisonOf(summaryOf(record), other);
    if (compared !== undefined) {
      goal.show(words.goalAnswered(ranOf(compared.more), ranOf(compared.one)), true);
    } else if (goalStep !== undefined) {
      goal.show(words.goalReached(goalStep, options.layers, options.seed), true);
    }
  }

  function statusOf({ step: last }: RunRecord, moment: Moment, state: RunState): string {
    if (state === 'making') return uiWords.run.waiting;
    const { step, measurement, isNow } = moment;
    const measured = [formatLoss(measurement.loss), formatPercent(measurement.accuracy)] as const;
    if (!isNow) return words.status(step, ...measured, last);
    return joinSentences([
      words.status(step, ...measured),
      state === 'ended' ? words.ended(step) : '',
    ]);
  }

  /** Of the model that there is. */
  function chosenOf({ places }: RunRecord): Head | undefined {
    const { head } = store.state;
    return places.find((place) => head !== undefined && sameHead(place, head));
  }

  function queryOf({ length }: RunRecord): number {
    const chosen = store.state.query === 0 ? length : store.state.query;
    return Math.min(looked ?? chosen - 1, length - 1);
  }

  const heads = element(
    'div.run-heads',
    cards.root,
    element('div.run-legends.stack.soft.small', scoreLegend, roleRule),
  );
  const side = element('div.run-side', enlarged.root, legend.root, log.root);

  return {
    /** Shown before there is a run, too. */
    goal,
    status,
    curve,
    root: element(
      'div.run.stack',
      element('div.run-main.stack', curve.root, heads),
      side,
      composition.root,
    ),
    draw(record: RunRecord | undefined, state: RunState): void {
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
      // Not at every frame of a run, unless the reader has asked for something else.
      const now = performance.now();
      const isSoon = state === 'running' && now - enlargedDrawn < enlargedPauseMs;
      if (isSoon && !isOtherHead && !isOtherPast) return;
      enlargedDrawn = now;
      enlarged.draw(record, moment, chosen);
    },
    /** Curve, composition, maps and lines as one drawing. */
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

/** The events of a run: heads that take or leave roles, and the goal. Pressing one leads to its step. */
function createEventLog(onStep: (step: number) => void) {
  const list = element('ol');
  // Not the list itself, which is a list to those who hear it, too.
  const scroller = element(
    'div.log-list',
    { role: 'log', tabindex: 0, 'aria-label': words.log },
    list,
  );
  const none = element('p.log-none.soft', words.nothingYet);
  let drawn: readonly unknown[] = [];
  return {
    root: element('div.log', element('h3.log-name', words.log), none, scroller),
    show(record: RunRecord): void {
      const next = [record, record.events.length, record.goalStep];
      if (next.every((value, i) => value === drawn[i])) return;
      drawn = next;
      const entries = entriesOf(record);
      render(
        entries.map(
          ({ step, kind, head, sentence }) =>
            html`<li data-kind=${kind} .style=${head === undefined ? '' : headStyle(head)}>
              <button @click=${() => onStep(step)} .textContent=${sentence}></button>
            </li>`,
        ),
        list,
      );
      none.hidden = entries.length > 0;
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}

interface Entry {
  readonly step: number;
  readonly kind: string;
  /** The head that the event concerns, from 0. */
  readonly head?: number;
  readonly sentence: string;
}

/** In the order of their steps; the goal after what happened at the same step. */
function entriesOf({ options, events, goalStep }: RunRecord): readonly Entry[] {
  const entries = events.map(({ step, place, score, kind }): Entry => {
    const sentence = words[kind](step, place, attendedBy(score, options.task));
    return { step, kind: score, head: place.head, sentence };
  });
  if (goalStep === undefined) return entries;
  const goal = { step: goalStep, kind: 'goal', sentence: words.goal(goalStep) };
  const isBefore = ({ step }: Entry): boolean => step <= goalStep;
  return [...entries.filter(isBefore), goal, ...entries.filter((entry) => !isBefore(entry))];
}
