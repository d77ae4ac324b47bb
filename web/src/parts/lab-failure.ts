import { HeadwiseError } from 'headwise';

import { element } from '../dom.js';
import { isOutOfMemory, WorkerLost } from '../lab/connection.js';
import { text } from '../text/index.js';
import { createFailure } from './failure.js';

/** What became of the worker or of what it was doing, and a button that begins again. */
export function createLabFailure(error: unknown, onAgain: () => void): HTMLElement {
  if (error instanceof HeadwiseError && ['unsupported', 'load-failed'].includes(error.code)) {
    return createFailure(error);
  }
  const words = wordsFor(error);
  const again = element('button', { type: 'button' }, text.lab.again);
  again.addEventListener('click', onAgain);
  return element(
    'div',
    { class: 'failure', role: 'alert' },
    element('p', {}, element('strong', {}, words.title)),
    element('p', {}, words.advice),
    element('p', { class: 'failure-details' }, error instanceof Error ? error.message : ''),
    again,
  );
}

function wordsFor(error: unknown): { readonly title: string; readonly advice: string } {
  if (error instanceof WorkerLost) return text.lab.lost;
  return isOutOfMemory(error) ? text.lab.memory : text.lab.other;
}
