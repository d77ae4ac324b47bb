import { read, type Address } from '../runtime/memory.js';
import type { WorkingMemory } from '../runtime/working-memory.js';
import { Tensor } from '../tensor/tensor.js';

/** A result and its address in working memory. */
export interface OutputTensor {
  readonly tensor: Tensor;
  readonly at: () => Address;
}

export function outputTensor(memory: WorkingMemory, shape: readonly number[]): OutputTensor {
  const tensor = Tensor.zeros(shape);
  return { tensor, at: memory.add(tensor.data.length) };
}

/** Copies a result out of WebAssembly memory. */
export function readOutput({ tensor, at }: OutputTensor): Tensor {
  read(at(), tensor.data);
  return tensor;
}
