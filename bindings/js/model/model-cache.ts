/// <reference lib="esnext.disposable" preserve="true" />
import {
  readKeptLength,
  type CachePrecision,
  type CheckedCacheOptions,
} from '../layer/key-value-cache.js';
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';

/**
 * KV caches of all layers of a model, and of their cross-attention to a source. Made by `Transformer.createCache`, and
 * valid for that model only, until any of its heads are pruned.
 */
export class ModelCache {
  readonly #options: CheckedCacheOptions;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(address: Address, options: CheckedCacheOptions) {
    this.#options = options;
    this.#handle = new Handle('cache', this, address, 'deleteModelCache');
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
    return this.#handle.disposed ? this.#lastLength : core().modelCacheLength(this.#handle.inUse());
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Removes all positions, and the source. */
  reset(): void {
    core().setModelCacheLength(this.#handle.inUse(), 0, 0);
  }

  /**
   * Keeps only the first `length` positions, and the source.
   *
   * @throws HeadwiseError `invalid-value` if the cache holds fewer, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    core().setModelCacheLength(address, readKeptLength(length), 1);
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
      fail('invalid-type', 'cache', "one that the model's createCache made", show(cache));
    }
    return (
      cache.#handle.inUseHere() ??
      fail('invalid-cache', 'cache', 'one that this model made', "another model's")
    );
  }
}
