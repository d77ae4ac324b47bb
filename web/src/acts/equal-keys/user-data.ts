import { Tensor } from 'headwise';

import { cutTo } from '../../format/sentences.js';
import { words } from './state-words.js';

/** The reader's queries, keys and values: one sample, checked. */
export interface UserTensors {
  /** (1, queries, size) */
  readonly queries: Tensor;
  /** (1, keys, size) */
  readonly keys: Tensor;
  /** (1, keys, size) */
  readonly values: Tensor;
}

export interface UserFile extends UserTensors {
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

/** Rows of numbers, with any of the separators that spreadsheets write. */
function readCsv(written: string): number[][] {
  const lines = written.split(/\r?\n/);
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

const cellsOf = (line: string): string[] => line.trim().split(/\s*[,;\t]\s*|\s+/);

/**
 * Queries, keys and values by their names: keys default to the queries, values to the keys.
 *
 * @throws Error that says what was expected
 */
export function userTensors(named: Partial<Record<string, unknown>>): UserTensors {
  if (named.queries === undefined) {
    // A sentence has room for some names of some length.
    const names = Object.keys(named).slice(0, 5);
    throw new Error(words.user.noQueries(names.map((name) => cutTo(name, 60))));
  }
  const queries = toSample('queries', named.queries);
  const keys = named.keys === undefined ? queries : toSample('keys', named.keys);
  const values = named.values === undefined ? keys : toSample('values', named.values);
  if (values.shape[1] !== keys.shape[1]) {
    throw new Error(words.user.disagree([keys.shape.slice(1), values.shape.slice(1)]));
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
    throw new Error(words.user.shape(name, shape, userLimits));
  }
  if (!data.every(Number.isFinite)) throw new Error(words.user.notFinite(name));
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
    if (shape.length > 3) throw new Error(words.user.shape(name, shape, userLimits));
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
