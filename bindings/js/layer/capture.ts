import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { elementsOf } from '../tensor/arrays.js';
import type { Tensor } from '../tensor/tensor.js';

/**
 * What stands inside of a pass: `queries` (batch, heads, queries, head size), `keys` and `values` (batch, key-value
 * heads, keys, head size) after projection and rotation, cached ones included; `scores` (batch, heads, queries, keys and
 * extra slots), scaled, capped and masked, −∞ where masked; `pooled`, of the shape of `queries`, each head's result
 * before its gate; `droppedWeights`, of the shape of `scores`, the weights as dropout left them.
 */
export type CaptureName = 'queries' | 'keys' | 'values' | 'scores' | 'pooled' | 'droppedWeights';

/** What was captured. */
export type Captured = Partial<Record<CaptureName, Tensor>>;

export const captureNames = [
  'queries',
  'keys',
  'values',
  'scores',
  'pooled',
  'droppedWeights',
] as const satisfies readonly CaptureName[];

/** The names asked for, undefined if nothing is to be captured. */
export function checkCapture(value: unknown): ReadonlySet<CaptureName> | undefined {
  if (value === undefined) {
    return undefined;
  }
  const names = new Set<CaptureName>();
  for (const name of elementsOf('capture', 'an array of names', value)) {
    if (!(captureNames as readonly unknown[]).includes(name)) {
      fail('invalid-option', 'capture', `only ${captureNames.join(', ')}`, show(name));
    }
    if (names.has(name as CaptureName)) {
      fail('invalid-option', 'capture', 'each name once', `${show(name)} twice`);
    }
    names.add(name as CaptureName);
  }
  return names;
}

/** Where each of them is written, as records call it. */
export const capturedFields = (at: Readonly<Partial<Record<CaptureName, Address>>>) => ({
  capturedQueries: at.queries,
  capturedKeys: at.keys,
  capturedValues: at.values,
  capturedScores: at.scores,
  capturedPooled: at.pooled,
  droppedWeights: at.droppedWeights,
});

/** The shape of each of them without the batch axis. */
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
