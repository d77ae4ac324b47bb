/** What a translation of `Words` has: the same names, and functions of the same arguments. */
export type Translation<Words> = Words extends string
  ? string
  : Words extends (...args: infer Args) => infer Result
    ? (...args: Args) => Translation<Result>
    : Words extends object
      ? { readonly [Name in keyof Words]: Translation<Words[Name]> }
      : Words;

type Dictionary = Record<string, unknown>;

const registered = new Map<string, Dictionary>();
let chosen: Readonly<Dictionary> = {};

/**
 * Marks what the page says as words that a language can replace. They are English until `translate` is called, so that
 * nothing may keep a copy of them from before, such as a constant of a module.
 *
 * @param name of these words in a language's dictionary (web/src/languages)
 */
export function translatable<const Words extends object>(
  name: string,
  english: Words,
): Translation<Words> {
  const words = english as Dictionary;
  registered.set(name, words);
  replace(words, chosen[name]);
  return english as Translation<Words>;
}

/** Replaces all words that are marked, and those of code that is loaded later. */
export function translate(dictionary: Readonly<Dictionary>): void {
  chosen = dictionary;
  for (const [name, words] of registered) replace(words, dictionary[name]);
}

function replace(words: Dictionary, translation: unknown): void {
  if (!isDictionary(translation)) return;
  for (const [name, replacement] of Object.entries(translation)) {
    const present = words[name];
    if (isDictionary(present) && isDictionary(replacement)) replace(present, replacement);
    else words[name] = replacement;
  }
}

const isDictionary = (value: unknown): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
