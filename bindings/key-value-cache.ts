/// <reference lib="esnext.disposable" preserve="true" />
import { core } from './core.js';
import { fail, HeadwiseError, show } from './errors.js';
import { checkOptions, checkSize } from './options.js';

export interface CacheOptions {
  /** Samples of every forward with the cache. At least 1. */
  batchSize: number;
  /** Positions that it can hold. At least 1. */
  maxLength: number;
}

export function checkCacheOptions(options: CacheOptions): CacheOptions {
  const given = checkOptions<CacheOptions>(options, ['batchSize', 'maxLength']);
  return {
    batchSize: checkSize('batchSize', given.batchSize),
    maxLength: checkSize('maxLength', given.maxLength),
  };
}

/** Caches that were dropped without `dispose` give their WebAssembly memory back when they are collected. */
const forgotten = new FinalizationRegistry<number>((address) => {
  core().deleteCache(address);
});

/** A cache as a call of its layer uses it. */
export interface HeldCache {
  /** In WebAssembly memory. */
  readonly address: number;
  /** Positions held before the call. */
  readonly length: number;
  /** Counts positions that the call added. */
  readonly append: (positions: number) => void;
}

/** Whom a cache goes with: a layer, as long as no heads of it are pruned. */
export interface CacheOwner {
  readonly owner: object;
  readonly settings: { readonly numKvHeads: number };
}

/**
 * Projected keys and values of earlier positions, for decoding. Made by `MultiHeadAttention.createCache` and of use to
 * that layer only, until heads of it are pruned.
 */
export class KeyValueCache {
  readonly #owner: object;
  readonly #numKvHeads: number;
  readonly #batchSize: number;
  readonly #maxLength: number;
  #address: number;
  #length = 0;

  /** @internal */
  constructor(
    { owner, settings }: CacheOwner,
    address: number,
    { batchSize, maxLength }: CacheOptions,
  ) {
    this.#owner = owner;
    this.#numKvHeads = settings.numKvHeads;
    this.#address = address;
    this.#batchSize = batchSize;
    this.#maxLength = maxLength;
    forgotten.register(this, address, this);
  }

  get batchSize(): number {
    return this.#batchSize;
  }

  get maxLength(): number {
    return this.#maxLength;
  }

  /** Positions held so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets everything. */
  reset(): void {
    this.truncate(0);
  }

  /**
   * Forgets all but the first `length` positions.
   *
   * @throws HeadwiseError `invalid-value` for more than it holds, `disposed`
   */
  truncate(length: number): void {
    this.#inUse();
    if (!Number.isInteger(length) || length < 0 || length > this.#length) {
      fail('invalid-value', 'length', `an integer from 0 to ${this.#length}`, show(length));
    }
    core().setCacheLength(this.#address, length);
    this.#length = length;
  }

  /** Gives the cache's WebAssembly memory back. Using it afterwards is an error; disposing again is not. */
  dispose(): void {
    if (this.#address !== 0) {
      forgotten.unregister(this);
      core().deleteCache(this.#address);
      this.#address = 0;
    }
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #inUse(): void {
    if (this.#address === 0) {
      throw new HeadwiseError(
        'disposed',
        'cache: expected one in use, got one that was disposed of',
      );
    }
  }

  /**
   * Checks that the cache goes with a call of its layer and says what of it the call needs.
   *
   * @internal
   */
  static heldBy(
    cache: unknown,
    { owner, settings }: CacheOwner,
    batch: number,
    newKeys: number,
  ): HeldCache {
    // Not by its class, of which a proxy may say anything.
    if (typeof cache !== 'object' || cache === null || !(#address in cache)) {
      fail('invalid-type', 'cache', 'one that createCache made', show(cache));
    }
    cache.#inUse();
    if (cache.#owner !== owner) {
      fail('invalid-cache', 'cache', 'one that this layer made', "another layer's");
    }
    if (cache.#numKvHeads !== settings.numKvHeads) {
      fail('invalid-cache', 'cache', 'one made since heads were pruned', 'an older one');
    }
    if (cache.#batchSize !== batch) {
      fail('invalid-cache', 'cache', `a batch size of ${batch}`, `${cache.#batchSize}`);
    }
    const left = cache.#maxLength - cache.#length;
    if (newKeys > left) {
      fail(
        'cache-full',
        'cache',
        `room for ${newKeys} positions`,
        `${left} of ${cache.#maxLength}`,
      );
    }
    return {
      address: cache.#address,
      length: cache.#length,
      append: (positions) => {
        cache.#length += positions;
      },
    };
  }
}
