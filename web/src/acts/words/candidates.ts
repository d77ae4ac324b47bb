import { html, render, svg as drawn } from 'lit-html';

import { formatShare } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import type { Candidate } from '../../worker/language-model.js';
import { words } from './words.js';

export interface Candidates {
  readonly root: HTMLElement;
  draw(candidates: readonly Candidate[], isCausal: boolean): void;
}

/** Where the axis may end: it stays where it is while a gate moves the bars. */
const ends = [0.1, 0.25, 0.5, 0.75, 1] as const;

/** The same as the next token: one that goes on with the last word says so. */
export const visibleNext = (token: string): string =>
  /^[\p{L}\p{N}]/u.test(token) ? `…${token}` : visible(token);

/** A space or a line feed at the edge of a token is a part of it. */
export const visible = (token: string): string =>
  token.trim() === '' ? token.replaceAll(' ', '␣').replaceAll('\n', '⏎') : token.trim();

/** The most probable next tokens: a bar each, and a mark where it ends with all heads open. */
export function createCandidates(): Candidates {
  const list = element('div', { class: 'candidates-list' });
  const root = element(
    'section',
    { class: 'candidates', 'aria-label': words.nextLabel },
    element('h3', {}, words.next),
    list,
  );
  return {
    root,
    draw(candidates, isCausal) {
      const largest = Math.max(
        0,
        ...candidates.map(({ probability, before }) => Math.max(probability, before)),
      );
      const end = ends.find((each) => each >= largest) ?? 1;
      const share = (probability: number): string => `${(100 * probability) / end}%`;
      const leader = Math.max(...candidates.map(({ probability }) => probability));
      const row = ({ token, probability, before }: Candidate) => html`
        <li
          class="candidate"
          ?data-leads=${probability === leader}
          aria-label=${words.bar(visibleNext(token), formatShare(probability), formatShare(before))}
        >
          <span class="candidate-token">${visibleNext(token)}</span>
          <svg class="candidate-bar" aria-hidden="true">
            ${drawn`<rect class="bar-now" width=${share(probability)} height="100%"></rect>
              <rect class="bar-before" x=${share(before)} width="2" height="100%"></rect>`}
          </svg>
          <span class="candidate-share">${formatShare(probability)}</span>
        </li>
      `;
      render(
        isCausal
          ? html`<ol class="candidates-rows">
                ${candidates.map(row)}
              </ol>
              <p class="candidates-key" aria-hidden="true">
                <span class="key-now"></span>${words.nextNow}
                <span class="key-before"></span>${words.nextOpen}
                <span class="key-axis">${words.axis(formatShare(end))}</span>
              </p>`
          : html`<p>${words.noNext}</p>`,
        list,
      );
    },
  };
}
