import { quoted } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';

interface Limits {
  readonly batch: number;
  readonly length: number;
  readonly size: number;
}

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;
/** The first of some names. */
export const some = (names: readonly string[]): string =>
  names.length === 0 ? 'nothing' : names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');

/** Numbers that were pasted, and what of them cannot be read. */
const user = {
  unreadable: 'It is damaged, or of a kind that this page does not read.',
  nothing: 'Paste rows of numbers or nested JSON arrays.',
  notJson: 'This starts like JSON but is not valid JSON: check brackets and commas.',
  notNumber: (cell: string, row: number) =>
    cell === ''
      ? `Row ${row} has an empty cell where a number was expected.`
      : `Row ${row} has “${cell.slice(0, 20)}” where a number was expected.`,
  noQueries: (names: readonly string[]) =>
    `Expected an object with queries, and keys and values if they differ; got ${some(names)}.`,
  shape: (name: string, shape: readonly number[], { batch, length, size }: Limits) =>
    `Expected ${name} of shape (tokens, size) or (samples, tokens, size) with up to ${batch} samples, ${length} tokens and ${size} numbers per token; got ${shapeOf(shape)}.`,
  longRow: (row: number, length: number, size: number, digits: number) =>
    `Expected at most ${size} numbers of up to ${digits} characters per row; row ${row} has ${length} characters.`,
  notNumbers: (name: string) => `Expected numbers; ${name} contains something else.`,
  uneven: (name: string) => `Expected rows of equal length; those of ${name} differ.`,
  notFinite: (name: string) => `Expected finite numbers; ${name} contains NaN or infinity.`,
  disagree: (shapes: readonly (readonly number[])[]) =>
    `Expected as many samples in queries, keys and values, and as many values as keys; got ${shapes.map(shapeOf).join(', ')}.`,
} as const;

/** Values in the address that this act cannot use. */
const corrections = {
  file: (name: string) =>
    `This view needs the file ${quoted(name)}, which a link cannot contain. Choose the file again to see it.`,
  pasted:
    'This view needs pasted numbers, which exceed what a link can hold. Paste them again to see it.',
  tooManyNumbers: (longest: number) =>
    `The numbers in the address are longer than ${longest} characters and were ignored.`,
  numbers: (reason: string) => `The numbers in the address cannot be read. ${reason}`,
  typed: (name: string, lines: number, tokens: number, characters: number) =>
    `The ${name} in the address is longer than ${lines} lines of ${tokens} tokens and ${characters} characters and was truncated.`,
} as const;

/** What the act says of the address before its code is loaded. */
export const words = translatable('headsState', { user, corrections });
