import { greatest, mean, range } from 'd3-array';

import type { AttentionView } from '../../attention/attention-view.js';
import { clear, type HeadPattern, summariseHeads } from './head-summary.js';
import { type PlantedPattern, targetOf } from './patterns.js';

/**
 * The weight that a head gives to the key that a pattern asks for, in the mean of all queries, of all samples, that
 * see this key; `undefined` if none does.
 */
export function weightOn(
  { weights, isMasked }: AttentionView,
  head: number,
  pattern: PlantedPattern,
): number | undefined {
  const [batch = 0, , queries = 0, keys = 0] = weights.shape;
  return mean(
    range(batch).flatMap((sample) =>
      range(queries).flatMap((query) => {
        const key = targetOf(pattern, query);
        if (key === undefined || key >= keys || isMasked(sample, query, key)) return [];
        return [weights.at(sample, head, query, key)];
      }),
    ),
  );
}

/** What a head does with its weight, and how much of it. */
export interface Evidence {
  readonly pattern: HeadPattern;
  /** Mean weight on the key that the pattern asks for. */
  readonly weight: number;
  /** Mean weight on the key three back. */
  readonly onCopy: number;
}

/** Of those that fit equally well the first is taken: where one key is left to all, none of them looks three back. */
const lookedFor = ['firstToken', 'previousToken', 'diagonal', 'copy'] as const;

export function evidenceOf(view: AttentionView, head: number): Evidence {
  const found = lookedFor.map((pattern) => ({
    pattern,
    weight: weightOn(view, head, pattern) ?? 0,
  }));
  const onCopy = found.find(({ pattern }) => pattern === 'copy')?.weight ?? 0;
  const best = greatest(found, ({ weight }) => weight);
  if (best !== undefined && best.weight > clear) return { ...best, onCopy };
  const isEven = summariseHeads(view).every((heads) => heads[head]?.pattern === 'even');
  return { pattern: isEven ? 'even' : 'mixed', weight: 0, onCopy };
}
