import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';
import { PositionCache, type CacheCalls, type CheckedCacheOptions } from './position-cache.js';

const calls: CacheCalls = {
  free: 'deleteCache',
  length: (cache) => core().cacheLength(cache),
  setLength(cache, length) {
    core().setCacheLength(cache, length);
  },
};

/**
 * KV cache: projected keys and values of earlier positions, for decoding. Made by `MultiHeadAttention.createCache`, and
 * valid for that layer until its heads are pruned.
 */
export class KeyValueCache extends PositionCache {
  /** Checked by its presence, because a proxy can fake its class. */
  readonly #isOfLayer = true;

  /** @internal */
  constructor(address: Address, options: CheckedCacheOptions) {
    super(address, options, calls);
  }

  /** @internal */
  static addressOf(cache: unknown): Address {
    if (!isObject(cache) || !(#isOfLayer in cache)) {
      fail('invalid-type', 'cache', 'one that createCache made', show(cache));
    }
    return this.addressIn(cache, 'this layer', 'another layer');
  }
}
