import { element } from '../../ui/dom.js';
import type { RunRecord } from './run-record.js';
import { words } from './words.js';

export interface EventLog {
  readonly root: HTMLElement;
  show(record: RunRecord): void;
}

/** What happened in the run, told as it happens: heads that take roles, and the goal. */
export function createEventLog(): EventLog {
  const list = element('ol');
  // Not the list itself, which is a list to those who hear it, too.
  const scroller = element(
    'div',
    { class: 'log-list', role: 'log', tabindex: 0, 'aria-label': words.log },
    list,
  );
  const none = element('p', { class: 'log-none' }, words.nothingYet);
  let shown: RunRecord | undefined;
  let told = 0;
  let goalTold = false;

  const append = (sentence: string, kind: string): void => {
    list.append(element('li', { 'data-kind': kind }, sentence));
    scroller.scrollTop = scroller.scrollHeight;
  };
  return {
    root: element(
      'div',
      { class: 'log' },
      element('h3', { class: 'log-name' }, words.log),
      none,
      scroller,
    ),
    show(record) {
      if (record !== shown) {
        shown = record;
        told = 0;
        goalTold = false;
        list.replaceChildren();
      }
      const { task } = record.options;
      for (const { step, place, score, kind } of record.events.slice(told)) {
        const where = { layer: place.layer + 1, head: place.head + 1 };
        append(words[kind](step, where, score, task), score);
      }
      told = record.events.length;
      if (record.goalStep !== undefined && !goalTold) {
        goalTold = true;
        append(words.goal(record.goalStep), 'goal');
      }
      none.hidden = list.childElementCount > 0;
    },
  };
}
