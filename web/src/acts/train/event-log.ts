import { html, render } from 'lit-html';

import { element } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import type { RunRecord } from './run-record.js';
import { words } from './words.js';

export interface EventLog {
  readonly root: HTMLElement;
  show(record: RunRecord): void;
}

/** The events of a run: heads that take or leave roles, and the goal. Pressing one leads to its step. */
export function createEventLog(onStep: (step: number) => void): EventLog {
  const list = element('ol');
  // Not the list itself, which is a list to those who hear it, too.
  const scroller = element(
    'div',
    { class: 'log-list', role: 'log', tabindex: 0, 'aria-label': words.log },
    list,
  );
  const none = element('p', { class: 'log-none' }, words.nothingYet);
  const root = element(
    'div',
    { class: 'log' },
    element('h3', { class: 'log-name' }, words.log),
    none,
    scroller,
  );
  let drawn:
    | { readonly record: RunRecord; readonly events: number; readonly goalStep: number | undefined }
    | undefined;
  return {
    root,
    show(record) {
      const { events, goalStep } = record;
      const isSame = drawn?.record === record && drawn.events === events.length;
      if (isSame && drawn?.goalStep === goalStep) return;
      drawn = { record, events: events.length, goalStep };
      const entries = entriesOf(record);
      render(
        entries.map(
          ({ step, kind, sentence }) =>
            html`<li data-kind=${kind}>
              <button
                type="button"
                @click=${() => {
                  onStep(step);
                }}
                .textContent=${sentence}
              ></button>
            </li>`,
        ),
        list,
      );
      entries.forEach(({ head }, i) => {
        if (head !== undefined) withHeadColour(list.children[i] as HTMLElement, head);
      });
      none.hidden = entries.length > 0;
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}

interface Entry {
  readonly step: number;
  readonly kind: string;
  /** Of which it tells, from 0. */
  readonly head?: number;
  readonly sentence: string;
}

/** In the order of their steps; the goal after what happened at the same step. */
function entriesOf({ options, events, goalStep }: RunRecord): readonly Entry[] {
  const entries = events.map(({ step, place, score, kind }): Entry => {
    const where = { layer: place.layer + 1, head: place.head + 1 };
    return {
      step,
      kind: score,
      head: place.head,
      sentence: words[kind](step, where, score, options.task),
    };
  });
  if (goalStep === undefined) return entries;
  const goal = { step: goalStep, kind: 'goal', sentence: words.goal(goalStep) };
  const isBefore = ({ step }: Entry): boolean => step <= goalStep;
  return [...entries.filter(isBefore), goal, ...entries.filter((entry) => !isBefore(entry))];
}
