import { momentQuery } from '../address/history.js';
import { hideable } from '../address/hideable.js';
import { words as addressWords } from '../address/words.js';
import { speak } from '../format/sentences.js';
import { translate } from '../format/translation.js';
import { element } from '../ui/dom.js';
import { words } from './words.js';

/** The parameter of the address. */
const parameter = 'lang';

/** Languages by their tags, each under its own name; English comes with the page. */
const languages = {
  en: { name: 'English' },
  zh: { name: '中文', load: () => import('./words.zh.js') },
  ko: { name: '한국어', load: () => import('./words.ko.js') },
  id: { name: 'Bahasa Indonesia', load: () => import('./words.id.js') },
} satisfies Record<string, { name: string; load?: () => Promise<{ texts: object }> }>;

type Language = keyof typeof languages;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag);

/**
 * Has the page say everything in the language that the address names: to be called before anything is laid out. Answers
 * with a sentence for the reader if that language is none of the page's, or did not load.
 */
export async function followLanguage(): Promise<readonly string[]> {
  const tag = new URLSearchParams(window.location.search).get(parameter) ?? 'en';
  if (!isLanguage(tag)) {
    return [addressWords.choice(parameter, tag, Object.keys(languages), 'en')];
  }
  const language = languages[tag];
  if (!('load' in language)) return [];
  try {
    translate((await language.load()).texts);
  } catch {
    return [words.language.notLoaded(language.name)];
  }
  document.documentElement.lang = tag;
  document.title = words.title;
  speak(tag);
  return [];
}

/**
 * Links to the page as it is now, in each of its languages.
 *
 * @param notices what `followLanguage` has to say
 */
export function createLanguageSwitch(notices: readonly string[]): HTMLElement {
  const { lang } = document.documentElement;
  const links = Object.entries(languages).map(([tag, { name }]) => {
    const link = element(
      'a',
      {
        href: `?${parameter}=${tag}`,
        hreflang: tag,
        lang: tag,
        'aria-current': tag === lang ? 'true' : undefined,
      },
      name,
    );
    // What the address says once the link is followed, by whatever means.
    const update = (): void => {
      const query = new URLSearchParams(momentQuery());
      if (tag === 'en') query.delete(parameter);
      else query.set(parameter, tag);
      link.href = `${window.location.pathname}?${query.toString()}${window.location.hash}`;
    };
    for (const event of ['pointerdown', 'focus'] as const) link.addEventListener(event, update);
    return element('li', link);
  });
  return hideable(
    'languages',
    element(
      'nav.languages',
      { 'aria-label': words.language.label },
      ...notices.map((sentence) => element('p.notices', sentence)),
      element('ul.row', ...links),
    ),
  );
}
