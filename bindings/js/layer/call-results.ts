import type { ResultPlaces } from 'headwise-glue';
import {
  absent,
  isApart,
  read,
  type Absent,
  type Address,
  type Counted,
} from '../runtime/memory.js';
import type { Tensor } from '../tensor/tensor.js';
import {
  memoryOf,
  resultIn,
  type AttentionResult,
  type CheckedResults,
  type Out,
  type Result,
} from './results.js';

/** The results that the caller may give memory for, in the order of the C++ enumeration `ResultName`. */
const outNames = ['output', 'attentionWeights'] as const satisfies readonly (keyof Out)[];

/** The results of a call, which it makes once their shapes are known. */
export class CallResults implements ResultPlaces {
  readonly #out: CheckedResults['out'];
  readonly #placed: readonly Counted[];
  readonly #first: number;
  readonly #results: (Result | undefined)[] = [];

  /**
   * @param placed inputs in WebAssembly memory, which the call must not overwrite
   * @param hasBatchAxis whether results have the batch axis with which the call computes them
   */
  constructor(out: CheckedResults['out'], placed: readonly Counted[], hasBatchAxis = true) {
    this.#out = out;
    this.#placed = placed;
    this.#first = hasBatchAxis ? 0 : 1;
  }

  make(name: number, shape: readonly number[]): Address | Absent {
    const out = outNames[name];
    const result = resultIn(`out.${out}`, this.#out[out], shape.slice(this.#first));
    this.#results[name] = result;
    const { address, count } = result;
    return address !== undefined && isApart(address, count, this.#placed) ? address : absent;
  }

  take(name: number, address: Address): void {
    const result = this.#results[name];
    if (result !== undefined) {
      read(address, memoryOf(result), result.count);
    }
  }

  /** The result; undefined unless the call has made it. */
  tensor(name: number): Tensor | undefined {
    return this.#results[name]?.tensor;
  }

  /** `output` and, if the call has returned them, `attentionWeights`. */
  attention(): AttentionResult {
    const [output, attentionWeights] = this.#results as [Result, Result?];
    const result: AttentionResult = { output: output.tensor };
    if (attentionWeights !== undefined) {
      result.attentionWeights = attentionWeights.tensor;
    }
    return result;
  }
}
