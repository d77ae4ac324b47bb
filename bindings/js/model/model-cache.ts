import {
  PositionCache,
  type CacheCalls,
  type CheckedCacheOptions,
} from '../layer/position-cache.js';
import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';

const calls: CacheCalls = {
  free: 'deleteModelCache',
  length: (cache) => core().modelCacheLength(cache),
  setLength(cache, length, keepsSource) {
    core().setModelCacheLength(cache, length, keepsSource);
  },
};

/**
 * KV caches of all layers of a model, and of their cross-attention to a source. Made by `Transformer.createCache`, and
 * valid for that model only, until any of its heads are pruned.
 */
export class ModelCache extends PositionCache {
  /** Checked by its presence, because a proxy can fake its class. */
  readonly #isOfModel = true;

  /** @internal */
  constructor(address: Address, options: CheckedCacheOptions) {
    super(address, options, calls);
  }

  /** @internal */
  static addressOf(cache: unknown): Address {
    if (!isObject(cache) || !(#isOfModel in cache)) {
      fail('invalid-type', 'cache', "one that the model's createCache made", show(cache));
    }
    return this.addressIn(cache, 'this model', 'another model');
  }
}
