import { fail, show } from '../runtime/errors.js';
import { isIntegerIn } from '../runtime/options.js';

/** How a cache was made. WebAssembly memory holds its contents. */
export interface CacheState {
  readonly owner: object;
  /** The owner's numbers of key-value heads when the cache was made. */
  readonly numKvHeads: string;
  readonly batchSize: number;
  readonly maxLength: number;
}

/** A call with the cache. */
export interface CacheUse extends Pick<CacheState, 'owner' | 'numKvHeads'> {
  readonly batch: number;
  readonly newKeys: number;
}

/** Fails unless the cache of `length` positions belongs to the layer or model, fits its current heads, and has room. */
export function checkCacheUse(
  kind: 'layer' | 'model',
  { owner, numKvHeads, batchSize, maxLength }: CacheState,
  length: number,
  use: CacheUse,
): void {
  if (owner !== use.owner) {
    fail('invalid-cache', 'cache', `one that this ${kind} made`, `another ${kind}'s`);
  }
  if (numKvHeads !== use.numKvHeads) {
    fail('invalid-cache', 'cache', 'one made since heads were pruned', 'an older one');
  }
  if (batchSize !== use.batch) {
    fail('invalid-cache', 'cache', `a batch size of ${use.batch}`, `${batchSize}`);
  }
  const left = maxLength - length;
  if (use.newKeys > left) {
    fail('cache-full', 'cache', `room for ${use.newKeys} positions`, `${left} of ${maxLength}`);
  }
}

/** Checks the number of positions to keep. */
export function checkKeptLength(length: number, held: number): void {
  if (!isIntegerIn(length, 0, held)) {
    fail('invalid-value', 'length', `an integer from 0 to ${held}`, show(length));
  }
}
