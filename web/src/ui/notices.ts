import { HeadwiseError } from 'headwise';

import { hideable } from '../address/hideable.js';
import { element } from './dom.js';
import { words } from './words.js';

export interface Goal {
  readonly root: HTMLElement;
  /** Says how far the reader has come; a goal once reached stays so. */
  show(progress: string, isReached?: boolean): void;
}

/** What there is to find out in an act, and whether the reader has. */
export function createGoal(task: string): Goal {
  const progress = element('p', { class: 'goal-progress', role: 'status' });
  const root = element(
    'div',
    { class: 'goal' },
    element('p', {}, element('strong', {}, `${words.goal.name}: `), task),
    progress,
  );
  let reached = '';
  return {
    root: hideable('goal', root),
    show(told, isReached = false) {
      if (isReached) {
        reached = told;
        root.toggleAttribute('data-reached', true);
      }
      const shown = isReached || reached === '' ? told : reached;
      const line =
        reached === '' ? [shown] : [element('strong', {}, `${words.goal.reached}. `), shown];
      // A live region speaks of every change: none where nothing new is said.
      const spoken = reached === '' ? shown : `${words.goal.reached}. ${shown}`;
      if (progress.textContent !== spoken) progress.replaceChildren(...line);
    },
  };
}

/** What went wrong and what to do about it, in place of a figure that cannot be drawn. */
export function createFailure(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HeadwiseError ? error.code : undefined;
  return element(
    'div',
    { class: 'failure', role: 'alert' },
    element('p', {}, element('strong', {}, words.failure.title)),
    element('p', {}, adviceFor(code)),
    element('p', { class: 'failure-details' }, words.failure.details(message, code)),
  );
}

function adviceFor(code: string | undefined): string {
  if (code === 'unsupported') return words.failure.unsupported;
  if (code === 'load-failed') return words.failure.loading;
  return words.failure.other;
}

/** Where sentences about the address come and go. */
export interface Notices {
  readonly root: HTMLElement;
  readonly show: (sentences: readonly string[]) => void;
}

export function createNotices(): Notices {
  const root = element('div', { class: 'notices', role: 'status' });
  return {
    root,
    show(sentences) {
      root.replaceChildren(...sentences.map((sentence) => element('p', {}, sentence)));
    },
  };
}
