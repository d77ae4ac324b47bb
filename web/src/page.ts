import { element, paragraph } from './dom.js';
import { createNotices } from './parts/notices.js';
import { createPart, type Part } from './parts/part.js';
import { text } from './text/index.js';

const chapter =
  'https://d2l.ai/chapter_attention-mechanisms-and-transformers/multihead-attention.html';

export interface Page {
  readonly toy: Part;
  readonly heads: Part;
  readonly train: Part;
  readonly prune: Part;
  /** Says what the address asks of the whole page in vain. */
  readonly showNotices: Part['showNotices'];
}

/** Lays out all that can be read before the layer has loaded. */
export function createPage(): Page {
  const toy = createPart('toy', 1, text.toy);
  const heads = createPart('heads', 2, text.heads);
  const train = createPart('train', 3, text.train);
  const prune = createPart('prune', 4, text.prune);
  const notices = createNotices();
  document.body.append(
    element(
      'header',
      { class: 'page masthead' },
      element('h1', {}, text.header.title),
      element(
        'div',
        { class: 'prose lead' },
        ...text.header.intro.map((words) => paragraph(words)),
      ),
    ),
    element('main', { class: 'page' }, notices.root, toy.root, heads.root, train.root, prune.root),
    element(
      'footer',
      { class: 'page colophon' },
      paragraph(text.footer.source, { class: 'prose' }),
      element('p', {}, element('a', { href: chapter }, text.footer.chapter)),
    ),
  );
  return { toy, heads, train, prune, showNotices: notices.show };
}
