import {
  Cache,
  type CacheKind,
  type CacheUser,
  type CheckedCacheOptions,
  type HeldCache,
} from '../layer/cache.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import type { Address } from '../runtime/memory.js';
import { core } from '../runtime/wasm.js';

const kind: CacheKind = {
  of: 'model',
  expected: "one that the model's createCache made",
  deleteCall: 'deleteModelCache',
  length: (cache) => core().modelCacheLength(cache),
  truncate: (cache, length) => {
    core().setModelCacheLength(cache, length, 1);
  },
  reset: (cache) => {
    core().setModelCacheLength(cache, 0, 0);
  },
};

/** A cache, checked for a pass of its model. */
export interface HeldModelCache extends HeldCache {
  /** Number of the source's positions; undefined without a source. */
  readonly sourceLength: number | undefined;
  readonly hasPadding: boolean;
}

/** A cache's model. If heads of these layers are pruned, the cache becomes invalid. */
export interface ModelCacheOwner {
  readonly owner: object;
  readonly layers: Readonly<Record<'self' | 'cross', readonly MultiHeadAttention[]>>;
}

const userOf = ({ owner, layers: { self, cross } }: ModelCacheOwner): CacheUser => ({
  owner,
  numKvHeads: [...self, ...cross].map(({ numKvHeads }) => numKvHeads).join(),
});

/**
 * KV caches of all layers of a model, and of their cross-attention to a source. Made by `Transformer.createCache`, and
 * valid for that model only, until heads of it are pruned.
 */
export class ModelCache extends Cache {
  /** @internal */
  constructor(owner: ModelCacheOwner, address: Address, options: CheckedCacheOptions) {
    super(kind, userOf(owner), address, options);
  }

  /** @internal */
  static heldBy(
    cache: unknown,
    owner: ModelCacheOwner,
    batch: number,
    newKeys: number,
  ): HeldModelCache {
    const held = Cache.held(kind, cache, userOf(owner), batch, newKeys);
    const sourceLength = core().modelCacheSourceLength(held.address);
    return {
      ...held,
      sourceLength: sourceLength < 0 ? undefined : sourceLength,
      hasPadding: core().modelCacheHasPadding(held.address) === 1,
    };
  }
}
