import { headList } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { isIntegerIn } from '../runtime/options.js';
import { send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { elementsOf } from '../tensor/arrays.js';
import type { LayerSettings } from './layer-options.js';

/** Whether these settings, and no list of heads yet, allow heads to be removed. */
export function checkPrunable({ projection, outputProjection }: LayerSettings): void {
  if (projection === 'convolution') {
    fail('invalid-option', 'pruneHeads', "projection 'linear'", "'convolution'");
  }
  if (!outputProjection) {
    fail('invalid-option', 'pruneHeads', 'a layer with W_o', 'one without');
  }
}

/** A list of heads, read from the caller's. */
export const readHeads = (heads: unknown, argument = 'heads'): ReadonlySet<unknown> =>
  new Set(elementsOf(argument, 'an array of integers', heads, true));

/** The heads to remove, ascending and each once; of those that share a key-value head all or none. */
export function checkHeads(
  heads: ReadonlySet<unknown>,
  { numHeads, numKvHeads }: LayerSettings,
  argument = 'heads',
): number[] {
  const given = heads as ReadonlySet<number>;
  for (const head of given) {
    if (!isIntegerIn(head, 0, numHeads - 1)) {
      fail('invalid-option', argument, `integers from 0 to ${numHeads - 1}`, show(head));
    }
  }
  if (given.size === numHeads) {
    fail('invalid-option', argument, 'at least one head to be left', `all ${numHeads}`);
  }
  const groupSize = numHeads / numKvHeads;
  for (let first = 0; first < numHeads; first += groupSize) {
    const group = Array.from({ length: groupSize }, (_, i) => first + i);
    const count = group.filter((head) => given.has(head)).length;
    if (count !== 0 && count !== groupSize) {
      const all = `all or none of the heads ${first} to ${first + groupSize - 1}, which share a key-value head`;
      fail('invalid-option', argument, all, `${count} of ${groupSize}`);
    }
  }
  return [...given].sort((a, b) => a - b);
}

/** Removes checked heads from the layer at this address. */
export function removeHeads(layer: Address, heads: readonly number[]): void {
  core().removeHeads(layer, send(headList, { heads }));
}

/** Settings of the layer that is left; all but its numbers of heads stay, the scale included. */
export function withoutHeads(settings: LayerSettings, count: number): LayerSettings {
  const numHeads = settings.numHeads - count;
  return {
    ...settings,
    numHeads,
    numKvHeads: (settings.numKvHeads / settings.numHeads) * numHeads,
    numHiddens: numHeads * settings.headSize,
  };
}
