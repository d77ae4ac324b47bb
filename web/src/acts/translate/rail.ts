import { html, render } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { formatPercent } from '../../format/numbers.js';
import { words as readingWords } from '../../reading/sentence-field.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createPlaybackButtons, type RunActions } from '../../ui/controls/playback.js';
import { boundSeed } from '../../ui/controls/seed-field.js';
import { element, labelled, newId, originsOf, setAttributes } from '../../ui/dom.js';
import { createGoal } from '../../ui/goal.js';
import { say } from '../../ui/live-region.js';
import { words as uiWords } from '../../ui/words.js';
import { lastAlignmentStep } from '../../worker/alignment.js';
import { maxDateLength, questionOf, readable } from '../../worker/dates.js';
import type { RunState } from '../../worker/run-driver.js';
import { type AlignRecord, type AlignRun, learntAt } from './run.js';
import { examples, type TranslateState } from './state.js';
import { words } from './words.js';

/** The goal, the run's buttons, what is trained, and how far it has come. */
export function createRail(store: Store<TranslateState>, actions: RunActions) {
  const goal = createGoal(words.goal, true);
  const buttons = createPlaybackButtons(actions);
  const status = element('p.run-status.two-lines', uiWords.run.waiting);
  const note = element('p.note');
  const variant = boundChoice(
    store,
    'variant',
    words.variant,
    (name) => words.variants[name],
    createSelect,
  );
  const heads = boundChoice(store, 'heads', uiWords.controls.heads);
  let shown: AlignRecord | undefined;
  store.follow((state) => {
    note.textContent = words.variantNotes[state.variant];
  });

  return {
    main: [
      goal.root,
      element('div.run-rail.rail-pinned', buttons.root, status),
      hideable(
        'controls',
        element('div.align-settings.stack', element('div', variant, note), heads),
      ),
    ],
    more: [hideable('controls', boundSeed(store))],
    show({ state, record }: AlignRun): void {
      buttons.show(state, record?.step ?? 0, state === 'ended' ? words.ended : undefined);
      status.textContent = statusOf(state, record);
      setAttributes(status, {
        'data-state': state,
        'data-step': record?.step,
        'data-accuracy': record?.measurements.at(-1)?.accuracy,
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
  if (state === 'making' || record === undefined || latest === undefined)
    return uiWords.run.waiting;
  return words.status(record.step, lastAlignmentStep, formatPercent(latest.accuracy));
}

/** A date to type, or one of a few to press. */
export function createDateField(store: Store<TranslateState>): HTMLElement {
  const hintId = newId('date-hint');
  const input = element('input.field.date-input', {
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': hintId,
  });
  const hint = element('p.control-hint', { id: hintId });
  const truth = element('p.note');
  const group = { class: 'buttons', role: 'group', 'aria-label': readingWords.examples };
  const buttons = element('div', group);
  const origin = originsOf(input);
  input.addEventListener('input', () => {
    // Of pasted text no more is looked at than could be used.
    const typed = input.value.slice(0, 4 * maxDateLength);
    const text = readable(typed).trim();
    const isTaken = text === input.value.trim();
    say(hint, text === '' ? words.textEmpty : isTaken ? '' : words.textKept(text));
    setAttributes(input, { 'aria-invalid': isTaken && text !== '' ? undefined : 'true' });
    if (text === '') return;
    store.change({ text, query: 0 }, origin());
  });
  input.addEventListener('change', () => {
    hint.textContent = '';
    setAttributes(input, { 'aria-invalid': undefined });
    input.value = store.state.text;
  });

  store.follow(({ text }) => {
    if (document.activeElement !== input) input.value = text;
    truth.hidden = questionOf(text) !== undefined;
    truth.textContent = truth.hidden ? '' : words.noTruth;
    render(
      examples.map(
        (example) =>
          html`<button
            aria-pressed=${example === text}
            @click=${() => store.change({ text: example, query: 0 })}
          >
            ${example}
          </button>`,
      ),
      buttons,
    );
  });
  const row = element('div.align-date-row.row', input, buttons);
  const root = labelled(words.text, input, row, hint, truth);
  root.classList.add('align-date');
  return root;
}
