import { quoted } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';

interface Limits {
  readonly length: number;
  readonly size: number;
}

/** The first of some names. */
const some = (names: readonly string[]): string =>
  names.length === 0 ? 'nothing' : names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');

const shapeOf = (shape: readonly number[]): string => `(${shape.join(', ')})`;

/** What the act says of the address and of the reader's numbers, also before its code is loaded. */
export const words = translatable('keysState', {
  user: {
    unreadable: 'It is damaged, or of a kind that this page does not read.',
    nothing: 'Paste rows of numbers or nested JSON arrays.',
    notJson: 'This starts like JSON but is not valid JSON: check brackets and commas.',
    notNumber: (cell: string, row: number) =>
      cell === ''
        ? `Row ${row} has an empty cell where a number was expected.`
        : `Row ${row} has “${cell.slice(0, 20)}” where a number was expected.`,
    noQueries: (names: readonly string[]) =>
      `Expected queries, and keys and values if they differ; got ${some(names)}.`,
    shape: (name: string, shape: readonly number[], { length, size }: Limits) =>
      `Expected ${name} of shape (tokens, size) with up to ${length} tokens and ${size} numbers per token; got ${shapeOf(shape)}.`,
    notNumbers: (name: string) => `Expected numbers; ${name} contains something else.`,
    uneven: (name: string) => `Expected rows of equal length; those of ${name} differ.`,
    notFinite: (name: string) => `Expected finite numbers; ${name} contains NaN or infinity.`,
    disagree: (shapes: readonly (readonly number[])[]) =>
      `Expected as many values as keys; got keys of shape ${shapes.map(shapeOf).join(' and values of shape ')}.`,
  },
  corrections: {
    file: (name: string) =>
      `This view needs the file ${quoted(name)}, which a link cannot contain. Choose the file again to see it.`,
    tooManyNumbers: (longest: number) =>
      `The numbers in the address are longer than ${longest} characters and were ignored.`,
    numbers: (reason: string) => `The numbers in the address cannot be read. ${reason}`,
  },
});
