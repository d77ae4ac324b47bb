import { range } from 'd3-array';

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
  { weights, isMasked }: AttentionView,
  sample: number,
  head: number,
): (query: number, key: number) => CellValue {
  return (query, key) => ({
    weight: weights.at(sample, head, query, key),
    masked: isMasked(sample, query, key),
  });
}

/** Names of queries and keys: q1, k1 and so on. */
export function namesOf({ weights }: AttentionView): AxisNames {
  const [, , queries = 0, keys = 0] = weights.shape;
  return {
    queries: range(queries).map((query) => words.map.query(query + 1)),
    keys: range(keys).map((key) => words.map.key(key + 1)),
  };
}
