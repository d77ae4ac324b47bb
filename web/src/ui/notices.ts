import { HeadwiseError } from 'headwise';
import { html, render, type TemplateResult } from 'lit-html';

import { joinSentences } from '../format/sentences.js';
import { element } from './dom.js';
import { announce } from './live-region.js';
import { words } from './words.js';

/** What went wrong and what to do about it, in place of a figure that cannot be drawn. */
export function failureNotice(error: unknown): TemplateResult {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HeadwiseError ? error.code : undefined;
  const details = code === undefined ? message : `${message} (${code})`;
  return html`<div class="failure" role="alert">
    <p><strong>${words.failure.title}</strong></p>
    <p>${adviceFor(code)}</p>
    <p class="failure-details">${details}</p>
  </div>`;
}

function adviceFor(code: string | undefined): string {
  if (code === 'unsupported') return words.failure.unsupported;
  if (code === 'load-failed') return words.failure.loading;
  return words.failure.other;
}

/** Where sentences about the address come and go. */
export function createNotices() {
  const root = element('div.notices');
  return {
    root,
    show: (sentences: readonly string[]): void => {
      announce(joinSentences(sentences));
      render(
        sentences.map((sentence) => html`<p>${sentence}</p>`),
        root,
      );
    },
  };
}

/**
 * Why something was not done, for a reader. The package names the arguments of its functions, which a reader
 * of the page has never seen: `said` then comes first, and the package's own words are the details.
 */
export function reasonOf(error: unknown, said: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof HeadwiseError ? words.failure.reason(said, message) : message;
}
