/// <reference lib="esnext.disposable" preserve="true" />
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { checkWord, isObject, readOptions, whole, word } from '../runtime/options.js';
import type { Precision } from '../runtime/precisions.js';
import { core } from '../runtime/wasm.js';

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

/** Reads the number of positions to keep, which C++ checks. */
export function readKeptLength(length: unknown): number {
  if (!Number.isSafeInteger(length)) {
    fail('invalid-value', 'length', 'an integer from 0 on', show(length));
  }
  return length as number;
}

/**
 * KV cache: projected keys and values of earlier positions, for decoding. Made by `MultiHeadAttention.createCache`, and
 * valid for that layer until its heads are pruned.
 */
export class KeyValueCache {
  readonly #options: CheckedCacheOptions;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(address: Address, options: CheckedCacheOptions) {
    this.#options = options;
    this.#handle = new Handle('cache', this, address, 'deleteCache');
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
    return this.#handle.disposed ? this.#lastLength : core().cacheLength(this.#handle.inUse());
  }

  /** Removes all positions. */
  reset(): void {
    this.truncate(0);
  }

  /**
   * Keeps only the first `length` positions.
   *
   * @throws HeadwiseError `invalid-value` if the cache holds fewer, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    core().setCacheLength(address, readKeptLength(length));
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
   * The address of a cache in the memory of the entered core.
   *
   * @internal
   */
  static addressOf(cache: unknown): Address {
    // Checks a private field, because a proxy can fake its class.
    if (!isObject(cache) || !(#handle in cache)) {
      fail('invalid-type', 'cache', 'one that createCache made', show(cache));
    }
    return (
      cache.#handle.inUseHere() ??
      fail('invalid-cache', 'cache', 'one that this layer made', "another layer's")
    );
  }
}
