import type { Core } from 'headwise-glue';
import { failInterrupted, HeadwiseError } from './errors.js';
import type { Address } from './memory.js';
import { enter, enteredCore, isLost } from './wasm.js';

/** The core's functions that free memory. */
export type Free =
  | 'deleteTensor'
  | 'deleteLayer'
  | 'deleteCache'
  | 'deleteModel'
  | 'deleteModelCache'
  | 'deleteOptimizer'
  | 'deleteGeneration'
  | 'deleteHeadPatching';

/** An allocation in WebAssembly memory. */
interface Owned {
  readonly core: Core;
  readonly address: Address;
  readonly free: Free;
}

/** Frees an allocation, unless the whole core is lost. */
function release({ core, address, free }: Owned): void {
  if (!isLost(core)) {
    core[free](address);
  }
}

/** Frees the allocations of objects that are garbage-collected without `dispose`. */
const finalizers = new FinalizationRegistry(release);

function failDisposed(kind: string): never {
  throw new HeadwiseError('disposed', `${kind}: expected one in use, got one that was disposed of`);
}

/** The allocation of a layer, cache, model or optimizer, or of the model that it is part of. */
export interface Held {
  readonly disposed: boolean;
  /** Enters the core of the allocation and returns its address. Throws if it was disposed of or lost. */
  inUse(): Address;
  /** Frees the allocation. Does nothing if it was freed before or is lost. */
  dispose(): void;
}

/** The handle of an object with its own allocation. */
export class Handle implements Held {
  readonly #kind: string;
  #owned: Owned | undefined;

  /**
   * @param kind the object's name in errors
   * @param owner the object; when it is garbage-collected, the allocation is freed
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

  /** The address if the entered core is that of the allocation. Throws if it was disposed of or lost. */
  inUseHere(): Address | undefined {
    const { core, address } = this.#check();
    return core === enteredCore() ? address : undefined;
  }

  /** Whether an interrupted call has lost the core. */
  get lost(): boolean {
    return this.#owned !== undefined && isLost(this.#owned.core);
  }

  /** Throws if it was disposed of or lost. Does not enter the core. */
  check(): void {
    this.#check();
  }

  dispose(): void {
    if (this.#owned !== undefined) {
      // In this order, an interruption at any point frees nothing twice.
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

/**
 * The handle of a part of another handle's object. Disposing of the whole disposes of the part. The part keeps the
 * whole from being garbage-collected.
 */
export class PartHandle implements Held {
  readonly #kind: string;
  readonly #whole: Held;
  readonly #address: Address;
  /** Never read: the reference keeps the owner from being garbage-collected. */
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
    // The whole's handle frees the memory.
  }
}

/** Completes a new object. If that fails, frees its memory. */
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
