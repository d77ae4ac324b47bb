import { words as headsWords } from '../acts/heads/words.js';
import { words as pruneWords } from '../acts/prune/words.js';
import { words as toyWords } from '../acts/toy/words.js';
import { words as trainWords } from '../acts/train/words.js';
import { hideable, type HideableName } from '../address/hideable.js';
import { element, paragraph } from '../ui/dom.js';
import { createNotices } from '../ui/notices.js';
import { words } from './words.js';

const chapter =
  'https://d2l.ai/chapter_attention-mechanisms-and-transformers/multihead-attention.html';

export interface Page {
  readonly toy: Act;
  readonly heads: Act;
  readonly train: Act;
  readonly prune: Act;
  /** Says what the address asks of the whole page in vain. */
  readonly showNotices: Act['showNotices'];
}

/** Lays out all that can be read before the layer has loaded. */
export function createPage(): Page {
  const toy = createAct('toy', 1, toyWords);
  const heads = createAct('heads', 2, headsWords);
  const train = createAct('train', 3, trainWords);
  const prune = createAct('prune', 4, pruneWords);
  const notices = createNotices();
  document.body.append(
    element(
      'header',
      { class: 'page masthead' },
      element('h1', {}, words.header.title),
      element(
        'div',
        { class: 'prose lead' },
        ...words.header.intro.map((sentences) => paragraph(sentences)),
      ),
    ),
    element('main', { class: 'page' }, notices.root, toy.root, heads.root, train.root, prune.root),
    element(
      'footer',
      { class: 'page colophon' },
      paragraph(words.footer.source, { class: 'prose' }),
      element('p', {}, element('a', { href: chapter }, words.footer.chapter)),
    ),
  );
  return { toy, heads, train, prune, showNotices: notices.show };
}

/** An act of the page. */
export interface Act {
  readonly root: HTMLElement;
  /** Where its live content goes. */
  readonly live: HTMLElement;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

/** A numbered section of the page with its heading and prose; `id` is its address. */
export function createAct(
  id: HideableName,
  number: number,
  words: { readonly title: string; readonly paragraphs: readonly string[] },
): Act {
  const headingId = `${id}-title`;
  const notices = createNotices();
  const live = element('div', { class: 'live' });
  const root = element(
    'section',
    { id, class: 'act', 'aria-labelledby': headingId },
    element(
      'h2',
      { id: headingId },
      element('span', { class: 'act-number' }, String(number)),
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
