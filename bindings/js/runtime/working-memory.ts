import { reserve, type Address } from './memory.js';

/**
 * Working memory of a call with many pieces: `add` takes the size of one, in floats, and returns what tells its address
 * once `reserve` was called.
 */
export class WorkingMemory {
  readonly #sizes: number[] = [];
  #addresses: readonly Address[] = [];

  add(floats: number): () => Address {
    const place = this.#sizes.push(floats) - 1;
    return () => this.#addresses[place];
  }

  reserve(): void {
    this.#addresses = reserve(...this.#sizes);
  }
}
