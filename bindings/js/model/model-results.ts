import type { ResultPlaces } from 'headwise-glue';
import { absent, allocate, read, type Absent, type Address } from '../runtime/memory.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import {
  activations,
  isOfModel,
  type ActivationName,
  type CapturedActivations,
} from './activations.js';
import { sides, type Side } from './sides.js';

/** The order of `ModelResultName` in C++. Captured activations follow, in the order of theirs. */
const names = [
  ...(['hidden', 'logits', 'encoderHidden', 'attentionWeights', 'headGates', 'pixels'] as const),
  ...(['embeddings', 'heads', 'crossHeads', 'mlps', 'biases', 'total'] as const),
] as const;
type ResultName = (typeof names)[number];

/** As in results.cpp: 5 bits for the name, 2 for the side; above them is the layer. */
const numbersOfLayer = 128;
const numberOf = (name: number, side: Side): number => name + 32 * sides.indexOf(side);

/** The results of a model's call, which it makes once their shapes are known. */
export class ModelResults implements ResultPlaces {
  readonly #batchAxis: number | undefined;
  /** By name and side: one of each layer. */
  readonly #lists = new Map<number, Tensor[]>();
  readonly #tensors = new Map<number, Tensor>();

  /** @param batchAxis the axis that results lack, or undefined. Gradients of gates always have it. */
  constructor(batchAxis: number | undefined) {
    this.#batchAxis = batchAxis;
  }

  make(number: number, shape: readonly number[]): Absent {
    const listNumber = number % numbersOfLayer;
    const list = this.#lists.get(listNumber) ?? [];
    this.#lists.set(listNumber, list);
    // A list may stay empty.
    if (shape.length > 0) {
      const isGate = names[listNumber % 32] === 'headGates';
      const own = shape.filter((_, axis) => isGate || axis !== this.#batchAxis);
      const tensor = new Tensor(allocate(sizeOf(own)), own);
      list.push(tensor);
      this.#tensors.set(number, tensor);
    }
    return absent;
  }

  take(number: number, address: Address): void {
    const tensor = this.#tensors.get(number);
    if (tensor !== undefined) {
      read(address, tensor.data);
    }
  }

  /** The tensors of all layers; empty if the call has made none. */
  list(name: ResultName, side: Side = 'self'): Tensor[] {
    return this.#lists.get(numberOf(names.indexOf(name), side)) ?? [];
  }

  /** The tensor; undefined unless the call has made it. */
  tensor(name: ResultName): Tensor | undefined {
    return this.list(name).at(0);
  }

  captured(side: Side, captured: readonly ActivationName[]): Partial<CapturedActivations> {
    const result: Partial<Record<ActivationName, Tensor | Tensor[]>> = {};
    for (const name of captured) {
      const list = this.#lists.get(numberOf(names.length + activations.indexOf(name), side));
      if (list !== undefined) {
        result[name] = isOfModel(name) ? list[0] : list;
      }
    }
    return result as Partial<CapturedActivations>;
  }
}
