import { range } from 'd3-array';

import type { AttentionView } from '../layer/attention-view.js';
import { text } from '../text/index.js';
import type { AxisNames } from './map-axes.js';

/** What the queries and keys of a sample are called: by their tokens, else by their numbers. */
export function namesOf({ input, weights }: AttentionView, sample: number): AxisNames {
  const [, , queries = 0, keys = 0] = weights.shape;
  const tokens = input.tokens?.[sample];
  return {
    queries: tokens ?? range(queries).map((query) => text.map.query(query + 1)),
    keys: tokens ?? range(keys).map((key) => text.map.key(key + 1)),
  };
}
