import type { PrunedHeads } from 'headwise-records';
import { failOption } from '../runtime/errors.js';
import { elementsOf } from '../tensor/arrays.js';
import type { LayerSettings } from './layer-options.js';

/** The heads that a list names, each once. C++ checks that a layer with these settings can lose them. */
export const readHeads = (
  heads: unknown,
  { numHeads }: LayerSettings,
  argument = 'heads',
): number[] =>
  Array.from(new Set(elementsOf(argument, 'an array of integers', heads, true)), (head) =>
    typeof head === 'number'
      ? head
      : failOption(argument, `integers from 0 to ${numHeads - 1}`, head),
  );

/** Heads by layer, without layers that have none. */
export const headsByLayer = ({ layers }: PrunedHeads): Record<number, readonly number[]> =>
  Object.fromEntries(layers.flatMap(({ heads }, i) => (heads.length > 0 ? [[i, heads]] : [])));

/** The settings after `count` heads were removed. */
export function withoutHeads(settings: LayerSettings, count: number): LayerSettings {
  const numHeads = settings.numHeads - count;
  return {
    ...settings,
    numHeads,
    numKvHeads: (settings.numKvHeads / settings.numHeads) * numHeads,
    numHiddens: (settings.numHiddens / settings.numHeads) * numHeads,
  };
}
