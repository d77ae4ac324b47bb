import { HeadwiseError } from 'headwise';
import { html, nothing, render, type TemplateResult } from 'lit-html';

import { joinSentences } from '../format/sentences.js';
import { translatable } from '../format/translation.js';
import { element } from '../ui/dom.js';
import { announce } from '../ui/live-region.js';
import { failureNotice } from '../ui/notices.js';
import { CheckpointError } from './checkpoint-error.js';
import { Connection, isOutOfMemory, WorkerLost } from './connection.js';

/** The state of a worker, where it is not as usual, with a button that restarts it. */
export function createWorkerNotice(onAgain: () => void) {
  const failure = element('div');
  const slow = element('div');
  const content = ({ title, advice }: Advice, details?: string): TemplateResult => html`
    <p><strong>${title}</strong></p>
    <p>${advice}</p>
    ${details === undefined ? nothing : html`<p class="failure-details">${details}</p>`}
    <button @click=${onAgain}>${words.again}</button>
  `;
  return {
    root: element('div', failure, slow),
    /** Says what became of the worker or of what it was doing. */
    showFailure: (error: unknown): void => {
      const details = error instanceof Error ? error.message : '';
      render(
        isUnavailable(error)
          ? failureNotice(error)
          : error instanceof CheckpointError
            ? html`<div class="failure" role="alert">
                <p>${error.message}</p>
                <button @click=${onAgain}>${words.again}</button>
              </div>`
            : html`<div class="failure" role="alert">${content(adviceFor(error), details)}</div>`,
        failure,
      );
    },
    /** Says that an answer takes long, until it has come. */
    showSlow: (isSlow: boolean): void => {
      if (isSlow) announce(joinSentences([words.slow.title, words.slow.advice]));
      render(isSlow ? html`<div class="slow">${content(words.slow)}</div>` : nothing, slow);
    },
    /** What failed is begun anew. */
    clear(): void {
      render(nothing, failure);
    },
  };
}

/** A worker of an act's own, and the notice about it. `onAgain`: another worker is to begin anew. */
export function createWorker(onAgain: () => void) {
  const notice = createWorkerNotice(() => {
    connection.giveUp();
    onAgain();
  });
  const connection = new Connection(notice.showSlow);
  return { notice, connection };
}

/** The package does not run in this browser at all: beginning again would not help. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof HeadwiseError && ['unsupported', 'load-failed'].includes(error.code);

interface Advice {
  readonly title: string;
  readonly advice: string;
}

function adviceFor(error: unknown): Advice {
  if (error instanceof WorkerLost) return words.lost;
  return isOutOfMemory(error) ? words.memory : words.other;
}

/** What acts say when their worker fails. */
export const words = translatable('worker', {
  slow: {
    title: 'The worker has not answered yet',
    advice:
      'There has been no answer for 20 seconds. The worker may still be loading, or the machine may be busy: the answer is used when it comes, and nothing is lost. Closing other tabs may help. Restart to replace the worker.',
  },
  lost: {
    title: 'The worker stopped',
    advice:
      'The browser terminated the worker, or its script did not load. The rest of the page is not affected. Restart to get a new worker: the same seed gives the same run.',
  },
  memory: {
    title: 'Out of memory',
    advice:
      'The browser could not give this page more memory. Close other tabs or choose fewer layers and heads, then restart.',
  },
  other: {
    title: 'Something went wrong',
    advice: 'Restart; if that does not help, reload the page.',
  },
  again: 'Restart',
});
