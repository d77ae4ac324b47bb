import { fail, failOption, show } from '../runtime/errors.js';
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

/** The words of the C++ struct `Capture`, which has a byte for each name. */
export function wordsOf(names: Iterable<CaptureName> = []): [first: number, last: number] {
  const words: [number, number] = [0, 0];
  for (const name of names) {
    const place = captureNames.indexOf(name);
    words[Math.floor(place / 4)] |= 1 << (8 * (place % 4));
  }
  return words;
}
