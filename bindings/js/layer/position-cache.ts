/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle, type Free } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { checkWord, readOptions, whole, word } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';

export interface CacheOptions {
  /** Samples of every forward with the cache. At least 1. */
  batchSize: number;
  /** Maximum number of positions. At least 1. */
  maxLength: number;
  /**
   * `'float16'` halves the memory, and `'int8'` takes a quarter: each head's key or value is stored as integers of 15 or
   * 7 bits and a sign, with a factor. The error is at most 2^−15, or 1/254, of its largest number. A non-finite key or
   * value becomes all NaN. Default: `'float32'`.
   */
  precision?: CachePrecision | undefined;
}

export type CachePrecision = Exclude<Precision, 'int4'>;

/** Cache options with their defaults. */
export interface CheckedCacheOptions {
  readonly batchSize: number;
  readonly maxLength: number;
  readonly precision: CachePrecision;
}

/** The order of the C++ enumeration. */
const cachePrecisions = ['float32', 'float16', 'int8'] as const satisfies readonly CachePrecision[];

/** The core's number of the precision. */
export const numberOfPrecision = ({ precision }: Pick<CheckedCacheOptions, 'precision'>): number =>
  cachePrecisions.indexOf(precision);

export const checkCachePrecision = (argument: string, value: unknown): CachePrecision =>
  checkWord(argument, value, cachePrecisions);

const ofCache = { batchSize: whole(), maxLength: whole(), precision: word(cachePrecisions) };

/** Reads the options, whose values C++ checks. */
export const readCacheOptions = (options: CacheOptions): CheckedCacheOptions =>
  readOptions(options, ofCache);

/** The core's functions for a layer's caches, or for a model's. */
export interface CacheCalls {
  readonly free: Free;
  readonly length: (cache: Address) => number;
  /** Keeps the first positions; of a model's cache also the source, if `keepsSource` is 1. */
  readonly setLength: (cache: Address, length: number, keepsSource: 0 | 1) => void;
}

/** What KV caches of a layer and of a model have in common. */
export abstract class PositionCache {
  readonly #options: CheckedCacheOptions;
  readonly #calls: CacheCalls;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(address: Address, options: CheckedCacheOptions, calls: CacheCalls) {
    this.#options = options;
    this.#calls = calls;
    this.#handle = new Handle('cache', this, address, calls.free);
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
    return this.#handle.disposed ? this.#lastLength : this.#calls.length(this.#handle.inUse());
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Removes all positions, and the source of an encoder–decoder model. */
  reset(): void {
    this.#calls.setLength(this.#handle.inUse(), 0, 0);
  }

  /**
   * Keeps only the first `length` positions, and the source of an encoder–decoder model.
   *
   * @throws HeadwiseError `invalid-value` if the cache holds fewer, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    // C++ checks the number.
    if (!Number.isSafeInteger(length)) {
      fail('invalid-value', 'length', 'an integer from 0 on', show(length));
    }
    this.#calls.setLength(address, length, 1);
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
   * The address of a cache in the memory of the entered core; fails if it is in another's.
   *
   * @internal
   */
  protected static addressIn(cache: PositionCache, owner: string, other: string): Address {
    return (
      cache.#handle.inUseHere() ??
      fail('invalid-cache', 'cache', `one that ${owner} made`, `${other}'s`)
    );
  }
}
