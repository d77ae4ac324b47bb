import { Tensor } from 'headwise';

import type { AttentionInput } from '../../attention/attention-view.js';
import { formatShape } from '../../format/numbers.js';
import { cutTo, listOf, quoted } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';

/** What the act says of the address and of the reader's numbers, also before its code is loaded. */
export const dataWords = translatable('keysState', {
  user: {
    unreadable: 'It is damaged, or of a kind that this page does not read.',
    noNames: 'nothing',
    nothing: 'Paste rows of numbers or nested JSON arrays.',
    notJson: 'This starts like JSON but is not valid JSON: check brackets and commas.',
    emptyCell: (row: number) => `Row ${row} has an empty cell where a number was expected.`,
    notNumber: (row: number, cell: string) =>
      `Row ${row} has “${cell}” where a number was expected.`,
    noQueries: (names: string) =>
      `Expected queries, and keys and values if they differ; got ${names}.`,
    shape: (
      name: string,
      shape: string,
      { length, size }: Readonly<Record<'length' | 'size', number>>,
    ) =>
      `Expected ${name} of shape (tokens, size) with up to ${length} tokens and ${size} numbers per token; got ${shape}.`,
    notNumbers: (name: string) => `Expected numbers; ${name} contains something else.`,
    uneven: (name: string) => `Expected rows of equal length; those of ${name} differ.`,
    notFinite: (name: string) => `Expected finite numbers; ${name} contains NaN or infinity.`,
    disagree: (keys: string, values: string) =>
      `Expected as many values as keys; got keys of shape ${keys} and values of shape ${values}.`,
    tooLarge: (size: number, largest: number) => `Expected at most ${largest} MB; got ${size} MB.`,
    unknownFile: (name: string) =>
      `Expected a .npy, .safetensors, .json or .csv file; got ${name}.`,
  },
  corrections: {
    file: (name: string) =>
      `This view needs the file ${quoted(name)}, which a link cannot contain. Choose the file again to see it.`,
    tooManyNumbers: (longest: number) =>
      `The numbers in the address are longer than ${longest} characters and were ignored.`,
    numbers: (reason: string) => `The numbers in the address cannot be read. ${reason}`,
  },
});

/** The reader's queries, keys and values: one sample, checked. */
export interface UserFile extends AttentionInput {
  readonly name: string;
}

/** Longer names are truncated, as in the address. */
export const maxNameLength = 200;

/** What a page can draw, and a reader take in. */
export const userLimits = { length: 16, size: 4096 } as const;

/**
 * Reads pasted numbers: CSV with a token per row; nested JSON arrays of shape (tokens, size); or a JSON object
 * of such arrays named queries, keys and values.
 *
 * @throws Error that says what was expected
 */
export function readNumbers(pasted: string): AttentionInput {
  const written = pasted.trim();
  if (written === '') throw new Error(dataWords.user.nothing);
  if (!/^[[{]/.test(written)) return userTensors({ queries: readCsv(written) });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    throw new Error(dataWords.user.notJson);
  }
  return userTensors(
    Array.isArray(parsed) ? { queries: parsed } : (parsed as Partial<Record<string, unknown>>),
  );
}

/** Rows of numbers, with any of the separators that spreadsheets write. */
function readCsv(written: string): number[][] {
  const lines = written.split(/\r?\n/);
  if (lines.length > userLimits.length) {
    const shape = formatShape([lines.length, cellsOf(lines[0] ?? '').length]);
    throw new Error(dataWords.user.shape('queries', shape, userLimits));
  }
  return lines.map((line, row) =>
    cellsOf(line).map((cell) => {
      const value = Number(cell);
      if (cell === '') throw new Error(dataWords.user.emptyCell(row + 1));
      if (Number.isNaN(value))
        throw new Error(dataWords.user.notNumber(row + 1, cell.slice(0, 20)));
      return value;
    }),
  );
}

const cellsOf = (line: string): string[] => line.trim().split(/\s*[,;\t]\s*|\s+/);

/**
 * Queries, keys and values by their names: keys default to the queries, values to the keys.
 *
 * @throws Error that says what was expected
 */
export function userTensors(named: Partial<Record<string, unknown>>): AttentionInput {
  if (named.queries === undefined) {
    // A sentence has room for some names of some length.
    const all = Object.keys(named);
    const names = [...all.slice(0, 4), ...(all.length > 4 ? ['…'] : [])];
    const got = listOf(names.map((name) => cutTo(name, 60))) || dataWords.user.noNames;
    throw new Error(dataWords.user.noQueries(got));
  }
  const queries = toSample('queries', named.queries);
  const keys = named.keys === undefined ? queries : toSample('keys', named.keys);
  const values = named.values === undefined ? keys : toSample('values', named.values);
  if (values.shape[1] !== keys.shape[1]) {
    const [ofKeys, ofValues] = [keys, values].map(({ shape }) => formatShape(shape.slice(1)));
    throw new Error(dataWords.user.disagree(ofKeys, ofValues));
  }
  return { queries, keys, values };
}

/** Numbers of shape (tokens, size) or (1, tokens, size) as the latter. */
function toSample(name: string, given: unknown): Tensor {
  const { data, shape } = given instanceof Tensor ? given : readNested(name, given);
  const [batch = 0, length = 0, size = 0] = shape.length === 2 ? [1, ...shape] : shape;
  const hasRank = shape.length === 2 || shape.length === 3;
  const fits = batch === 1 && length <= userLimits.length && size <= userLimits.size;
  if (!hasRank || !fits || data.length === 0) {
    throw new Error(dataWords.user.shape(name, formatShape(shape), userLimits));
  }
  if (!data.every(Number.isFinite)) throw new Error(dataWords.user.notFinite(name));
  return new Tensor(data, [batch, length, size]);
}

/** Nested arrays as a list of numbers and its shape. */
function readNested(
  name: string,
  given: unknown,
): { readonly data: Float32Array; readonly shape: readonly number[] } {
  const shape: number[] = [];
  for (let level = given; Array.isArray(level); level = (level as readonly unknown[])[0]) {
    shape.push(level.length);
    // Endless nesting would overflow the stack below.
    if (shape.length > 3)
      throw new Error(dataWords.user.shape(name, formatShape(shape), userLimits));
  }
  const data: number[] = [];
  const read = (level: unknown, axis: number): void => {
    if (axis === shape.length) {
      if (typeof level !== 'number') throw new Error(dataWords.user.notNumbers(name));
      data.push(level);
      return;
    }
    if (!Array.isArray(level) || level.length !== shape[axis]) {
      throw new Error(dataWords.user.uneven(name));
    }
    for (const part of level as readonly unknown[]) read(part, axis + 1);
  };
  read(given, 0);
  return { data: Float32Array.from(data), shape };
}
