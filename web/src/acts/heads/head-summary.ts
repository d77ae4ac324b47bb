import { max, mean, range, sum } from 'd3-array';
import { keyScores, patternScores, Tensor } from 'headwise/models';

import type { AttentionView } from '../../attention/attention-view.js';
import { targetOf } from './patterns.js';

export type HeadPattern = 'previousToken' | 'firstToken' | 'diagonal' | 'copy' | 'even' | 'mixed';

/** What a head does in one sample, in the mean over all queries that see a key. */
export interface HeadSummary {
  /** In nats. */
  readonly entropy: number;
  readonly largest: number;
  readonly pattern: HeadPattern;
}

/** A head follows a pattern if most of its weight does. */
export const clear = 0.5;
/** A head is even if no query gives a key more than this many times what equal weights would. */
const nearlyEven = 1.25;

/** For each sample and head; `undefined` where no query sees a key. */
export function summariseHeads(
  view: AttentionView,
): readonly (readonly (HeadSummary | undefined)[])[] {
  const [batch = 0] = view.weights.shape;
  return range(batch).map((sample) => {
    const followed = patternsOf(view, sample);
    return range(view.numHeads).map((head) => {
      const rows = rowsOf(view, sample, head);
      return rows.length === 0 ? undefined : summarise(rows, followed(head));
    });
  });
}

function summarise(
  rows: readonly (readonly number[])[],
  [pattern, score]: [HeadPattern, number],
): HeadSummary {
  const entropies = rows.map((row) => entropyOf(row));
  const free = rows.filter((row) => row.length > 1);
  const peak = max(free, (row) => row.length * (max(row) ?? 0)) ?? Infinity;
  return {
    entropy: mean(entropies) ?? 0,
    largest: max(rows.flat()) ?? 0,
    pattern: peak < nearlyEven ? 'even' : score > clear ? pattern : 'mixed',
  };
}

/** The weights of each query on the keys that it sees, where it sees any. */
function rowsOf({ weights, isMasked }: AttentionView, sample: number, head: number): number[][] {
  const [, , queries = 0, keys = 0] = weights.shape;
  return range(queries)
    .map((query) =>
      range(keys)
        .filter((key) => !isMasked(sample, query, key))
        .map((key) => weights.at(sample, head, query, key)),
    )
    .filter((row) => row.length > 0);
}

function entropyOf(row: readonly number[]): number {
  return -sum(row, (weight) => (weight > 0 ? weight * Math.log(weight) : 0));
}

/** For each head, the pattern that it follows best in a sample, and how much of its weight does. */
function patternsOf(
  { weights }: AttentionView,
  sample: number,
): (head: number) => [HeadPattern, number] {
  const [, heads = 0, queries = 0, keys = 0] = weights.shape;
  // Where queries and keys are not the same tokens, none of the patterns means anything.
  if (queries !== keys) return () => ['mixed', 0];
  const size = heads * queries * keys;
  const data = weights.data.subarray(sample * size, (sample + 1) * size);
  const ofSample = new Tensor(data, [heads, queries, keys]);
  const scores = patternScores(ofSample);
  const copied = range(queries).map((query) => targetOf('copy', query) ?? -1);
  const copies = keyScores(ofSample, copied);
  return (head) => {
    const { previousToken, firstToken, diagonal } = scores[head];
    const all: [HeadPattern, number][] = [
      ['previousToken', previousToken],
      ['firstToken', firstToken],
      ['diagonal', diagonal],
      ['copy', copies[head]],
    ];
    return all.reduce((best, next) => (next[1] > best[1] ? next : best));
  };
}
