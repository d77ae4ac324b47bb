import type { Core } from 'headwise-glue';
import { HeadwiseError } from './errors.js';
import type { Address } from './memory.js';
import { enter, enteredCore } from './wasm.js';

/** The calls that give memory back. */
type Free = 'deleteLayer' | 'deleteCache' | 'deleteModel' | 'deleteOptimizer';

/** Something in WebAssembly memory. */
interface Owned {
  readonly core: Core;
  readonly address: Address;
  readonly free: Free;
}

/** What was dropped without `dispose` gives its memory back when it is collected. */
const finalizers = new FinalizationRegistry<Owned>(({ core, address, free }) => {
  core[free](address);
});

/** What a layer, cache, model or optimizer has in WebAssembly memory. */
export class Handle {
  readonly #kind: string;
  #owned: Owned | undefined;

  /**
   * @param kind as errors call it
   * @param owner the object that is collected
   */
  constructor(kind: string, owner: object, address: Address, free: Free) {
    this.#kind = kind;
    this.#owned = { core: enteredCore(), address, free };
    finalizers.register(owner, this.#owned, this);
  }

  get disposed(): boolean {
    return this.#owned === undefined;
  }

  /** Enters the core that it lives in and returns the address there, or the error that it was disposed of. */
  inUse(): Address {
    if (this.#owned === undefined) {
      throw new HeadwiseError(
        'disposed',
        `${this.#kind}: expected one in use, got one that was disposed of`,
      );
    }
    enter(this.#owned.core);
    return this.#owned.address;
  }

  /** Gives the memory back; again does nothing. */
  dispose(): void {
    if (this.#owned !== undefined) {
      const { core, address, free } = this.#owned;
      finalizers.unregister(this);
      this.#owned = undefined;
      core[free](address);
    }
  }
}
