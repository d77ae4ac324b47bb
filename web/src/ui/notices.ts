import { HeadwiseError } from 'headwise';
import { html, render, type TemplateResult } from 'lit-html';

import { hideable } from '../address/hideable.js';
import { element } from './dom.js';
import { announce } from './live-region.js';
import { words } from './words.js';

export interface Goal {
  readonly root: HTMLElement;
  /** Says how far the reader has come; a goal once reached stays so. */
  show(progress: string, isReached?: boolean): void;
}

/** What there is to find out in an act, and whether the reader has. */
export function createGoal(task: string): Goal {
  const progress = element('p', { class: 'goal-progress' });
  const root = element(
    'div',
    { class: 'goal' },
    element('p', {}, element('strong', {}, words.goal.name), ' ', task),
    progress,
  );
  let reached = '';
  return {
    root: hideable('goal', root),
    show(told, isReached = false) {
      if (isReached) {
        if (reached === '') announce(`${words.goal.reached} ${told}`);
        reached = told;
        root.toggleAttribute('data-reached', true);
      }
      render(
        reached === ''
          ? told
          : html`<strong>${words.goal.reached}</strong> ${isReached ? told : reached}`,
        progress,
      );
    },
  };
}

/** What went wrong and what to do about it, in place of a figure that cannot be drawn. */
export function failureNotice(error: unknown): TemplateResult {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof HeadwiseError ? error.code : undefined;
  return html`<div class="failure" role="alert">
    <p><strong>${words.failure.title}</strong></p>
    <p>${adviceFor(code)}</p>
    <p class="failure-details">${words.failure.details(message, code)}</p>
  </div>`;
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
  const root = element('div', { class: 'notices' });
  return {
    root,
    show(sentences) {
      announce(sentences.join(' '));
      render(
        sentences.map((sentence) => html`<p>${sentence}</p>`),
        root,
      );
    },
  };
}
