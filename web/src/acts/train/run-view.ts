import { html, nothing } from 'lit-html';

import type { Store } from '../../address/store.js';
import { createWeightLegend, hatchFill } from '../../attention/weight-legend.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { element, newId } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import { createChartLegend } from '../../ui/legend.js';
import { createGoal } from '../../ui/notices.js';
import { createTokenStrip } from '../../ui/token-strip.js';
import type { RunState } from '../../worker/run-driver.js';
import { type Head, sameHead } from '../../worker/heads.js';
import { symbolOf } from '../../worker/tasks.js';
import { createLossCurve } from './curves.js';
import { createEnlargedHead } from './enlarged-head.js';
import { createEventLog } from './event-log.js';
import { createHeadCards } from './head-cards.js';
import { type RunRecord, scoresOf } from './run-record.js';
import { lossScales, type TrainState } from './state.js';
import { words } from './words.js';

/** Between two drawings of the enlarged head during a run: it has many elements. */
const enlargedPauseMs = 500;

export interface RunView {
  /** Shown before there is a run, too. */
  readonly goal: HTMLElement;
  readonly status: HTMLElement;
  readonly roots: readonly HTMLElement[];
  draw(record: RunRecord | undefined, state: RunState): void;
  /** Curve, maps and lines as one drawing. */
  figure(): SVGSVGElement;
}

/** Everything that a run shows: curve, log, and every head. */
export function createRunView(store: Store<TrainState>, onChoose: () => void): RunView {
  let shown: RunRecord | undefined;
  let chosen: Head | undefined;
  let enlargedDrawn = -Infinity;

  const status = element('p', { class: 'run-status' }, words.waiting);
  const explanation = element('p', { class: 'task-explanation' });
  const sequence = createTokenStrip();
  const scoreLegend = element('div');
  const log = createEventLog();
  const goal = createGoal(words.goalTask);
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const enlarged = createEnlargedHead(hatchFill(hatchId));
  const curve = createLossCurve(
    () => shown,
    () => store.state.scale,
  );
  const cards = createHeadCards((place) => {
    chosen = chosen !== undefined && sameHead(chosen, place) ? undefined : place;
    enlargedDrawn = -Infinity;
    onChoose();
  });

  /** What stays the same while a run goes on. */
  function begin(record: RunRecord): void {
    const { task } = record.options;
    shown = record;
    const before = chosen;
    if (before !== undefined && !record.places.some((place) => sameHead(place, before))) {
      chosen = undefined;
    }
    explanation.textContent = words.explanations[task];
    showSequence(record);
    scoreLegend.replaceChildren(
      createChartLegend(
        scoresOf[task].map((name) => ({ series: name, name: words.score(name, task) })),
        words.scores,
      ),
    );
    enlargedDrawn = -Infinity;
  }

  /** Below each token what it asks for, if anything. */
  function showSequence({ start, options }: RunRecord): void {
    const symbol = (token: number): string => symbolOf(options.task, token);
    sequence.show(words.sequence, Array.from(start.tokens, symbol), (position) => {
      const target = start.targets[position];
      if (target < 0) return nothing;
      const said = symbol(target);
      return html`<span class="answer" title=${words.answer(said)}>${said}</span>`;
    });
  }

  function showGoal({ goalStep, options }: RunRecord): void {
    if (goalStep === undefined) return;
    goal.show(words.goalReached(goalStep, options.layers, options.seed), true);
  }

  function statusOf({ step, latest }: RunRecord, state: RunState): string {
    if (state === 'making' || latest === undefined) return words.waiting;
    const sentence = words.status(step, formatLoss(latest.loss), formatPercent(latest.accuracy));
    return state === 'ended' ? `${sentence} ${words.ended(step)}` : sentence;
  }

  const lossLegend = createChartLegend(
    [
      { series: 'training', name: words.lossTraining },
      { series: 'unseen', name: words.lossUnseen },
      { series: 'guessing', name: words.guessing },
    ],
    words.loss,
  );
  const legends = element('div', { class: 'run-legends' }, legend.root, scoreLegend);
  const scale = boundChoice(store, 'scale', {
    label: words.scale,
    values: lossScales,
    nameOf: (name) => words.scales[name],
  });
  const run = element(
    'div',
    { class: 'run' },
    element(
      'div',
      { class: 'run-curve' },
      element('div', { class: 'run-bar' }, lossLegend, scale),
      curve.root,
    ),
    log.root,
  );

  return {
    goal: goal.root,
    status,
    roots: [run, explanation, sequence.root, legends, cards.root, enlarged.root],
    draw(record, state) {
      if (record === undefined) return;
      if (record !== shown) begin(record);
      log.show(record);
      showGoal(record);
      curve.draw();
      cards.draw(record, chosen);
      status.textContent = statusOf(record, state);
      const now = performance.now();
      if (state === 'running' && now - enlargedDrawn < enlargedPauseMs) return;
      enlargedDrawn = now;
      enlarged.draw(record, chosen);
    },
    figure: () =>
      composeDrawings([
        [{ drawing: curve.root, title: words.lossCurve }],
        [drawLegend(lossLegend)],
        ...cards.drawings(hatchId),
        [drawLegend(legends)],
      ]),
  };
}
