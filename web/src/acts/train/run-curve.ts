import { group } from 'd3-array';
import { render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { formatPercent } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { element } from '../../ui/dom.js';
import { createChartLegend } from '../../ui/legend.js';
import { say } from '../../ui/live-region.js';
import { nameOfHead } from '../../worker/heads.js';
import type { RunState } from '../../worker/run-driver.js';
import { createLossCurve } from './curves.js';
import type { Moment, RunRecord } from './run-record.js';
import { type Pinned, pinnedField, type TrainState } from './state.js';
import { createStepHandle } from './step-handle.js';
import {
  isPlain,
  type PinnedRun,
  pinnedOf,
  type RunSummary,
  Summaries,
  summaryOf,
} from './summaries.js';
import { words } from './words.js';

export interface RunCurve {
  readonly root: HTMLElement;
  readonly chart: SVGSVGElement;
  readonly legend: HTMLElement;
  draw(record: RunRecord, moment: Moment, state: RunState): void;
  /** Pins a run. */
  keep(run: RunRecord): void;
  /** Whether this one is there to be drawn. */
  has(pinned: Pinned): boolean;
  /** A run with another number of layers and all else the same, if it was made in this page. */
  otherOf(record: RunRecord): RunSummary | undefined;
}

/** The loss of a run with the handle that leads through its steps, a pinned run beside it, and what both came to. */
export function createRunCurve(store: Store<TrainState>): RunCurve {
  const summaries = new Summaries();
  let record: RunRecord | undefined;
  /** All that were pinned in this page, as the address writes them. */
  const kept = new Map<string, PinnedRun>();
  const pinnedNow = (): PinnedRun | undefined => kept.get(pinnedField.write(store.state.pinned));

  const chart = createLossCurve(
    () => record && { record, pinned: pinnedNow(), scale: store.state.scale },
  );
  const handle = createStepHandle(store);
  const legend = element('div');
  const verdict = element('p', { class: 'run-verdict' });
  const comparison = element('p', { class: 'run-comparison' });
  const pin = element('button', { type: 'button', class: 'pin' });
  pin.addEventListener('click', () => {
    if (store.state.pinned === undefined && record !== undefined) keep(record);
    else store.change({ pinned: undefined });
  });
  function keep(run: RunRecord): void {
    const made = { options: run.options, step: run.step };
    kept.set(pinnedField.write(made), pinnedOf(run));
    store.change({ pinned: made });
    showPin();
  }

  function showPin(): void {
    const pinned = pinnedNow();
    pin.textContent = store.state.pinned === undefined ? words.pin : words.unpin;
    const entries = [
      { series: 'training', name: words.lossTraining },
      { series: 'unseen', name: words.lossUnseen },
      { series: 'guessing', name: words.guessing },
    ];
    if (pinned !== undefined) {
      const { task, layers, heads, seed } = pinned.summary.options;
      entries.push({ series: 'pinned', name: words.pinnedName(task, layers, heads, seed) });
    }
    render(createChartLegend(entries, words.loss), legend);
  }
  store.subscribe(showPin);
  showPin();

  const otherOf = ({ options }: RunRecord): RunSummary | undefined =>
    options.layers === 1
      ? (summaries.withLayers(options, 2) ?? summaries.withLayers(options, 3))
      : summaries.withLayers(options, 1);

  function tell(now: RunRecord, state: RunState): void {
    const other = otherOf(now);
    say(
      verdict,
      isPlain(now, state === 'ended')
        ? words.verdict(ranOf(summaryOf(now)), other && ranOf(other))
        : '',
    );
    const pinned = pinnedNow();
    if (pinned === undefined) {
      say(comparison, '');
      return;
    }
    const { summary } = pinned;
    const roles = Array.from(
      group(summary.roles, ({ score }) => score),
      ([score, some]) => ({ score, heads: some.map(({ place }) => nameOfHead(place)) }),
    );
    const told = words.pinned(ranOf(summary), roles);
    say(comparison, joinSentences([told, words.compared(now.goalStep, summary.goalStep)]));
  }

  return {
    root: element(
      'div',
      { class: 'run-curve' },
      element(
        'div',
        { class: 'run-bar' },
        legend,
        element('div', { class: 'buttons' }, handle.now, pin),
      ),
      element('div', { class: 'curve-stage' }, chart.root, handle.root),
      element('div', { class: 'run-words' }, verdict, comparison),
    ),
    chart: chart.root,
    legend,
    keep,
    has: (pinned) => kept.has(pinnedField.write(pinned)),
    otherOf,
    draw(next, moment, state) {
      record = next;
      summaries.keep(next);
      chart.draw();
      handle.draw(next, moment);
      tell(next, state);
    },
  };
}

/** A summary in the words of a sentence. */
export const ranOf = ({
  options,
  step,
  accuracy,
  goalStep,
}: RunSummary): Parameters<typeof words.verdict>[0] => ({
  layers: options.layers,
  step,
  accuracy: formatPercent(accuracy),
  goalStep,
});
