import type { Address } from '../runtime/memory.js';
import { core } from '../runtime/wasm.js';
import {
  Cache,
  type CacheKind,
  type CacheUser,
  type CheckedCacheOptions,
  type HeldCache,
} from './cache.js';

const kind: CacheKind = {
  of: 'layer',
  expected: 'one that createCache made',
  deleteCall: 'deleteCache',
  length: (cache) => core().cacheLength(cache),
  truncate: (cache, length) => {
    core().setCacheLength(cache, length);
  },
  reset: (cache) => {
    core().setCacheLength(cache, 0);
  },
};

/** A cache's layer. If its heads are pruned, the cache becomes invalid. */
export interface CacheOwner {
  readonly owner: object;
  readonly settings: { readonly numKvHeads: number };
}

const userOf = ({ owner, settings }: CacheOwner): CacheUser => ({
  owner,
  numKvHeads: String(settings.numKvHeads),
});

/**
 * KV cache: projected keys and values of earlier positions, for decoding. Made by `MultiHeadAttention.createCache`, and
 * valid for that layer until its heads are pruned.
 */
export class KeyValueCache extends Cache {
  /** @internal */
  constructor(owner: CacheOwner, address: Address, options: CheckedCacheOptions) {
    super(kind, userOf(owner), address, options);
  }

  /** @internal */
  static heldBy(cache: unknown, owner: CacheOwner, batch: number, newKeys: number): HeldCache {
    return Cache.held(kind, cache, userOf(owner), batch, newKeys);
  }
}
