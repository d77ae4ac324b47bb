import { deviation, maxIndex, range, sum } from 'd3-array';

import { entropyOf } from '../../attention/attention-view.js';
import type { Pass } from './pass.js';
import type { InsideState } from './state.js';

/** A query of a head against the keys it may attend to. */
export interface Scored {
  /** From 0. */
  readonly query: number;
  /** The chosen one. */
  readonly key: number;
  readonly q: Float32Array;
  readonly keys: readonly ScoredKey[];
  /** Of all scores of the head. */
  readonly deviation: number;
  /** Of the weights, in nats. */
  readonly entropy: number;
}

export interface ScoredKey {
  /** From 0. */
  readonly key: number;
  readonly k: Float32Array;
  /** q · k */
  readonly dot: number;
  /** q · k divided by the divisor. */
  readonly score: number;
  readonly weight: number;
}

/** By what the layer itself divides: √d, unless it has a factor of its own. */
export const ownDivisor = ({ scale }: Pass): number => 1 / scale;

export const isOwnDivisorRoot = (pass: Pass): boolean =>
  Math.abs(ownDivisor(pass) / Math.sqrt(pass.headSize) - 1) < 1e-6;

/** @param head from 0 */
export function scoreOf(
  pass: Pass,
  head: number,
  { query: wanted, key: wantedKey, divisor: given }: Pick<InsideState, 'query' | 'key' | 'divisor'>,
): Scored {
  const length = pass.tokens.length;
  const divisor = given === 0 ? ownDivisor(pass) : given;
  const query = wanted === 0 ? length - 1 : Math.min(wanted, length) - 1;
  const rowOf = (part: 'q' | 'k', row: number): Float32Array => {
    const { columns, data } = pass.matrixOf(part, head);
    return data.subarray(row * columns, (row + 1) * columns);
  };
  const dots = pass.matrixOf('dots', head).data;
  const open = (row: number): number[] => range(length).filter((key) => !pass.isMasked(row, key));
  const scoresOf = (row: number): number[] =>
    open(row).map((key) => (dots[row * length + key] ?? NaN) / divisor);
  const scores = scoresOf(query);
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = sum(powers);
  const keys = open(query).map((key, at) => ({
    ...{ key, k: rowOf('k', key), dot: dots[query * length + key] ?? NaN },
    ...{ score: scores[at] ?? NaN, weight: (powers[at] ?? NaN) / total },
  }));
  const isOpen = keys.some(({ key }) => key === wantedKey - 1);
  const key = isOpen ? wantedKey - 1 : (open(query)[maxIndex(scores)] ?? 0);
  return {
    ...{ query, key, q: rowOf('q', query), keys },
    deviation: deviation(range(length).flatMap(scoresOf)) ?? 0,
    entropy: entropyOf(keys.map(({ weight }) => weight)),
  };
}

/** A component of the query times that of a key. */
export interface Product {
  /** From 0. */
  readonly column: number;
  readonly q: number;
  readonly k: number;
  readonly product: number;
  /** The sum of the products before this one, and with it. */
  readonly before: number;
  readonly after: number;
}

/** The products whose sum is the dot product of the query and the chosen key. */
export function productsOf({ q, keys, key }: Scored, order: InsideState['order']): Product[] {
  const chosen = keys.find((each) => each.key === key);
  const all = Array.from(q, (value, column) => {
    const other = chosen?.k[column] ?? NaN;
    return { column, q: value, k: other, product: value * other };
  });
  if (order === 'product') all.sort((a, b) => b.product - a.product);
  let after = 0;
  return all.map((each) => {
    const before = after;
    after += each.product;
    return { ...each, before, after };
  });
}
