import { headList } from 'headwise-records';
import { fail, failOption } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { isIntegerIn } from '../runtime/options.js';
import { send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { elementsOf } from '../tensor/arrays.js';
import type { LayerSettings } from './layer-options.js';

/** Checks that heads of a layer with these settings can be removed. */
export function checkPrunable({ projection, outputProjection }: LayerSettings): void {
  if (projection === 'convolution') {
    fail('invalid-option', 'pruneHeads', "projection 'linear'", "'convolution'");
  }
  if (!outputProjection) {
    fail('invalid-option', 'pruneHeads', 'a layer with W_o', 'one without');
  }
}

/** Reads the caller's list of heads. */
export const readHeads = (heads: unknown, argument = 'heads'): ReadonlySet<unknown> =>
  new Set(elementsOf(argument, 'an array of integers', heads, true));

/** Checks the heads to remove and sorts them. Heads that share a key-value head must be removed together. */
export function checkHeads(
  heads: ReadonlySet<unknown>,
  { numHeads, numKvHeads }: LayerSettings,
  argument = 'heads',
): number[] {
  const given = heads as ReadonlySet<number>;
  for (const head of given) {
    if (!isIntegerIn(head, 0, numHeads - 1)) {
      failOption(argument, `integers from 0 to ${numHeads - 1}`, head);
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

/** The settings after `count` heads were removed. The scale stays. */
export function withoutHeads(settings: LayerSettings, count: number): LayerSettings {
  const numHeads = settings.numHeads - count;
  return {
    ...settings,
    numHeads,
    numKvHeads: (settings.numKvHeads / settings.numHeads) * numHeads,
    numHiddens: numHeads * settings.headSize,
  };
}
