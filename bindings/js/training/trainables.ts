import { trainables, type TrainableAddress } from 'headwise-records';
import { fail, failOption } from '../runtime/errors.js';
import { PartHandle, type Held } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import type { Precision } from '../runtime/precisions.js';
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
  readonly weights: Precision;
}

const registered = new WeakMap<object, Registered>();

/** Makes an object trainable by optimizers. */
export function registerTrainable(trainable: Trainable, as: Registered): void {
  registered.set(trainable, as);
}

/** Reads one trainable, or several without duplicates. */
export function checkTrainables(given: Trainable | readonly Trainable[]): readonly Trainable[] {
  // A copy, because the caller may change the list.
  const trainables = Array.isArray(given)
    ? Array.from(given as readonly Trainable[])
    : [given as Trainable];
  if (trainables.length === 0) {
    fail('invalid-option', 'trainables', 'at least one layer or model', 'none');
  }
  for (const trainable of trainables) {
    // `has` accepts any value.
    if (!registered.has(trainable)) {
      failOption('trainables', 'layers and models', trainable);
    }
  }
  if (new Set(trainables).size < trainables.length) {
    fail('invalid-option', 'trainables', 'each of them once', 'one twice');
  }
  for (const trainable of trainables) {
    const handle = registered.get(trainable)?.handle;
    if (handle instanceof PartHandle && trainables.includes(handle.owner as Trainable)) {
      fail('invalid-option', 'trainables', 'each of them once', 'a model and a layer of it');
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

/** Fails if one has rounded weights: small steps would not change them. */
export function checkCanBeTrained(given: readonly Trainable[]): void {
  for (const trainable of given) {
    const weights = registered.get(trainable)?.weights ?? 'float32';
    if (weights !== 'float32') {
      failOption('weights', "'float32' in what is trained", weights);
    }
  }
}

/** Writes the trainables to working memory and returns their address. */
export function sendTrainables(given: readonly Trainable[]): Address {
  return send(trainables, { trainables: addressesOf(given) });
}
