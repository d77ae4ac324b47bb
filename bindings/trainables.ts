import { core, reserve, writeIntegers } from './core.js';
import { fail, show } from './errors.js';

/** What has parameters to train: a `MultiHeadAttention` or an `AttentionOnlyTransformer`. */
export interface Trainable {
  /** Whether `dispose` was called. */
  readonly disposed: boolean;
  /** Makes the gradients of the parameters 0. */
  zeroGradients(): void;
}

/** What the core is told of a trainable; asking fails when it was disposed of. */
interface Handle {
  readonly isModel: boolean;
  readonly address: () => number;
}

const handles = new WeakMap<object, Handle>();

/** Has optimizers take this object. */
export function makeTrainable(trainable: Trainable, handle: Handle): void {
  handles.set(trainable, handle);
}

/** One trainable or several, each once. */
export function checkTrainables(given: Trainable | readonly Trainable[]): readonly Trainable[] {
  // A copy: what is in the caller's list may change.
  const trainables = Array.isArray(given)
    ? Array.from(given as readonly Trainable[])
    : [given as Trainable];
  if (trainables.length === 0) {
    fail('invalid-option', 'trainables', 'at least one layer or model', 'none');
  }
  for (const trainable of trainables) {
    // `has` takes anything.
    if (!handles.has(trainable)) {
      fail('invalid-option', 'trainables', 'layers and models', show(trainable));
    }
  }
  if (new Set(trainables).size < trainables.length) {
    fail('invalid-option', 'trainables', 'each of them once', 'one twice');
  }
  return trainables;
}

/** The numbers that `read_trainables` in training_calls.cpp reads. Fails when one was disposed of. */
function record(trainables: readonly Trainable[]): number[] {
  const words = [trainables.length];
  for (const trainable of trainables) {
    const handle = handles.get(trainable);
    words.push(Number(handle?.isModel), handle?.address() ?? 0);
  }
  return words;
}

/** Fails when one of them was disposed of. */
export function checkInUse(trainables: readonly Trainable[]): void {
  record(trainables);
}

/** Writes the trainables to working memory and returns where. */
export function writeTrainables(trainables: readonly Trainable[]): number {
  const words = record(trainables);
  const [address = 0] = reserve(core(), words.length);
  writeIntegers(core(), address, words);
  return address;
}
