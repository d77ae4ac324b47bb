/** What sentences are put together with. */

let conjunction = new Intl.ListFormat('en', { type: 'conjunction' });
let disjunction = new Intl.ListFormat('en', { type: 'disjunction' });
let gap = ' ';

/** Has lists and sentences put together as a language does. */
export function speak(language: string): void {
  conjunction = new Intl.ListFormat(language, { type: 'conjunction' });
  disjunction = new Intl.ListFormat(language, { type: 'disjunction' });
  // Chinese marks have their space within them.
  gap = language.startsWith('zh') ? '' : ' ';
}

/** What stands between two sentences. */
export const sentenceGap = (): string => gap;

/** One after the other; empty ones are left out. */
export const joinSentences = (sentences: readonly string[]): string =>
  sentences.filter(Boolean).join(gap);

/** `1, 2, and 3` */
export const listOf = (items: readonly (string | number)[]): string =>
  conjunction.format(items.map(String));

/** `1, 2, or 3` */
export const choiceOf = (items: readonly (string | number)[]): string =>
  disjunction.format(items.map(String));

/** What readers take for characters, which may be several joined ones. Older browsers do not know. */
const { Segmenter } = Intl as Partial<typeof Intl>;
const characters = Segmenter && new Segmenter('en', { granularity: 'grapheme' });

/** More than any character takes that people write. */
const longestCharacter = 64;

/** As much of it as is wanted, and never half a character. */
export function cutTo(words: string, longest: number): string {
  if (words.length <= longest) return words;
  const cut = characters
    ?.segment(words.slice(0, longest + longestCharacter))
    .containing(longest)?.index;
  const isWhole = cut !== undefined && cut > longest - longestCharacter;
  return words.slice(0, isWhole ? cut : longest).replace(/[\uD800-\uDBFF]$/, '');
}

/** What somebody wrote, as far as a sentence has room for it. */
export const quoted = (written: string): string =>
  `“${written.length > 60 ? `${cutTo(written, 60)}…` : written}”`;

const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

export const inWords = (number: number, place?: 'sentence'): string => {
  const word = smallNumbers[number] ?? String(number);
  return place === 'sentence' ? word.charAt(0).toUpperCase() + word.slice(1) : word;
};

export const count = (number: number, one: string, more: string): string =>
  `${number} ${number === 1 ? one : more}`;
