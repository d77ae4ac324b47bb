import { trainables, type TrainableAddress } from 'headwise-records';
import { failOption } from '../runtime/errors.js';
import type { Held } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import { send } from '../runtime/records.js';
import { checkHasModels } from '../runtime/wasm.js';

/** An object with parameters to train: a `MultiHeadAttention` or a `Transformer`. */
export interface Trainable {
  /** Whether `dispose` was called. */
  readonly disposed: boolean;
  /** Sets the parameters' gradients to 0. */
  zeroGradients(): void;
}

/** A trainable's data for the core. */
interface Registered {
  readonly isModel: boolean;
  readonly handle: Held;
}

const registered = new WeakMap<object, Registered>();

/** Makes an object trainable by optimizers. */
export function registerTrainable(trainable: Trainable, as: Registered): void {
  registered.set(trainable, as);
}

/** Reads one trainable or several. C++ checks that there is one, and each of them once. */
export function readTrainables(given: Trainable | readonly Trainable[]): readonly Trainable[] {
  // A copy, because the caller may change the list.
  const trainables = Array.isArray(given)
    ? Array.from(given as readonly Trainable[])
    : [given as Trainable];
  for (const trainable of trainables) {
    // `has` accepts any value.
    if (!registered.has(trainable)) {
      failOption('trainables', 'layers and models', trainable);
    }
  }
  return trainables;
}

/** The trainables' addresses. Fails if one was disposed of or belongs to a core without optimizers. */
function addressesOf(trainables: readonly Trainable[]): TrainableAddress[] {
  return trainables.flatMap((trainable) => {
    const known = registered.get(trainable);
    if (known === undefined) {
      return [];
    }
    const address = known.handle.inUse();
    checkHasModels();
    return [{ isModel: known.isModel, address }];
  });
}

/** Fails if one was disposed of. */
export function checkInUse(given: readonly Trainable[]): void {
  addressesOf(given);
}

/** Writes the trainables to working memory and returns their address. */
export function sendTrainables(given: readonly Trainable[]): Address {
  return send(trainables, { trainables: addressesOf(given) });
}
