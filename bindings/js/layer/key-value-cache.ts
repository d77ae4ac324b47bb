/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { checkOptions, checkSize, checkWord, isObject } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';
import { core } from '../runtime/wasm.js';
import { checkCacheUse, checkKeptLength, type CacheState } from './cache-checks.js';

export interface CacheOptions {
  /** Samples of every forward with the cache. At least 1. */
  batchSize: number;
  /** Positions that it can hold, at least 1; more are an error. */
  maxLength: number;
  /**
   * `'float16'` takes half the memory of `'float32'`, the default: each head's key or value is kept as integers of 15 bits
   * with a factor, an error of at most 2^−15 of its largest number. One that is not finite is NaN there.
   */
  precision?: CachePrecision | undefined;
}

export type CachePrecision = Exclude<Precision, 'int8'>;

/** Cache options with their defaults. */
export interface CheckedCacheOptions {
  readonly batchSize: number;
  readonly maxLength: number;
  readonly precision: CachePrecision;
}

const cachePrecisions = ['float32', 'float16'] as const satisfies readonly CachePrecision[];

/** The precision as the core counts it. */
export const numberOfPrecision = ({ precision }: CheckedCacheOptions): number =>
  cachePrecisions.indexOf(precision);

export const checkCachePrecision = (argument: string, value: unknown): CachePrecision =>
  checkWord(argument, value, cachePrecisions);

export function checkCacheOptions(options: CacheOptions): CheckedCacheOptions {
  const given = checkOptions<CacheOptions>(options, ['batchSize', 'maxLength', 'precision']);
  return {
    batchSize: checkSize('batchSize', given.batchSize),
    maxLength: checkSize('maxLength', given.maxLength),
    precision: checkCachePrecision('precision', given.precision),
  };
}

/** A cache as a call of its layer uses it. */
export interface HeldCache {
  readonly address: Address;
  /** Positions held before the call. */
  readonly length: number;
  /** Whether it keeps integers. */
  readonly isQuantized: boolean;
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
  readonly #precision: CachePrecision;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(
    { owner, settings }: CacheOwner,
    address: Address,
    { batchSize, maxLength, precision }: CheckedCacheOptions,
  ) {
    this.#state = { owner, numKvHeads: String(settings.numKvHeads), batchSize, maxLength };
    this.#precision = precision;
    this.#handle = new Handle('cache', this, address, 'deleteCache');
  }

  get batchSize(): number {
    return this.#state.batchSize;
  }

  get maxLength(): number {
    return this.#state.maxLength;
  }

  get precision(): CachePrecision {
    return this.#precision;
  }

  /** Positions held so far, or when it was disposed of. */
  get length(): number {
    return this.#handle.disposed ? this.#lastLength : core().cacheLength(this.#handle.inUse());
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
    checkKeptLength(length, this.length);
    core().setCacheLength(address, length);
  }

  /** Gives the cache's WebAssembly memory back. Using it afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#lastLength = this.#handle.lost ? 0 : this.length;
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Vue's `reactive` leaves objects with a tag alone; private fields do not work through its proxies. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
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
    const { length } = cache;
    checkCacheUse('layer', cache.#state, length, {
      ...{ owner, batch, newKeys },
      numKvHeads: String(settings.numKvHeads),
    });
    return { address, length, isQuantized: cache.#precision !== 'float32' };
  }
}
