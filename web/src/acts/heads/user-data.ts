import { type StateDict, Tensor } from 'headwise';

import { chapterSizes, headCountsOf, type InputSizes, numHiddens } from '../../attention/input.js';
import { cutTo } from '../../format/sentences.js';
import { words } from './state-words.js';

/** Parameters of the reader's own. */
export interface UserParameters {
  /** By d2l's names, whatever they were called in the file. */
  readonly parameters: StateDict;
  /** What stood before their names in the file. */
  readonly prefix: string;
  readonly numHiddens: number;
  readonly querySize: number;
  readonly keySize: number;
  readonly valueSize: number;
}

/** What no address can hold, by the name under which one asks for it. */
export type UserFile = {
  readonly name: string;
  /** What was pasted, if it is that and no file. */
  readonly pasted?: string;
} & (UserTensors | UserParameters);

/** Longer names are cut, as an address has them. */
export const maxNameLength = 200;

/** The name that pasted numbers have in place of a file's. */
export const pastedName = 'pasted numbers';

export function userFileSizes(file: UserFile): InputSizes {
  if ('queries' in file) return userSizes(file);
  const { batch, keys } = chapterSizes;
  const lens = Array.from({ length: batch }, () => keys);
  return { batch, keys, lens, headCounts: headCountsOf(file.numHiddens, batch * keys ** 2) };
}

/** What a page can draw, and a reader take in. */
export const userLimits = { batch: 4, length: 24, size: 4096 } as const;

/** (batch, length, size) */
const maxRank = 3;

/** Queries, keys and values of the reader's own, checked. */
export interface UserTensors {
  /** (batch, queries, size) */
  readonly queries: Tensor;
  /** (batch, keys, size) */
  readonly keys: Tensor;
  /** (batch, keys, size) */
  readonly values: Tensor;
}

/**
 * Reads pasted numbers: CSV, a row a token; nested JSON arrays, (length, size) or
 * (batch, length, size); or a JSON object of these by the names queries, keys and values.
 *
 * @throws Error that says what was expected
 */
export function readNumbers(pasted: string): UserTensors {
  const written = pasted.trim();
  if (written === '') throw new Error(words.user.nothing);
  if (!/^[[{]/.test(written)) return userTensors({ queries: readCsv(written) });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    throw new Error(words.user.notJson);
  }
  return userTensors(
    Array.isArray(parsed) ? { queries: parsed } : (parsed as Partial<Record<string, unknown>>),
  );
}

/** Rows of numbers, between which anything stands that a spreadsheet writes there. */
function readCsv(written: string): number[][] {
  const lines = written.split(/\r?\n/);
  // To take a longer row apart, the page would stand still.
  const long = lines.findIndex((line) => line.length > userLimits.size * maxDigits);
  if (long >= 0) {
    throw new Error(
      words.user.longRow(long + 1, lines[long]?.length ?? 0, userLimits.size, maxDigits),
    );
  }
  if (lines.length > userLimits.length) {
    const shape = [lines.length, cellsOf(lines[0] ?? '').length];
    throw new Error(words.user.shape('queries', shape, userLimits));
  }
  return lines.map((line, row) =>
    cellsOf(line).map((cell) => {
      const value = cell === '' ? NaN : Number(cell);
      if (Number.isNaN(value)) throw new Error(words.user.notNumber(cell, row + 1));
      return value;
    }),
  );
}

/** More than any float64 is written with, the sign, the exponent and a separator included. */
const maxDigits = 32;

const cellsOf = (line: string): string[] => line.trim().split(/\s*[,;\t]\s*|\s+/);

/** The first names in a file, as far as a sentence has room for them. */
export const namesIn = (named: object): string[] =>
  Object.keys(named)
    .slice(0, maxNames + 1)
    .map((name) => cutTo(name, maxShownName));
const maxNames = 4;
const maxShownName = 60;

/**
 * What tensors mean by their names: keys left out are the queries, values left out the keys.
 *
 * @throws Error that says what was expected
 */
export function userTensors(named: Partial<Record<string, unknown>>): UserTensors {
  if (named.queries === undefined) throw new Error(words.user.noQueries(namesIn(named)));
  const queries = toSamples('queries', named.queries);
  const keys = named.keys === undefined ? queries : toSamples('keys', named.keys);
  const values = named.values === undefined ? keys : toSamples('values', named.values);
  const [batch, length] = keys.shape;
  if (queries.shape[0] !== batch || values.shape[0] !== batch || values.shape[1] !== length) {
    throw new Error(words.user.disagree([queries.shape, keys.shape, values.shape]));
  }
  return { queries, keys, values };
}

/** Numbers as (batch, length, size). */
function toSamples(name: string, given: unknown): Tensor {
  const { data, shape } = given instanceof Tensor ? given : readNested(name, given);
  const [batch = 0, length = 0, size = 0] = shape.length === 2 ? [1, ...shape] : shape;
  const hasRank = shape.length === 2 || shape.length === maxRank;
  const fits = batch <= userLimits.batch && length <= userLimits.length && size <= userLimits.size;
  if (!hasRank || !fits || data.length === 0) {
    throw new Error(words.user.shape(name, shape, userLimits));
  }
  if (!data.every(Number.isFinite)) throw new Error(words.user.notFinite(name));
  return new Tensor(data, [batch, length, size]);
}

export function userSizes({ queries, keys }: UserTensors): InputSizes {
  const [batch = 0, length = 0] = keys.shape;
  const [, numQueries = 0] = queries.shape;
  const cells = batch * numQueries * length;
  const lens = Array.from({ length: batch }, () => length);
  return { batch, keys: length, lens, headCounts: headCountsOf(numHiddens, cells) };
}

/** Nested arrays as one list of numbers. */
function readNested(
  name: string,
  given: unknown,
): { readonly data: Float32Array; readonly shape: readonly number[] } {
  const shape: number[] = [];
  for (let level = given; Array.isArray(level); level = (level as readonly unknown[])[0]) {
    shape.push(level.length);
    // No deeper: what is nested without end would exhaust the stack below.
    if (shape.length > maxRank) throw new Error(words.user.shape(name, shape, userLimits));
  }
  const data: number[] = [];
  const read = (level: unknown, axis: number): void => {
    if (axis === shape.length) {
      if (typeof level !== 'number') throw new Error(words.user.notNumbers(name));
      data.push(level);
      return;
    }
    if (!Array.isArray(level) || level.length !== shape[axis]) {
      throw new Error(words.user.uneven(name));
    }
    for (const part of level as readonly unknown[]) read(part, axis + 1);
  };
  read(given, 0);
  return { data: Float32Array.from(data), shape };
}
