import { maxIndex } from 'd3-array';
import type { Tensor } from 'headwise';

import type { Cell } from '../figure/cell.js';

/** Where the largest of all weights stands. */
export function findLargest(weights: Tensor): Cell {
  const [, heads = 1, queries = 1, keys = 1] = weights.shape;
  const flat = maxIndex(weights.data);
  return {
    sample: Math.floor(flat / (heads * queries * keys)),
    head: Math.floor(flat / (queries * keys)) % heads,
    query: Math.floor(flat / keys) % queries,
    key: flat % keys,
  };
}
