import { element, paragraph } from '../dom.js';
import { hideable, type HideableName } from '../state/hidden.js';
import { createNotices } from './notices.js';

/** An act of the page. */
export interface Part {
  readonly root: HTMLElement;
  /** Where its live content goes. */
  readonly live: HTMLElement;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

/** A numbered part of the page with its heading and prose; `id` is its address. */
export function createPart(
  id: HideableName,
  number: number,
  words: { readonly title: string; readonly paragraphs: readonly string[] },
): Part {
  const headingId = `${id}-title`;
  const notices = createNotices();
  const live = element('div', { class: 'live' });
  const root = element(
    'section',
    { id, class: 'part', 'aria-labelledby': headingId },
    element(
      'h2',
      { id: headingId },
      element('span', { class: 'part-number' }, String(number)),
      ' ',
      words.title,
    ),
    hideable(
      'prose',
      element('div', { class: 'prose' }, ...words.paragraphs.map((words) => paragraph(words))),
    ),
    notices.root,
    live,
  );
  return {
    root: hideable(id, root),
    live,
    showNotices: notices.show,
  };
}
