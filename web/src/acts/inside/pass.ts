import { max, range, sum } from 'd3-array';

import type { Inside } from '../../worker/inside.js';
import type { Axis, Part } from './steps.js';

/** Numbers by row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/** One forward pass of a layer, with every number from its input to its output. */
export interface Pass extends Omit<Inside, 'arrays'> {
  /** Whether the layer is part of a trained model, and reads the reader's sentence. */
  readonly isModel: boolean;
  readonly headSize: number;
  readonly hiddens: number;
  readonly lengthOf: Readonly<Record<Axis, number>>;
  /** The numbers of a part; where each head has its own, those of `head`, from 0. */
  readonly matrixOf: (part: Part, head: number) => Matrix;
  readonly isMasked: (query: number, key: number) => boolean;
  readonly hasMask: boolean;
  /** The largest magnitude on the colour scale of a part. */
  readonly largestOf: (part: Part, head: number) => number;
  /** The head that has keys and values for `head`. */
  readonly kvHeadOf: (head: number) => number;
}

/** Parts that share a colour scale. */
const scales: readonly (readonly Part[])[] = [
  ['W_q', 'W_k', 'W_v', 'W_o'],
  ['queries', 'keys', 'values', 'q', 'k', 'v', 'pooled', 'concat'],
  ['scores', 'masked'],
];

/** Whether each head has its own. */
const isOfHead = (part: Part): boolean =>
  ['q', 'k', 'v', 'dots', 'scores', 'masked', 'weights', 'pooled'].includes(part);

const largestIn = (data: Float32Array): number =>
  max(data, (value) => (Number.isFinite(value) ? Math.abs(value) : 0)) ?? 0;

export function passOf(inside: Inside, isModel: boolean): Pass {
  const { arrays, numHeads, numKvHeads, scale } = inside;
  const tokens = inside.tokens.map((token) => token.trim() || '␣');
  const length = tokens.length;
  const headSize = arrays.q.length / numHeads / length;
  const hiddens = arrays.X.length / length;
  const kvHeadOf = (head: number): number => Math.floor(head / (numHeads / numKvHeads));
  const columnsOf = {
    ...{ X: hiddens, W_q: hiddens, W_k: hiddens, W_v: hiddens, output: hiddens },
    ...{ queries: numHeads * headSize, concat: numHeads * headSize, W_o: numHeads * headSize },
    ...{ keys: numKvHeads * headSize, values: numKvHeads * headSize },
    ...{ q: headSize, k: headSize, v: headSize, pooled: headSize },
    ...{ masked: length, weights: length },
  } as const;
  const known = new Map<string, Matrix>();
  const make = (part: Part, head: number): Matrix => {
    if (part === 'dots') {
      const [q, k] = [matrixOf('q', head), matrixOf('k', head)].map(({ data }) => data);
      const units = range(headSize);
      const dot = (query: number, key: number): number =>
        sum(units, (unit) => q[query * headSize + unit] * k[key * headSize + unit]);
      const data = Float32Array.from({ length: length ** 2 }, (_, at) =>
        dot(Math.floor(at / length), at % length),
      );
      return { rows: length, columns: length, data };
    }
    if (part === 'scores') {
      const data = matrixOf('dots', head).data.map((product) => product * scale);
      return { rows: length, columns: length, data };
    }
    const [columns, data] = [columnsOf[part], arrays[part]];
    if (!isOfHead(part)) return { rows: data.length / columns, columns, data };
    const at = (part === 'k' || part === 'v' ? kvHeadOf(head) : head) * length * columns;
    return { rows: length, columns, data: data.subarray(at, at + length * columns) };
  };
  const matrixOf = (part: Part, head: number): Matrix => {
    const name = `${part} ${head}`;
    const matrix = known.get(name) ?? make(part, head);
    known.set(name, matrix);
    return matrix;
  };
  const largest = new Map<string, number>();
  const isMasked = (query: number, key: number): boolean =>
    arrays.masked[query * length + key] === -Infinity;
  return {
    ...inside,
    ...{ tokens, isModel, headSize, hiddens, matrixOf, isMasked, kvHeadOf },
    lengthOf: {
      ...{ batch: 1, heads: numHeads, batchHeads: numHeads, queries: length, keys: length },
      ...{ hiddens, headSize },
    },
    hasMask: arrays.masked.includes(-Infinity),
    largestOf(part, head) {
      const shared = scales.find((parts) => parts.includes(part)) ?? [part];
      const name = `${shared.join()} ${head}`;
      const found =
        largest.get(name) ?? max(shared, (each) => largestIn(matrixOf(each, head).data)) ?? 0;
      largest.set(name, found);
      return found;
    },
  };
}

/** The shape of a part, of all heads where each has its own. */
export function shapeOf(pass: Pass, part: Part): number[] {
  const { rows, columns } = pass.matrixOf(part, 0);
  if (part === 'k' || part === 'v') return [pass.numKvHeads, rows, columns];
  return isOfHead(part) ? [pass.numHeads, rows, columns] : [rows, columns];
}

/** The rows of W_q, W_k and W_v, or the columns of what holds all heads, that belong to a head; as shares of 1. */
export function shareOf(
  pass: Pass,
  part: Part,
  head: number,
):
  { readonly along: 'rows' | 'columns'; readonly from: number; readonly size: number } | undefined {
  const isOfKeys = ['W_k', 'W_v', 'keys', 'values'].includes(part);
  const [count, at] = isOfKeys ? [pass.numKvHeads, pass.kvHeadOf(head)] : [pass.numHeads, head];
  const share = { from: at / count, size: 1 / count };
  if (['W_q', 'W_k', 'W_v'].includes(part)) return { along: 'rows', ...share };
  const hasColumns = ['queries', 'keys', 'values', 'concat', 'W_o'].includes(part);
  return hasColumns ? { along: 'columns', ...share } : undefined;
}
