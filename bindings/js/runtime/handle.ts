import type { Core } from 'headwise-glue';
import { failInterrupted, HeadwiseError } from './errors.js';
import type { Address } from './memory.js';
import { enter, enteredCore, isLost } from './wasm.js';

/** The calls that give memory back. */
type Free =
  | 'deleteTensor'
  | 'deleteLayer'
  | 'deleteCache'
  | 'deleteModel'
  | 'deleteModelCache'
  | 'deleteOptimizer';

/** Something in WebAssembly memory. */
interface Owned {
  readonly core: Core;
  readonly address: Address;
  readonly free: Free;
}

/** Gives memory back, unless all of it is lost. */
function release({ core, address, free }: Owned): void {
  if (!isLost(core)) {
    core[free](address);
  }
}

/** What was dropped without `dispose` gives its memory back when it is collected. */
const finalizers = new FinalizationRegistry(release);

function failDisposed(kind: string): never {
  throw new HeadwiseError('disposed', `${kind}: expected one in use, got one that was disposed of`);
}

/** What a layer, cache, model or optimizer has in WebAssembly memory, or the model that it is part of. */
export interface Held {
  readonly disposed: boolean;
  /** Enters the core that it lives in and returns the address there, or throws if it was disposed of or lost. */
  inUse(): Address;
  /** Gives the memory back; again, and where it is lost, does nothing. */
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
  constructor(kind: string, owner: object, address: Address, free: Free) {
    this.#kind = kind;
    this.#owned = { core: enteredCore(), address, free };
    finalizers.register(owner, this.#owned, this);
  }

  get disposed(): boolean {
    return this.#owned === undefined;
  }

  inUse(): Address {
    const { core, address } = this.#check();
    enter(core);
    return address;
  }

  /** Whether it is lost with the memory of an interrupted call. */
  get lost(): boolean {
    return this.#owned !== undefined && isLost(this.#owned.core);
  }

  /** Throws if it was disposed of or lost; enters no core. */
  check(): void {
    this.#check();
  }

  dispose(): void {
    if (this.#owned !== undefined) {
      // In this order: wherever it is interrupted, nothing is freed twice.
      finalizers.unregister(this);
      release(this.#owned);
      this.#owned = undefined;
    }
  }

  #check(): Owned {
    if (this.#owned === undefined) {
      failDisposed(this.#kind);
    }
    if (isLost(this.#owned.core)) {
      failInterrupted();
    }
    return this.#owned;
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
    this.#whole.inUse();
    return this.#address;
  }

  dispose(): void {
    // The whole's own.
  }
}

/** Something new with what it still lacks; if that fails, its memory is given back. */
export function completed<New extends { dispose(): void }>(
  made: New,
  complete: (made: New) => void,
): New {
  try {
    complete(made);
    return made;
  } catch (error) {
    made.dispose();
    throw error;
  }
}
