import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { formatPercent } from '../../format/numbers.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createPlaybackButtons } from '../../ui/controls/playback.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element, setAttributes } from '../../ui/dom.js';
import { createGoal } from '../../ui/goal.js';
import { alignmentVariants, lastAlignmentStep } from '../../worker/alignment.js';
import type { RunActions, RunState } from '../../worker/run-driver.js';
import { learntAt } from './findings.js';
import type { AlignRecord, AlignRun } from './run.js';
import { alignHeadCounts, type TranslateState } from './state.js';
import { words } from './words.js';

export interface Rail {
  readonly main: readonly HTMLElement[];
  readonly more: readonly HTMLElement[];
  show(run: AlignRun): void;
}

/** The goal, the run's buttons, what is trained, and how far it has come. */
export function createRail(store: Store<TranslateState>, actions: RunActions): Rail {
  const goal = createGoal(words.goal);
  goal.root.classList.add('goal-reserved');
  const buttons = createPlaybackButtons(words, actions);
  const status = element('p', { class: 'run-status' }, words.waiting);
  const note = element('p', { class: 'note' });
  const model = element(
    'div',
    {},
    boundChoice(store, 'variant', {
      label: words.variant,
      values: alignmentVariants,
      nameOf: (name) => words.variants[name],
      as: createSelect,
    }),
    note,
  );
  const heads = boundChoice(store, 'heads', {
    label: words.heads,
    values: alignHeadCounts,
    nameOf: String,
  });
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  let shown: AlignRecord | undefined;
  const showState = (state: TranslateState): void => {
    seed.show(state.seed);
    note.textContent = words.variantNotes[state.variant];
  };
  store.subscribe(showState);
  showState(store.state);

  return {
    main: [
      goal.root,
      element(
        'div',
        { class: 'run-rail rail-pinned' },
        element('div', { class: 'playback' }, buttons.root),
        status,
      ),
      hideable('controls', element('div', { class: 'align-settings' }, model, heads)),
    ],
    more: [hideable('controls', seed.root)],
    show({ state, record }) {
      buttons.show(state, record?.step ?? 0, state === 'ended' ? words.ended : undefined);
      status.textContent = statusOf(state, record);
      const { accuracy } = record?.measurements.at(-1) ?? {};
      setAttributes(status, {
        'data-state': state,
        'data-step': record?.step,
        'data-accuracy': accuracy,
      });
      if (record !== shown) goal.clear();
      shown = record;
      const goalStep = record && learntAt(record);
      if (goalStep !== undefined) goal.show(words.goalReached(goalStep), true);
    },
  };
}

function statusOf(state: RunState, record: AlignRecord | undefined): string {
  const latest = record?.measurements.at(-1);
  if (state === 'making' || record === undefined || latest === undefined) return words.waiting;
  return words.status(record.step, lastAlignmentStep, formatPercent(latest.accuracy));
}
