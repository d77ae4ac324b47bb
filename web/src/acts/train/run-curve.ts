import { render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { formatPercent } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { element } from '../../ui/dom.js';
import { createChartLegend } from '../../ui/legend.js';
import { say } from '../../ui/live-region.js';
import { createLossCurve } from './curves.js';
import type { Moment, RunRecord } from './run-record.js';
import { type Pinned, pinnedField, type TrainState } from './state.js';
import { createStepHandle } from './step-handle.js';
import { type PinnedRun, pinnedOf, type RunSummary } from './summaries.js';
import { words } from './words.js';

export interface RunCurve {
  readonly root: HTMLElement;
  readonly chart: SVGSVGElement;
  readonly legend: HTMLElement;
  draw(record: RunRecord, moment: Moment): void;
  /** Keeps a run as it is now, so that it can be pinned. */
  keep(run: RunRecord): Pinned;
  /** Whether this one is there to be drawn. */
  has(pinned: Pinned): boolean;
  /** The run that is pinned, once it is there. */
  pinned(): PinnedRun | undefined;
}

/** The loss of a run with the handle that leads through its steps, and a pinned run beside it. */
export function createRunCurve(store: Store<TrainState>): RunCurve {
  let record: RunRecord | undefined;
  /** All that were kept in this page, as the address writes them. */
  const kept = new Map<string, PinnedRun>();
  const pinned = (): PinnedRun | undefined => kept.get(pinnedField.write(store.state.pinned));

  const chart = createLossCurve(
    () => record && { record, pinned: pinned(), scale: store.state.scale },
  );
  const handle = createStepHandle(store);
  const legend = element('div');
  const comparison = element('p', { class: 'run-comparison' });
  const pin = element('button', { type: 'button', class: 'pin' });
  pin.addEventListener('click', () => {
    if (record === undefined) return;
    store.change({ pinned: store.state.pinned === undefined ? keep(record) : undefined });
  });
  function keep(run: RunRecord): Pinned {
    const made = { options: run.options, step: run.step };
    kept.set(pinnedField.write(made), pinnedOf(run));
    return made;
  }

  function showPin(): void {
    pin.textContent = store.state.pinned === undefined ? words.pin : words.unpin;
    const entries = [
      { series: 'training', name: words.lossTraining },
      { series: 'unseen', name: words.lossUnseen },
      { series: 'guessing', name: words.guessing },
    ];
    if (store.state.pinned !== undefined) {
      entries.push({ series: 'pinned', name: words.pinnedName });
    }
    render(createChartLegend(entries, words.loss), legend);
  }
  store.subscribe(showPin);
  showPin();

  function tell({ goalStep }: RunRecord): void {
    const summary = pinned()?.summary;
    const told = summary && [
      words.pinned(ranOf(summary), summary.options),
      words.compared(goalStep, summary.goalStep),
    ];
    say(comparison, joinSentences(told ?? []));
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
      comparison,
    ),
    chart: chart.root,
    legend,
    keep,
    has: (pinned) => kept.has(pinnedField.write(pinned)),
    pinned,
    draw(next, moment) {
      record = next;
      chart.draw();
      handle.draw(next, moment);
      tell(next);
    },
  };
}

/** A summary in the words of a sentence. */
export const ranOf = ({
  options,
  step,
  accuracy,
  goalStep,
}: RunSummary): Parameters<typeof words.goalAnswered>[0] => ({
  layers: options.layers,
  step,
  accuracy: formatPercent(accuracy),
  goalStep,
});
