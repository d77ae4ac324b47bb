/// <reference lib="esnext.disposable" preserve="true" />
import { checkCacheUse, checkKeptLength, type CacheState } from '../layer/cache-checks.js';
import type { CachePrecision, CheckedCacheOptions } from '../layer/key-value-cache.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';

/** A cache as a pass of its model uses it. */
export interface HeldModelCache {
  readonly address: Address;
  /** Positions held before the pass. */
  readonly length: number;
  /** Whether it keeps integers. */
  readonly isQuantized: boolean;
  /** Positions of the source, undefined without one. */
  readonly sourceLength: number | undefined;
  readonly hasPadding: boolean;
}

/** Whom a cache goes with: a model, as long as no heads of these layers are pruned. */
export interface ModelCacheOwner {
  readonly owner: object;
  readonly layers: Readonly<Record<'self' | 'cross', readonly MultiHeadAttention[]>>;
}

const keyValueHeads = ({ self, cross }: ModelCacheOwner['layers']): string =>
  [...self, ...cross].map(({ numKvHeads }) => numKvHeads).join();

/**
 * The key-value caches of all layers of a model, and of what they attend to in an encoder's output. Made by
 * `Transformer.createCache` and of use to that model only, until heads of it are pruned.
 */
export class ModelCache {
  readonly #state: CacheState;
  readonly #precision: CachePrecision;
  readonly #handle: Handle;
  #lastLength = 0;

  /** @internal */
  constructor(
    { owner, layers }: ModelCacheOwner,
    address: Address,
    { batchSize, maxLength, precision }: CheckedCacheOptions,
  ) {
    this.#precision = precision;
    this.#state = { owner, numKvHeads: keyValueHeads(layers), batchSize, maxLength };
    this.#handle = new Handle('cache', this, address, 'deleteModelCache');
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
    return this.#handle.disposed ? this.#lastLength : core().modelCacheLength(this.#handle.inUse());
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#handle.disposed;
  }

  /** Forgets everything, the source included. */
  reset(): void {
    core().setModelCacheLength(this.#handle.inUse(), 0, 0);
  }

  /**
   * Forgets all but the first `length` positions; the source stays.
   *
   * @throws HeadwiseError `invalid-value` for more than it holds, `disposed`
   */
  truncate(length: number): void {
    const address = this.#handle.inUse();
    checkKeptLength(length, this.length);
    core().setModelCacheLength(address, length, 1);
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
   * Checks that the cache goes with a pass of its model and says what of it the pass needs.
   *
   * @internal
   */
  static heldBy(
    cache: unknown,
    { owner, layers }: ModelCacheOwner,
    batch: number,
    newKeys: number,
  ): HeldModelCache {
    // Not by its class, of which a proxy may say anything.
    if (!isObject(cache) || !(#handle in cache)) {
      fail('invalid-type', 'cache', "one that the model's createCache made", show(cache));
    }
    const address = cache.#handle.inUse();
    const { length } = cache;
    checkCacheUse('model', cache.#state, length, {
      ...{ owner, batch, newKeys },
      numKvHeads: keyValueHeads(layers),
    });
    const sourceLength = core().modelCacheSourceLength(address);
    return {
      address,
      length,
      isQuantized: cache.#precision !== 'float32',
      sourceLength: sourceLength < 0 ? undefined : sourceLength,
      hasPadding: core().modelCacheHasPadding(address) === 1,
    };
  }
}
