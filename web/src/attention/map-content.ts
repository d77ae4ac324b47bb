import { max, range } from 'd3-array';

import { formatCell, formatWeight } from '../format/numbers.js';
import type { AttentionView } from './attention-view.js';
import { weightColours } from './colour.js';
import type { CellValue, MapStyle } from './head-map.js';
import type { AxisNames } from './map-axes.js';
import { words } from './words.js';

/** Weights of a head, counted from 0, on the scale of every map, or on one of its own that ends at `largest`. */
export function weightStyle(head: number, largest?: number): MapStyle {
  return {
    colours: weightColours(head, largest),
    short: formatCell,
    spoken: ({ head, query, key }, { weight, masked, dropped = false }) =>
      words.cell({
        head: head + 1,
        query: query + 1,
        key: key + 1,
        weight: formatWeight(weight),
        masked,
        dropped,
      }),
  };
}

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

/** What the queries and keys of a sample are called: by their tokens, else by their numbers. */
export function namesOf({ input, weights }: AttentionView, sample: number): AxisNames {
  const [, , queries = 0, keys = 0] = weights.shape;
  const tokens = input.tokens?.[sample];
  return {
    queries: tokens ?? range(queries).map((query) => words.map.query(query + 1)),
    keys: tokens ?? range(keys).map((key) => words.map.key(key + 1)),
  };
}
