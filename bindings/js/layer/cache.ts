/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { checkOptions, checkSize, checkWord, isIntegerIn, isObject } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';

export interface CacheOptions {
  /** Samples of every forward with the cache. At least 1. */
  batchSize: number;
  /** Maximum number of positions. At least 1. */
  maxLength: number;
  /**
   * `'float16'` halves the memory: each head's key or value is stored as 15-bit integers with a factor. The error is at
   * most 2^−15 of its largest number; a non-finite key or value becomes all NaN. Default: `'float32'`.
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

/** The core's number of the precision. */
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

/** A kind of cache. */
export interface CacheKind {
  /** What makes and uses it. */
  readonly of: 'layer' | 'model';
  /** For errors: what is expected in place of something that is no such cache. */
  readonly expected: string;
  readonly deleteCall: 'deleteCache' | 'deleteModelCache';
  length(cache: Address): number;
  truncate(cache: Address, length: number): void;
  reset(cache: Address): void;
}

/** A layer or model that makes or uses a cache. If heads are pruned, `numKvHeads` changes and the cache becomes invalid. */
export interface CacheUser {
  readonly owner: object;
  readonly numKvHeads: string;
}

/** A cache, checked for a call. */
export interface HeldCache {
  readonly address: Address;
  /** Positions held before the call. */
  readonly length: number;
  /** Whether it stores 15-bit integers. */
  readonly isQuantized: boolean;
}

/** What the caches of layers and models share. Keys and values are in WebAssembly memory. */
export abstract class Cache {
  readonly #kind: CacheKind;
  readonly #maker: CacheUser;
  readonly #options: CheckedCacheOptions;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(kind: CacheKind, maker: CacheUser, address: Address, options: CheckedCacheOptions) {
    this.#kind = kind;
    this.#maker = maker;
    this.#options = options;
    this.#handle = new Handle('cache', this, address, kind.deleteCall);
  }

  get batchSize(): number {
    return this.#options.batchSize;
  }

  get maxLength(): number {
    return this.#options.maxLength;
  }

  get precision(): CachePrecision {
    return this.#options.precision;
  }

  /** Positions held so far. After `dispose`, the last number. */
  get length(): number {
    return this.#handle.disposed ? this.#lastLength : this.#kind.length(this.#handle.inUse());
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Removes all positions, and a model's source. */
  reset(): void {
    this.#kind.reset(this.#handle.inUse());
  }

  /**
   * Keeps only the first `length` positions, and a model's source.
   *
   * @throws HeadwiseError `invalid-value` if the cache holds fewer, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    const held = this.length;
    if (!isIntegerIn(length, 0, held)) {
      fail('invalid-value', 'length', `an integer from 0 to ${held}`, show(length));
    }
    this.#kind.truncate(address, length);
  }

  /**
   * Frees the cache's WebAssembly memory. Using the cache afterwards is an error; calling `dispose` again does nothing.
   */
  dispose(): void {
    this.#lastLength = this.#handle.lost ? 0 : this.length;
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** With a tag, Vue's `reactive` returns the object itself. Its proxies cannot access private fields. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
  }

  /**
   * Checks a cache for a call of `user`.
   *
   * @throws HeadwiseError `invalid-type`, `disposed`, `invalid-cache`; `cache-full` without room for `newKeys`
   * @internal
   */
  static held(
    kind: CacheKind,
    cache: unknown,
    user: CacheUser,
    batch: number,
    newKeys: number,
  ): HeldCache {
    // Checks a private field, because a proxy can fake its class.
    if (!isObject(cache) || !(#kind in cache) || cache.#kind !== kind) {
      fail('invalid-type', 'cache', kind.expected, show(cache));
    }
    const address = cache.#handle.inUse();
    const { length } = cache;
    const { batchSize, maxLength, precision } = cache.#options;
    if (cache.#maker.owner !== user.owner) {
      fail('invalid-cache', 'cache', `one that this ${kind.of} made`, `another ${kind.of}'s`);
    }
    if (cache.#maker.numKvHeads !== user.numKvHeads) {
      fail('invalid-cache', 'cache', 'one made since heads were pruned', 'an older one');
    }
    if (batchSize !== batch) {
      fail('invalid-cache', 'cache', `a batch size of ${batch}`, `${batchSize}`);
    }
    const left = maxLength - length;
    if (newKeys > left) {
      fail('cache-full', 'cache', `room for ${newKeys} positions`, `${left} of ${maxLength}`);
    }
    return { address, length, isQuantized: precision !== 'float32' };
  }
}
