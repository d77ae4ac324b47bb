import { HeadwiseError } from 'headwise';

import { element } from '../dom.js';
import { text } from '../text/index.js';

/** What went wrong and what to do about it, in place of a figure that cannot be drawn. */
export function createFailure(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HeadwiseError ? error.code : undefined;
  return element(
    'div',
    { class: 'failure', role: 'alert' },
    element('p', {}, element('strong', {}, text.failure.title)),
    element('p', {}, adviceFor(code)),
    element('p', { class: 'failure-details' }, text.failure.details(message, code)),
  );
}

function adviceFor(code: string | undefined): string {
  if (code === 'unsupported') return text.failure.unsupported;
  if (code === 'load-failed') return text.failure.loading;
  return text.failure.other;
}
