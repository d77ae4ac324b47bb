import { HeadwiseError } from './errors.js';
import type { Address } from './memory.js';
import { core } from './wasm.js';

/** Something in WebAssembly memory, and the call that gives its memory back. */
interface Owned {
  readonly address: Address;
  readonly free:
    'deleteLayer' | 'deleteCache' | 'deleteModel' | 'deleteModelCache' | 'deleteOptimizer';
}

/** What was dropped without `dispose` gives its memory back when it is collected. */
const finalizers = new FinalizationRegistry<Owned>(({ address, free }) => {
  core()[free](address);
});

function failDisposed(kind: string): never {
  throw new HeadwiseError('disposed', `${kind}: expected one in use, got one that was disposed of`);
}

/** What a layer, cache, model or optimizer has in WebAssembly memory, or the model that it is part of. */
export interface Held {
  readonly disposed: boolean;
  /** The address, or the error that it was disposed of. */
  inUse(): Address;
  /** Gives the memory back; again does nothing. */
  dispose(): void;
}

/** What has memory of its own. */
export class Handle implements Held {
  readonly #kind: string;
  #owned: Owned | undefined;

  /**
   * @param kind as errors call it
   * @param owner the object that is collected
   */
  constructor(kind: string, owner: object, address: Address, free: Owned['free']) {
    this.#kind = kind;
    this.#owned = { address, free };
    finalizers.register(owner, this.#owned, this);
  }

  get disposed(): boolean {
    return this.#owned === undefined;
  }

  inUse(): Address {
    if (this.#owned === undefined) {
      failDisposed(this.#kind);
    }
    return this.#owned.address;
  }

  dispose(): void {
    if (this.#owned !== undefined) {
      const { address, free } = this.#owned;
      finalizers.unregister(this);
      this.#owned = undefined;
      core()[free](address);
    }
  }
}

/** Part of what another handle holds: it is disposed of with the whole, which it keeps from being collected. */
export class PartHandle implements Held {
  readonly #kind: string;
  readonly #whole: Held;
  readonly #address: Address;
  /** Nothing but kept. */
  readonly owner: object;

  constructor(kind: string, owner: object, whole: Held, address: Address) {
    this.#kind = kind;
    this.owner = owner;
    this.#whole = whole;
    this.#address = address;
  }

  get disposed(): boolean {
    return this.#whole.disposed;
  }

  inUse(): Address {
    if (this.#whole.disposed) {
      failDisposed(this.#kind);
    }
    return this.#address;
  }

  dispose(): void {
    // The whole's own.
  }
}
