import { headCountsOf, type InputSizes, numHiddens } from '../../attention/input.js';
import { cutTo } from '../../format/sentences.js';

export const tokenKinds = ['words', 'letters'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** More would be too small to see and to hit. */
export const textLimits = { lines: 2, tokens: 16, characters: 300 } as const;

/** Characters of a text that are read at all, so that pasting a book takes no time. */
const considered = 10_000;

/**
 * The part of a text that is used, whatever its tokens are: its first lines that have any, as far as
 * words go, of which letters never need more.
 */
export function usedText(typed: string): { readonly used: string; readonly isCut: boolean } {
  const lines = typed
    .slice(0, considered)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const words = lines.slice(0, textLimits.lines).map((line) => {
    const beyond = [...wordsOf(line)].at(textLimits.tokens);
    return beyond === undefined ? line : line.slice(0, beyond.index).trimEnd();
  });
  const used = cutTo(words.join('\n'), textLimits.characters);
  return { used, isCut: typed.length > considered || used !== lines.join('\n') };
}

/** A word, which is captured, or the signs between two. Marks belong to what they follow. */
const wordOrSigns = /([\p{L}\p{N}'’-][\p{L}\p{M}\p{N}'’-]*)|[^\s\p{L}\p{N}'’-]+/gu;

/** The tokens of each line, a line a sample; lines without any are left out. */
export function tokensOf(typed: string, kind: TokenKind): readonly (readonly string[])[] {
  return typed
    .split('\n')
    .map((line) => split(line, kind).slice(0, textLimits.tokens))
    .filter((tokens) => tokens.length > 0)
    .slice(0, textLimits.lines);
}

function split(line: string, kind: TokenKind): readonly string[] {
  if (kind === 'letters')
    return signsOf(line.trim()).map((letter) => (letter === ' ' ? '␣' : letter));
  return [...wordsOf(line.toLowerCase())].map(({ word }) => word);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What readers take for one sign, such as a family of joined emoji. Source: Unicode Standard Annex 29. */
const signsOf = (written: string): readonly string[] =>
  Array.from(graphemes.segment(written), ({ segment }) => segment);

/** Words, and every other sign by itself. */
function* wordsOf(line: string): Generator<{ readonly word: string; readonly index: number }> {
  for (const { 0: found, 1: word = '', index } of line.matchAll(wordOrSigns)) {
    if (word !== '') {
      yield { word, index };
      continue;
    }
    for (const { segment, index: within } of graphemes.segment(found)) {
      yield { word: segment, index: index + within };
    }
  }
}

export function textSizes(typed: string, kind: TokenKind): InputSizes {
  const lens = tokensOf(typed, kind).map((tokens) => tokens.length);
  const keys = Math.max(0, ...lens);
  return {
    batch: lens.length,
    keys,
    lens,
    headCounts: headCountsOf(numHiddens, lens.length * keys ** 2),
  };
}
