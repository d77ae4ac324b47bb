import {
  reserve,
  write,
  writeBytes,
  writeIntegers,
  type Address,
  type Counted,
  type Word,
} from './memory.js';

/**
 * Working memory of a call with many pieces: `add` takes the size of one, in floats, and returns what tells its address
 * once `reserve` was called.
 */
export class WorkingMemory {
  readonly #sizes: number[] = [];
  readonly #writes: (() => void)[] = [];
  #addresses: readonly Address[] = [];

  add(floats: number): () => Address {
    const place = this.#sizes.push(floats) - 1;
    return () => this.#addresses[place];
  }

  /** The same of a piece to which `reserve` writes this; of nothing, there is no address. */
  floats(input: Counted | undefined): () => Address | undefined {
    return this.#written(input, input?.count, write);
  }

  integers(data: ArrayLike<Word> | undefined): () => Address | undefined {
    return this.#written(data, data?.length, writeIntegers);
  }

  bytes(data: Uint8Array | undefined): () => Address | undefined {
    return this.#written(data, (data?.length ?? 0) / 4, writeBytes);
  }

  reserve(): void {
    this.#addresses = reserve(...this.#sizes);
    for (const writePiece of this.#writes) {
      writePiece();
    }
  }

  #written<Input>(
    input: Input | undefined,
    size = 0,
    writeTo: (address: Address, input: Input) => void,
  ): () => Address | undefined {
    if (input === undefined) {
      return () => undefined;
    }
    const at = this.add(size);
    this.#writes.push(() => {
      writeTo(at(), input);
    });
    return at;
  }
}
