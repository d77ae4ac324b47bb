/// <reference lib="esnext.disposable" preserve="true" />
import { checkKeptLength } from '../layer/cache-checks.js';
import type { CachePrecision, CheckedCacheOptions } from '../layer/key-value-cache.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { fail, show } from '../runtime/errors.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { core } from '../runtime/wasm.js';

/** A cache, checked for a pass of its model. */
export interface HeldModelCache {
  readonly address: Address;
  /** Positions held before the pass. */
  readonly length: number;
  /** Whether it stores 15-bit integers. */
  readonly isQuantized: boolean;
  /** Number of the source's positions; undefined without a source. */
  readonly sourceLength: number | undefined;
  readonly hasPadding: boolean;
}

/** A cache's model. If heads of these layers are pruned, the cache becomes invalid. */
export interface ModelCacheOwner {
  readonly owner: object;
  readonly layers: Readonly<Record<'self' | 'cross', readonly MultiHeadAttention[]>>;
}

const keyValueHeads = ({ self, cross }: ModelCacheOwner['layers']): string =>
  [...self, ...cross].map(({ numKvHeads }) => numKvHeads).join();

/** How a cache was made. WebAssembly memory holds its contents. */
interface CacheState {
  readonly owner: object;
  /** The owner's numbers of key-value heads when the cache was made. */
  readonly numKvHeads: string;
  readonly batchSize: number;
  readonly maxLength: number;
}

/** Fails unless the cache of `length` positions belongs to the model, fits its current heads, and has room. */
function checkCacheUse(
  { owner, numKvHeads, batchSize, maxLength }: CacheState,
  length: number,
  use: Pick<CacheState, 'owner' | 'numKvHeads'> & {
    readonly batch: number;
    readonly newKeys: number;
  },
): void {
  if (owner !== use.owner) {
    fail('invalid-cache', 'cache', 'one that this model made', "another model's");
  }
  if (numKvHeads !== use.numKvHeads) {
    fail('invalid-cache', 'cache', 'one made since heads were pruned', 'an older one');
  }
  if (batchSize !== use.batch) {
    fail('invalid-cache', 'cache', `a batch size of ${use.batch}`, `${batchSize}`);
  }
  const left = maxLength - length;
  if (use.newKeys > left) {
    fail('cache-full', 'cache', `room for ${use.newKeys} positions`, `${left} of ${maxLength}`);
  }
}

/**
 * KV caches of all layers of a model, and of their cross-attention to a source. Made by `Transformer.createCache`, and
 * valid for that model only, until any of its heads are pruned.
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
    checkKeptLength(length, this.length);
    core().setModelCacheLength(address, length, 1);
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
   * Checks a cache for a pass of its model.
   *
   * @internal
   */
  static heldBy(
    cache: unknown,
    { owner, layers }: ModelCacheOwner,
    batch: number,
    newKeys: number,
  ): HeldModelCache {
    // Checks a private field, because a proxy can fake its class.
    if (!isObject(cache) || !(#handle in cache)) {
      fail('invalid-type', 'cache', "one that the model's createCache made", show(cache));
    }
    const address = cache.#handle.inUse();
    const { length } = cache;
    checkCacheUse(cache.#state, length, {
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
