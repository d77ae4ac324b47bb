/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { checkOptions, checkSize, isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';
import { checkCacheUse, checkKeptLength, type CacheState } from './cache-checks.js';

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

/** A cache as a call of its layer uses it. */
export interface HeldCache {
  readonly address: Address;
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
  readonly #state: CacheState;
  readonly #handle: Handle;

  /** @internal */
  constructor(
    { owner, settings }: CacheOwner,
    address: Address,
    { batchSize, maxLength }: CacheOptions,
  ) {
    this.#state = {
      owner,
      numKvHeads: String(settings.numKvHeads),
      batchSize,
      maxLength,
      length: 0,
    };
    this.#handle = new Handle('cache', this, address, 'deleteCache');
  }

  get batchSize(): number {
    return this.#state.batchSize;
  }

  get maxLength(): number {
    return this.#state.maxLength;
  }

  /** Positions held so far. */
  get length(): number {
    return this.#state.length;
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
    const address = this.#handle.inUse();
    checkKeptLength(length, this.#state.length);
    core().setCacheLength(address, length);
    this.#state.length = length;
  }

  /** Gives the cache's WebAssembly memory back. Using it afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
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
    if (!isObject(cache) || !(#handle in cache)) {
      fail('invalid-type', 'cache', 'one that createCache made', show(cache));
    }
    const address = cache.#handle.inUse();
    checkCacheUse('layer', cache.#state, {
      ...{ owner, batch, newKeys },
      numKvHeads: String(settings.numKvHeads),
    });
    return {
      address,
      length: cache.#state.length,
      append: (positions) => {
        cache.#state.length += positions;
      },
    };
  }
}
