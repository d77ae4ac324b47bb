// The first screen as static HTML: a slow network shows it before the script has come.
import { headColour } from 'headwise/view';

import { intro } from './src/acts/look/first/words.js';
import { words } from './src/app/words.js';
import sentence from './src/reading/sentence.json' with { type: 'json' };

export const escape = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Without the marks of terms, which are buttons. */
export const plain = (value: string): string =>
  value.replace(
    /\[(?:([^\]|]+)\|)?([^\]]+)\]/g,
    (_all, shown: string | undefined, term: string) => shown ?? term,
  );

const emphasised = (value: string): string =>
  escape(plain(value)).replace(/\*([^*]+)\*/g, '<em>$1</em>');

const letter = 12;
const gap = 20;
const baseline = 150;

/** Words, and an arc from the chosen one to each that a head attends to. Letters are taken to be of one width. */
function arcs(): string {
  let end = 0;
  const middles = sentence.words.map((word) => {
    const width = letter * word.length;
    end += width + gap;
    return end - gap - width / 2;
  });
  const from = middles[sentence.query] ?? 0;
  const drawn = sentence.heads.flatMap(({ weights }, head) =>
    (weights[sentence.query] ?? []).flatMap((weight, key) => {
      const to = middles[key] ?? 0;
      if (weight < 0.1 || key === sentence.query) return [];
      const height = baseline - 30 - Math.min(Math.abs(from - to) / 3, 110);
      return `<path d="M${from} ${baseline - 24}C${from} ${height},${to} ${height},${to} ${baseline - 24}" fill="none" stroke="${headColour(head)}" stroke-width="${Math.round(5 * weight)}" />`;
    }),
  );
  const texts = sentence.words.map(
    (word, at) =>
      `<text x="${middles[at] ?? 0}" y="${baseline}" text-anchor="middle">${escape(word)}</text>`,
  );
  return `<svg viewBox="0 0 ${end} 170" role="img" aria-label="${escape(sentence.text)}">${drawn.join('')}${texts.join('')}</svg>`;
}

/** In the elements and classes of app/page.ts, so that nothing moves when the script takes over. */
export const openingHtml = (): string => `
<nav class="navigation"><div class="page navigation-row"><p class="site-name">headwise</p></div></nav>
<header class="page masthead"><div class="languages">&nbsp;</div><h1>${words.heading}</h1></header>
<main class="page"><section id="look" class="act"><h2><span class="act-number">1</span> ${emphasised(intro.title)}</h2>
<p class="act-lead">${emphasised(intro.lead)}</p><div class="opening-arcs">${arcs()}</div></section></main>`;
