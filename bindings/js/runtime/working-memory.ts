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
 * Allocates working memory of a call in many pieces. `add` takes a piece's size in floats and returns a function. After
 * `reserve`, the function returns the piece's address.
 */
export class WorkingMemory {
  readonly #sizes: number[] = [];
  readonly #writes: (() => void)[] = [];
  #addresses: readonly Address[] = [];

  add(floats: number): () => Address {
    const place = this.#sizes.push(floats) - 1;
    return () => this.#addresses[place];
  }

  /** As `add`, and `reserve` copies the input there. Undefined has no address. */
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
