/// <reference lib="esnext.disposable" preserve="true" />
import type { CacheOptions } from '../layer/key-value-cache.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { core } from '../runtime/wasm.js';

/** A cache as a pass of its model uses it. */
export interface HeldModelCache {
  readonly address: Address;
  /** Positions held before the pass. */
  readonly length: number;
  /** Positions of the source, undefined without one. */
  readonly sourceLength: number | undefined;
  /** Counts what the pass added. */
  readonly append: (positions: number, sourceLength: number | undefined) => void;
}

/** Whom a cache goes with: a model, as long as no heads of these layers are pruned. */
export interface ModelCacheOwner {
  readonly owner: object;
  readonly layers: readonly MultiHeadAttention[];
}

const keyValueHeads = (layers: readonly MultiHeadAttention[]): string =>
  layers.map(({ numKvHeads }) => numKvHeads).join();

/**
 * The key-value caches of all layers of a model, and of what they attend to in an encoder's output. Made by
 * `Transformer.createCache` and of use to that model only, until heads of it are pruned.
 */
export class ModelCache {
  readonly #owner: object;
  readonly #keyValueHeads: string;
  readonly #batchSize: number;
  readonly #maxLength: number;
  readonly #handle: Handle;
  #length = 0;
  #sourceLength: number | undefined;

  /** @internal */
  constructor(
    { owner, layers }: ModelCacheOwner,
    address: Address,
    { batchSize, maxLength }: CacheOptions,
  ) {
    this.#owner = owner;
    this.#keyValueHeads = keyValueHeads(layers);
    this.#batchSize = batchSize;
    this.#maxLength = maxLength;
    this.#handle = new Handle('cache', this, address, 'deleteModelCache');
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

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Forgets everything, the source included. */
  reset(): void {
    core().setModelCacheLength(this.#handle.inUse(), 0, 0);
    this.#length = 0;
    this.#sourceLength = undefined;
  }

  /**
   * Forgets all but the first `length` positions; the source stays.
   *
   * @throws HeadwiseError `invalid-value` for more than it holds, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    if (!Number.isInteger(length) || length < 0 || length > this.#length) {
      fail('invalid-value', 'length', `an integer from 0 to ${this.#length}`, show(length));
    }
    core().setModelCacheLength(address, length, 1);
    this.#length = length;
  }

  /** Gives the cache's WebAssembly memory back. Using it afterwards is an error; disposing again is not. */
  dispose(): void {
    this.#handle.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /**
   * Checks that the cache goes with a pass of its model and says what of it the pass needs.
   *
   * @internal
   */
  static heldBy(
    cache: unknown,
    { owner, layers }: ModelCacheOwner,
    batch: number,
    length: number,
  ): HeldModelCache {
    // Not by its class, of which a proxy may say anything.
    if (typeof cache !== 'object' || cache === null || !(#handle in cache)) {
      fail('invalid-type', 'cache', "one that the model's createCache made", show(cache));
    }
    const address = cache.#handle.inUse();
    if (cache.#owner !== owner) {
      fail('invalid-cache', 'cache', 'one that this model made', "another model's");
    }
    if (cache.#keyValueHeads !== keyValueHeads(layers)) {
      fail('invalid-cache', 'cache', 'one made since heads were pruned', 'an older one');
    }
    if (cache.#batchSize !== batch) {
      fail('invalid-cache', 'cache', `a batch size of ${batch}`, `${cache.#batchSize}`);
    }
    const left = cache.#maxLength - cache.#length;
    if (length > left) {
      fail('cache-full', 'cache', `room for ${length} positions`, `${left} of ${cache.#maxLength}`);
    }
    return {
      address,
      length: cache.#length,
      sourceLength: cache.#sourceLength,
      append: (positions, sourceLength) => {
        cache.#length += positions;
        cache.#sourceLength = sourceLength ?? cache.#sourceLength;
      },
    };
  }
}
