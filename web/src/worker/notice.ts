import { HeadwiseError } from 'headwise';

import { element } from '../ui/dom.js';
import { createFailure } from '../ui/notices.js';
import { isOutOfMemory, WorkerLost } from './connection.js';
import { words } from './words.js';

export interface WorkerNotice {
  readonly root: HTMLElement;
  /** Says what became of the worker or of what it was doing. */
  readonly showFailure: (error: unknown) => void;
  /** Says that an answer takes long, until it has come. */
  readonly showSlow: (isSlow: boolean) => void;
  /** What failed is begun anew. */
  clear(): void;
}

/** Where an act tells how its worker fares, with a button that begins again. */
export function createWorkerNotice(onAgain: () => void): WorkerNotice {
  const failure = element('div');
  const slow = element('div', { role: 'status' });
  const { title, advice } = words.slow;
  return {
    root: element('div', {}, failure, slow),
    showFailure(error) {
      failure.replaceChildren(createWorkerFailure(error, onAgain));
    },
    showSlow(isSlow) {
      if (!isSlow) slow.replaceChildren();
      else
        slow.replaceChildren(element('div', { class: 'slow' }, ...content(title, advice, onAgain)));
    },
    clear() {
      failure.replaceChildren();
    },
  };
}

function createWorkerFailure(error: unknown, onAgain: () => void): HTMLElement {
  if (error instanceof HeadwiseError && ['unsupported', 'load-failed'].includes(error.code)) {
    return createFailure(error);
  }
  const { title, advice } = wordsFor(error);
  const details = error instanceof Error ? error.message : '';
  return element(
    'div',
    { class: 'failure', role: 'alert' },
    ...content(title, advice, onAgain, element('p', { class: 'failure-details' }, details)),
  );
}

function content(
  title: string,
  advice: string,
  onAgain: () => void,
  ...details: readonly HTMLElement[]
): HTMLElement[] {
  const again = element('button', { type: 'button' }, words.again);
  again.addEventListener('click', onAgain);
  return [
    element('p', {}, element('strong', {}, title)),
    element('p', {}, advice),
    ...details,
    again,
  ];
}

function wordsFor(error: unknown): { readonly title: string; readonly advice: string } {
  if (error instanceof WorkerLost) return words.lost;
  return isOutOfMemory(error) ? words.memory : words.other;
}
