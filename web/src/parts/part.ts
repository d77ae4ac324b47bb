import { element, paragraph } from '../dom.js';

/** A numbered part of the page with its heading and prose; `id` is its address. */
export function createPart(
  id: string,
  number: number,
  words: { readonly title: string; readonly paragraphs: readonly string[] },
  ...content: readonly HTMLElement[]
): HTMLElement {
  const headingId = `${id}-title`;
  return element(
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
    ...content,
  );
}
