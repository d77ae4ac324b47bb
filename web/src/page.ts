import { element, paragraph } from './dom.js';
import { createPart } from './parts/part.js';
import { text } from './text.js';

export interface Page {
  /** Where the live content of each part goes. */
  readonly toy: HTMLElement;
  readonly heads: HTMLElement;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (notices: readonly string[]) => void;
}

/** Lays out all that can be read before the layer has loaded. */
export function createPage(): Page {
  const toy = element('div', { class: 'live' });
  const heads = element('div', { class: 'live' });
  const notices = element('div', { class: 'notices', role: 'status' });
  document.body.append(
    element(
      'header',
      { class: 'page masthead' },
      element('p', { class: 'site-name' }, text.header.name),
      element('h1', {}, text.header.title),
      element(
        'div',
        { class: 'prose lead' },
        ...text.header.intro.map((words) => paragraph(words)),
      ),
    ),
    element(
      'main',
      { class: 'page' },
      createPart('toy', 1, text.toy, toy),
      createPart('heads', 2, text.heads, notices, heads),
    ),
    element(
      'footer',
      { class: 'page colophon' },
      paragraph(text.footer.source, { class: 'prose' }),
    ),
  );
  return {
    toy,
    heads,
    showNotices(sentences) {
      notices.replaceChildren(...sentences.map((sentence) => element('p', {}, sentence)));
    },
  };
}
