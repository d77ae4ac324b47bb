import { max } from 'd3-array';

import type { AttentionView } from '../layer/attention-view.js';
import type { CellValue } from './head-map.js';

/** What the cells of one head's map show. */
export function valuesOf(
  { weights, kept, isMasked }: AttentionView,
  sample: number,
  head: number,
): (query: number, key: number) => CellValue {
  return (query, key) => {
    const weight = weights.at(sample, head, query, key);
    return {
      weight,
      masked: isMasked(sample, query, key),
      dropped: weight !== 0 && kept?.at(sample, head, query, key) === 0,
    };
  };
}

/** The largest weight of one head, for all samples. */
export function largestOf({ weights }: AttentionView, head: number): number {
  const [batch = 0, heads = 0, queries = 0, keys = 0] = weights.shape;
  const size = queries * keys;
  const largest = Array.from({ length: batch }, (_none, sample) => {
    const start = (sample * heads + head) * size;
    return max(weights.data.subarray(start, start + size)) ?? 0;
  });
  return max(largest) ?? 0;
}
