import { element, paragraph } from '../dom.js';

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
  id: string,
  number: number,
  words: { readonly title: string; readonly paragraphs: readonly string[] },
): Part {
  const headingId = `${id}-title`;
  const notices = element('div', { class: 'notices', role: 'status' });
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
    element('div', { class: 'prose' }, ...words.paragraphs.map((words) => paragraph(words))),
    notices,
    live,
  );
  return {
    root,
    live,
    showNotices(sentences) {
      notices.replaceChildren(...sentences.map((sentence) => element('p', {}, sentence)));
    },
  };
}
