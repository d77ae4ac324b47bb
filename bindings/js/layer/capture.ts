import { fail, failOption, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { elementsOf } from '../tensor/arrays.js';
import type { Tensor } from '../tensor/tensor.js';

/**
 * Intermediate results of a pass:
 * - `queries` (batch, heads, queries, head size), `keys` and `values` (batch, key-value heads, keys, head size), after
 *   projection and rotation, including cached ones
 * - `scores` (batch, heads, queries, keys + extra slots), scaled, capped and masked, −∞ where masked
 * - `pooled` (batch, heads, queries, head size), each head's result before its gate
 * - `droppedWeights` (batch, heads, queries, keys + extra slots), the weights after dropout
 *
 * Without a batch axis if the inputs have none.
 */
export type CaptureName = 'queries' | 'keys' | 'values' | 'scores' | 'pooled' | 'droppedWeights';

/** The captured results. */
export type Captured = Partial<Record<CaptureName, Tensor>>;

export const captureNames = [
  'queries',
  'keys',
  'values',
  'scores',
  'pooled',
  'droppedWeights',
] as const satisfies readonly CaptureName[];

/** Returns the requested names; undefined if nothing is captured. */
export function checkCapture(value: unknown): ReadonlySet<CaptureName> | undefined {
  if (value === undefined) {
    return undefined;
  }
  const names = new Set<CaptureName>();
  for (const name of elementsOf('capture', 'an array of names', value)) {
    if (!(captureNames as readonly unknown[]).includes(name)) {
      failOption('capture', `only ${captureNames.join(', ')}`, name);
    }
    if (names.has(name as CaptureName)) {
      fail('invalid-option', 'capture', 'each name once', `${show(name)} twice`);
    }
    names.add(name as CaptureName);
  }
  return names;
}

/** The addresses of the captured results, by the record's names. */
export const capturedFields = (at: Readonly<Partial<Record<CaptureName, Address>>>) => ({
  capturedQueries: at.queries,
  capturedKeys: at.keys,
  capturedValues: at.values,
  capturedScores: at.scores,
  capturedPooled: at.pooled,
  droppedWeights: at.droppedWeights,
});

/** The shape of each captured result, without the batch axis. */
export function captureShapes(sizes: {
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headSize: number;
  readonly numQueries: number;
  readonly numKeys: number;
  readonly numExtraSlots: number;
}): Readonly<Record<CaptureName, readonly number[]>> {
  const { numHeads, numKvHeads, headSize, numQueries, numKeys } = sizes;
  const queries = [numHeads, numQueries, headSize];
  const keys = [numKvHeads, numKeys, headSize];
  const scores = [numHeads, numQueries, numKeys + sizes.numExtraSlots];
  return { queries, keys, values: keys, scores, pooled: queries, droppedWeights: scores };
}
