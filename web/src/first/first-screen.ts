import { Store } from '../address/store.js';
import { element, paragraph } from '../ui/dom.js';
import { createNotices } from '../ui/notices.js';
import { createFans } from './fans.js';
import { createOwnSentence } from './own-sentence.js';
import { builtIn } from './reading.js';
import { firstFields, type FirstState } from './state.js';
import { words } from './words.js';

export interface FirstScreen {
  readonly root: HTMLElement;
  readonly store: Store<FirstState>;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

/**
 * What the page opens with: a sentence under four heads of a trained model, which answer to pointer, touch and keyboard at
 * the first paint. Their weights are those that the model gives, kept with the page (sentence.json); once the reader
 * writes a sentence, or the address has one, the model itself is loaded and reads it.
 */
export function createFirstScreen(): FirstScreen {
  const store = new Store(firstFields);
  // The page reads the address once it has loaded more: until then, and for what it corrects, notices can wait.
  store.readFrom(new URLSearchParams(window.location.search));
  const notices = createNotices();
  const fans = createFans(store);
  const own = createOwnSentence(store, fans);
  const names = builtIn.heads.map(({ layer, head }) => words.head(layer + 1, head + 1));
  const root = element(
    'div',
    { class: 'first' },
    element('div', {}, paragraph(words.question, { class: 'first-question' }), notices.root),
    element(
      'div',
      { class: 'first-stage' },
      fans.root,
      paragraph(words.hint, { class: 'first-hint' }),
      own,
    ),
    element(
      'div',
      { class: 'first-names' },
      ...Object.values(words.names).map((sentences) => paragraph(sentences)),
    ),
    paragraph(words.source(names), { class: 'first-source' }),
  );
  return { root, store, showNotices: notices.show };
}
