import { loadNpy, saveNpy, type Tensor, type TensorInput } from 'headwise';

import { text } from '../text/index.js';
import { headCountsOf, type AttentionInput, type InputSizes } from './attention-input.js';
import { numHiddens } from './chapter.js';

/** What a page can draw, and a reader take in. */
export const largestOwn = { batch: 4, length: 24, size: 4096 } as const;

/** Queries, keys and values of the reader's own, checked. */
export interface OwnTensors {
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
export function readNumbers(pasted: string): OwnTensors {
  const written = pasted.trim();
  if (written === '') throw new Error(text.own.nothing);
  if (!/^[[{]/.test(written)) return ownTensors({ queries: readCsv(written) });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    throw new Error(text.own.notJson);
  }
  return ownTensors(
    Array.isArray(parsed) ? { queries: parsed } : (parsed as Partial<Record<string, unknown>>),
  );
}

/** Rows of numbers, between which anything stands that a spreadsheet writes there. */
function readCsv(written: string): number[][] {
  const lines = written.split(/\r?\n/);
  if (lines.length > largestOwn.length) {
    const shape = [lines.length, cellsOf(lines[0] ?? '').length];
    throw new Error(text.own.shape('queries', shape, largestOwn));
  }
  return lines.map((line, row) =>
    cellsOf(line).map((cell) => {
      const value = cell === '' ? NaN : Number(cell);
      if (Number.isNaN(value)) throw new Error(text.own.notNumber(cell, row + 1));
      return value;
    }),
  );
}

const cellsOf = (line: string): string[] => line.trim().split(/\s*[,;\t]\s*|\s+/);

/**
 * What tensors mean by their names: keys left out are the queries, values left out the keys.
 *
 * @throws Error that says what was expected
 */
export function ownTensors(named: Partial<Record<string, unknown>>): OwnTensors {
  if (named.queries === undefined) throw new Error(text.own.noQueries(Object.keys(named)));
  const queries = toSamples('queries', named.queries);
  const keys = named.keys === undefined ? queries : toSamples('keys', named.keys);
  const values = named.values === undefined ? keys : toSamples('values', named.values);
  const [batch, length] = keys.shape;
  if (queries.shape[0] !== batch || values.shape[0] !== batch || values.shape[1] !== length) {
    throw new Error(text.own.disagree([queries.shape, keys.shape, values.shape]));
  }
  return { queries, keys, values };
}

/** Numbers as (batch, length, size); the package itself checks that they are numbers and even. */
function toSamples(name: string, given: unknown): Tensor {
  const { data, shape } = loadNpy(saveNpy(given as TensorInput));
  const [batch = 0, length = 0, size = 0] = shape.length === 2 ? [1, ...shape] : shape;
  const hasRank = shape.length === 2 || shape.length === 3;
  const fits = batch <= largestOwn.batch && length <= largestOwn.length && size <= largestOwn.size;
  if (!hasRank || !fits || data.length === 0) {
    throw new Error(text.own.shape(name, shape, largestOwn));
  }
  if (!data.every(Number.isFinite)) throw new Error(text.own.notFinite(name));
  return loadNpy(saveNpy({ data, shape: [batch, length, size] }));
}

export function ownSizes({ queries, keys }: OwnTensors): InputSizes {
  const [batch = 0, length = 0] = keys.shape;
  const [, numQueries = 0] = queries.shape;
  const cells = batch * numQueries * length;
  const lens = Array.from({ length: batch }, () => length);
  return { batch, keys: length, lens, headCounts: headCountsOf(numHiddens, cells) };
}

export function ownInput({ queries, keys, values }: OwnTensors): AttentionInput {
  return { queries, keys, values };
}
