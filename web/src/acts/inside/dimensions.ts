import { range, sum } from 'd3-array';
import { scaledDotProductAttention, Tensor } from 'headwise';

import { entropyOf } from './score.js';

/** Mean entropy of the weights, and mean p (1 − p): how much a weight changes with its own score. */
export interface Measures {
  readonly entropy: number;
  readonly gradient: number;
}

/** Means over random queries and keys of size `d`. */
export interface Dimension {
  readonly d: number;
  readonly undivided: Measures;
  readonly divided: Measures;
}

/** 1, 2, 4 … 512 */
export const dimensions: readonly number[] = range(10).map((power) => 2 ** power);

/** Sets of eight keys, and queries for each: 512 rows of weights for each d. */
const [numSets, numQueries, numKeys] = [64, 8, 8];

/** In nats, of eight equal weights. */
export const mostEntropy = Math.log(numKeys);

/** Of independent standard normal queries and keys. */
export function measureDimension(d: number): Dimension {
  const queries = Tensor.randn([1, numSets, numQueries, d], 2 * d);
  const keys = Tensor.randn([1, numSets, numKeys, d], 2 * d + 1);
  const measures = (scale: number): Measures => {
    const { attentionWeights } = scaledDotProductAttention(queries, keys, keys, {
      scale,
      returnWeights: true,
    });
    const { data } = attentionWeights;
    return {
      entropy: entropyOf(data) / (numSets * numQueries),
      gradient: sum(data, (weight) => weight * (1 - weight)) / data.length,
    };
  };
  return { d, undivided: measures(1), divided: measures(1 / Math.sqrt(d)) };
}

/** All sizes, one per task, so that the page stays responsive. */
export async function measureDimensions(onNext: (next: Dimension) => void): Promise<void> {
  for (const d of dimensions) {
    onNext(measureDimension(d));
    await new Promise((resolve) => setTimeout(resolve));
  }
}
