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
import { memoryOf, resultIn, type AttentionResult, type Result, type Targets } from './results.js';

/** The gradients of a backward in the order of the C++ enumeration `ResultName`, where they follow other results. */
export const gradientNames = ['queries', 'keys', 'values', 'headGate'] as const;
export const firstGradient = 9;

/** The name of the caller's memory for each result in `ResultName`. */
const outNames = ['output', 'attentionWeights', ...Array<string>(7).fill(''), ...gradientNames];

/** The results of a call, which it makes once their shapes are known. */
export class CallResults implements ResultPlaces {
  readonly #out: Targets;
  readonly #placed: Counted[];
  readonly #first: number;
  readonly #results: (Result | undefined)[] = [];

  /**
   * @param placed inputs in WebAssembly memory, which the call must not overwrite. Results are added: if two of them
   *   share memory, the memory holds the later one afterwards
   * @param hasBatchAxis whether results have the batch axis with which the call computes them
   */
  constructor(out: Targets, placed: readonly Counted[], hasBatchAxis = true) {
    this.#out = out;
    this.#placed = [...placed];
    this.#first = hasBatchAxis ? 0 : 1;
  }

  make(name: number, shape: readonly number[]): Address | Absent {
    const out = outNames[name];
    const result = resultIn(`out.${out}`, this.#out[out], shape.slice(this.#first));
    this.#results[name] = result;
    const { address, count } = result;
    const isInPlace = address !== undefined && isApart(address, count, this.#placed);
    this.#placed.push(result);
    return isInPlace ? address : absent;
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
