import { max, mean, min, range, sum } from 'd3-array';

import type { AttentionView } from '../../attention/attention-view.js';
import { plantedPatterns, targetOf } from './patterns.js';

/**
 * What a head's weights look like. `even`: nearly uniform; `single`: no query sees more than one key; `mixed`: none of
 * the patterns.
 */
export type HeadPattern = (typeof plantedPatterns)[number] | 'single' | 'mixed';

/** What a head does, averaged over all queries that see a key. */
export interface HeadSummary {
  /** In nats. */
  readonly entropy: number;
  readonly largest: number;
  readonly pattern: HeadPattern;
  /** Mean weight on the key that the best-fitting pattern asks for. */
  readonly weight: number;
  /** Mean weight on the key three back. */
  readonly onCopy: number;
}

/** A head follows a pattern if this share of its weight does… */
const clear = 0.5;
/** …and it exceeds that of the second-best pattern by this much. */
const margin = 0.2;
/** A head is even if no weight is larger than this many times an equal share. */
const nearlyEven = 1.25;

/** For each head of the sample; `undefined` where no query sees a key. */
export function summariseHeads(view: AttentionView): readonly (HeadSummary | undefined)[] {
  return range(view.numHeads).map((head) => {
    const rows = rowsOf(view, head);
    if (rows.length === 0) return undefined;
    const scores = plantedPatterns
      .map((pattern) => ({ pattern, weight: weightOn(view, head, pattern) }))
      .sort((one, other) => other.weight - one.weight);
    const [best, second] = scores;
    const isClear = best.weight > clear && best.weight - second.weight >= margin;
    return {
      entropy: mean(rows, entropyOf) ?? 0,
      largest: max(rows.flat()) ?? 0,
      pattern: withoutChoice(rows) ?? (isClear ? best.pattern : 'mixed'),
      weight: best.weight,
      onCopy: scores.find(({ pattern }) => pattern === 'copy')?.weight ?? 0,
    };
  });
}

/** The pattern of rows whose weights do not distinguish keys, if they do not. */
function withoutChoice(rows: readonly (readonly number[])[]): 'single' | 'even' | undefined {
  const free = rows.filter((row) => row.length > 1);
  if (free.length === 0) return 'single';
  const peak = max(free, (row) => row.length * (max(row) ?? 0)) ?? 0;
  return peak < nearlyEven ? 'even' : undefined;
}

/** Mean weight on the key that a pattern asks for, over the queries that see it; 0 if none does. */
function weightOn(
  { weights, isMasked }: AttentionView,
  head: number,
  pattern: (typeof plantedPatterns)[number],
): number {
  const [, , queries = 0, keys = 0] = weights.shape;
  // Patterns relate a token to others of its own sequence.
  if (queries !== keys) return 0;
  const found = range(queries).flatMap((query) => {
    const key = targetOf(pattern, query);
    if (key === undefined || isMasked(0, query, key)) return [];
    return [weights.at(0, head, query, key)];
  });
  return mean(found) ?? 0;
}

/** The weights of each query that sees a key, on the keys that it sees. */
function rowsOf({ weights, isMasked }: AttentionView, head: number): number[][] {
  const [, , queries = 0, keys = 0] = weights.shape;
  return range(queries)
    .map((query) =>
      range(keys)
        .filter((key) => !isMasked(0, query, key))
        .map((key) => weights.at(0, head, query, key)),
    )
    .filter((row) => row.length > 0);
}

function entropyOf(row: readonly number[]): number {
  return -sum(row, (weight) => (weight > 0 ? weight * Math.log(weight) : 0));
}

/** The largest difference between two heads' weights at the same cell. */
export function differenceOf({ weights, numHeads }: AttentionView): number {
  const size = weights.data.length / numHeads;
  const spreads = range(size).map((cell) => {
    const ofHeads = range(numHeads).map((head) => weights.data[head * size + cell] ?? 0);
    return (max(ofHeads) ?? 0) - (min(ofHeads) ?? 0);
  });
  const largest = max(spreads) ?? 0;
  // Rounding errors are no difference.
  return largest < 1e-6 ? 0 : largest;
}
