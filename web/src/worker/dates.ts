/**
 * The task of the act on cross-attention: dates as people write them in, dates by ISO 8601 out. Of every character of the answer it is known
 * which characters of the question it comes from, so that what a head attends to can be told right from wrong.
 */
import { cross } from 'd3-array';

const months = [
  ...(['january', 'february', 'march', 'april', 'may', 'june'] as const),
  ...(['july', 'august', 'september', 'october', 'november', 'december'] as const),
] as const;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Years are drawn evenly, so that each of their digits has to be read. */
const years = { first: 1000, count: 2000 } as const;

/** As long as `September 30, 2999`. */
export const maxDateLength = 18;
/** As long as `2999-09-30`. */
export const isoLength = 10;

/** What a date is made of. */
export const parts = ['year', 'month', 'day'] as const;
export type Part = (typeof parts)[number];

/** The part that each character of an answer belongs to; none for the hyphens, which come from nowhere. */
export const partsOfAnswer: readonly (Part | undefined)[] = [
  ...(['year', 'year', 'year', 'year', undefined] as const),
  ...(['month', 'month', undefined, 'day', 'day'] as const),
];

export interface DateQuestion {
  /** As it is written. */
  readonly text: string;
  /** By ISO 8601. */
  readonly answer: string;
  /** The part that each character of the text belongs to. */
  readonly parts: readonly (Part | undefined)[];
  /** Of each character of the answer, the characters of the text that it comes from, counted from 0. */
  readonly sources: readonly (readonly number[])[];
}

interface CalendarDate {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
}

/** How dates are written: whether the month is cut to three letters, and whether the day comes first. */
const forms = cross([false, true], [false, true]);

function write({ year, month, day }: CalendarDate, [isShort, dayFirst]: boolean[]): string {
  const whole = months[month];
  const name = isShort ? whole.slice(0, 3) : whole;
  const titled = name.charAt(0).toUpperCase() + name.slice(1);
  return dayFirst ? `${day} ${titled} ${year}` : `${titled} ${day}, ${year}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** `March 5, 2021`, or the day first; `undefined` for what is no date of those that are taught. */
const written = /^(?:([a-z]+) (\d{1,2}),|(\d{1,2}) ([a-z]+)) (\d{4})$/d;

/** What a text asks; `undefined` where it is no date of the four forms, which has no right answer here. */
export function questionOf(text: string): DateQuestion | undefined {
  const match = written.exec(text.toLowerCase());
  if (match?.indices === undefined) return undefined;
  const { indices } = match;
  // Of the groups for day and month those of one form are there.
  const places = { year: [5], month: [1, 4], day: [2, 3] } as const;
  const groups: readonly (string | undefined)[] = match;
  const textOf = (part: Part): string => places[part].map((group) => groups[group] ?? '').join('');
  const [yearDigits, name, dayDigits] = [textOf('year'), textOf('month'), textOf('day')];
  const month = months.findIndex((whole) => name === whole || name === whole.slice(0, 3));
  const [day, year] = [Number(dayDigits), Number(yearDigits)];
  if (month < 0) return undefined;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lastDay = monthDays[month] + (month === 1 && isLeap ? 1 : 0);
  if (day < 1 || day > lastDay || dayDigits.startsWith('0')) return undefined;
  if (year < years.first || year >= years.first + years.count) return undefined;

  const spans: readonly (readonly [number, number] | undefined)[] = indices;
  const placesOf = (part: Part): number[] => {
    const [from, to] = places[part]
      .map((group) => spans[group])
      .find((span) => span !== undefined) ?? [0, 0];
    return Array.from({ length: to - from }, (_, i) => from + i);
  };
  const found = { year: placesOf('year'), month: placesOf('month'), day: placesOf('day') };
  const ownParts = Array.from(text, (_, key) => parts.find((part) => found[part].includes(key)));
  const digits = found.year.map((key) => [key]);
  // Of a day of one digit both digits of the answer come from it.
  const [tens = 0, ones = tens] = found.day;
  return {
    text,
    answer: `${yearDigits}-${twoDigits(month + 1)}-${twoDigits(day)}`,
    parts: ownParts,
    sources: [...digits, [], found.month, found.month, [], [tens], [ones]],
  };
}

/** Numbers from 0 to below 1, the same for the same seed in every browser: mulberry32 (Tommy Ettinger, public domain). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A tenth of all days is never trained on, in whatever form. */
const isHeldOut = ({ year, month, day }: CalendarDate): boolean =>
  (372 * year + 31 * month + day) % 10 === 0;

/** Draws dates, of those that are held out or of the others. */
export class DateTask {
  readonly #random: () => number;
  readonly #heldOut: boolean;

  constructor(seed: number, heldOut: boolean) {
    this.#random = randomNumbers(seed);
    this.#heldOut = heldOut;
  }

  draw(): DateQuestion {
    for (;;) {
      const year = years.first + this.#below(years.count);
      const month = this.#below(months.length);
      const day = 1 + this.#below(monthDays[month]);
      const form = forms[this.#below(forms.length)];
      const date = { year, month, day };
      if (isHeldOut(date) !== this.#heldOut) continue;
      const question = questionOf(write(date, form));
      if (question !== undefined) return question;
    }
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

/** Characters that a date may have, in either case; then the token that begins every answer. */
const characters = ' ,-0123456789abcdefghijklmnopqrstuvwxyz';
export const startToken = characters.length;
export const vocabularySize = characters.length + 1;
const tokens = new Map(Array.from(characters, (character, token) => [character, token]));

/** Letters are read in lower case; what stands for no token is left out. */
export const tokensOf = (text: string): number[] =>
  Array.from(text.toLowerCase(), (character) => tokens.get(character) ?? -1).filter(
    (token) => token >= 0,
  );

/** `?` for the token that begins an answer, which an untrained model may write anywhere. */
export const characterOf = (token: number): string => characters.charAt(token) || '?';

/** As much of a text as the model can read. */
export const readable = (text: string): string =>
  Array.from(text)
    .filter((character) => tokens.has(character.toLowerCase()))
    .slice(0, maxDateLength)
    .join('');
