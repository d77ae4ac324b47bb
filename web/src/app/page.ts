import { hideable } from '../address/hideable.js';
import { type ActDescription, loadAll } from '../ui/act.js';
import { element, paragraph } from '../ui/dom.js';
import { liveRegion } from '../ui/live-region.js';
import { createNotices } from '../ui/notices.js';
import { createLanguageSwitch } from './language.js';
import { words } from './words.js';

const chapter =
  'https://d2l.ai/chapter_attention-mechanisms-and-transformers/multihead-attention.html';

/**
 * Lays out all that can be read before the layer has loaded.
 *
 * @param aboutLanguage sentences about the language that the address asks for
 */
export function createPage(aboutLanguage: readonly string[]) {
  const placed = acts.map((act, index) => placeAct(act, index + 1));
  const notices = createNotices();
  for (const made of document.querySelectorAll('.not-served, .opening')) made.remove();
  document.body.append(
    element(
      'header.page.masthead',
      createLanguageSwitch(aboutLanguage),
      element('h1', words.heading),
    ),
    element('main.page', notices.root, ...placed.map(({ root }) => root)),
    element(
      'footer.page.colophon',
      paragraph(words.footer.source, { class: 'prose' }),
      element('p', element('a', { href: chapter }, words.footer.chapter)),
      createPrintButton(),
    ),
    liveRegion(),
  );
  return {
    acts: placed,
    /** Says what the address asks of the whole page in vain. */
    showNotices: notices.show,
  };
}

/** An act of the page. */
export interface PlacedAct {
  readonly id: string;
  /** Its name in the navigation. */
  readonly short: string;
  readonly root: HTMLElement;
  readonly open: ActDescription['open'];
  /** Where its live content goes. */
  readonly live: HTMLElement;
  /** Says what of the address could not be taken as it was. */
  readonly showNotices: (sentences: readonly string[]) => void;
}

/** A section of the page with its numbered heading and its prose. */
function placeAct({ id, intro, opening, open }: ActDescription, number: number): PlacedAct {
  const { paragraphs = [] } = intro;
  const headingId = `${id}-title`;
  const notices = createNotices();
  const live = element('div.live');
  const root = element(
    'section.act',
    { id, 'aria-labelledby': headingId },
    element('h2', { id: headingId }, element('span.act-number', String(number)), ' ', intro.title),
    hideable('prose', paragraph(intro.lead, { class: 'act-lead' })),
    notices.root,
    ...(opening?.() ?? []),
    live,
    ...(paragraphs.length === 0
      ? []
      : [hideable('prose', element('div.prose', ...paragraphs.map((each) => paragraph(each))))]),
  );
  return {
    id,
    short: intro.short,
    root: hideable(id, root),
    open,
    live,
    showNotices: notices.show,
  };
}

/** Prints the page with the acts that the reader has not come to: those are not loaded yet. */
function createPrintButton(): HTMLElement {
  const button = element('button.print-all', words.footer.print);
  button.addEventListener('click', () => {
    void loadAll().then(() => {
      // Drawn, too: charts take the width that they have.
      window.requestAnimationFrame(() => {
        window.setTimeout(() => window.print());
      });
    });
  });
  window.addEventListener('beforeprint', () => void loadAll());
  return element('p', button);
}

/** All acts, in the order in which they are read: one folder each, found by its description. */
export const acts: readonly ActDescription[] = Object.values(
  import.meta.glob<ActDescription>('../acts/*/description.ts', {
    eager: true,
    import: 'description',
  }),
).sort((a, b) => a.order - b.order);
