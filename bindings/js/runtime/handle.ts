import { HeadwiseError } from './errors.js';
import type { Address } from './memory.js';
import { core } from './wasm.js';

/** Something in WebAssembly memory, and the call that gives its memory back. */
interface Owned {
  readonly address: Address;
  readonly free: 'deleteLayer' | 'deleteCache' | 'deleteModel' | 'deleteOptimizer';
}

/** What was dropped without `dispose` gives its memory back when it is collected. */
const finalizers = new FinalizationRegistry<Owned>(({ address, free }) => {
  core()[free](address);
});

/** What a layer, cache, model or optimizer has in WebAssembly memory. */
export class Handle {
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

  /** The address, or the error that it was disposed of. */
  inUse(): Address {
    if (this.#owned === undefined) {
      throw new HeadwiseError(
        'disposed',
        `${this.#kind}: expected one in use, got one that was disposed of`,
      );
    }
    return this.#owned.address;
  }

  /** Gives the memory back; again does nothing. */
  dispose(): void {
    if (this.#owned !== undefined) {
      const { address, free } = this.#owned;
      finalizers.unregister(this);
      this.#owned = undefined;
      core()[free](address);
    }
  }
}
