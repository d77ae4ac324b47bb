import type { Core } from 'headwise-glue';
import { writeBytes } from './core.js';
import { fail, failOutOfMemory, showShape } from './errors.js';

const wide = 2 ** 32;

/** A question to `file_calls.cpp`: words, and texts behind their number of bytes. */
export class Question {
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;

  number(...values: readonly number[]): this {
    return this.#words(values);
  }

  wide(value: number): this {
    return this.number(value % wide, value / wide);
  }

  text(text: string | Uint8Array): this {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return this.number(bytes.length).#add(bytes);
  }

  /** The shape of a tensor that errors call `argument`, of numbers of so many bytes. */
  shape(argument: string, shape: readonly number[], size = 4): this {
    for (const axis of shape) {
      if (axis >= wide) {
        fail('invalid-shape', argument, 'axes of less than 2^32', String(axis));
      }
    }
    // Readers count the other axes of an empty tensor, too.
    if (shape.reduce((bytes, axis) => bytes * Math.max(axis, 1), size) >= 2 ** 63) {
      fail('invalid-shape', argument, 'a shape of less than 2^63 bytes', showShape(shape));
    }
    return this.number(shape.length).#words(shape);
  }

  /** Asks by the call of this name. */
  ask(core: Core, call: CoreQuestion): Answer {
    const address = core.reserve(this.#bytes / 4);
    if (address === 0) {
      failOutOfMemory();
    }
    let next = address;
    for (const part of this.#parts) {
      writeBytes(core, next, part);
      next += filledUp(part.length);
    }
    const answer = core[call](address);
    if (answer === 0) {
      failOutOfMemory();
    }
    const words = core.HEAP32[answer / 4] ?? 0;
    return new Answer(core.HEAPU8.slice(answer, answer + 4 * words));
  }

  #words(values: readonly number[]): this {
    return this.#add(new Uint8Array(Uint32Array.from(values).buffer));
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part);
    this.#bytes += filledUp(part.length);
    return this;
  }
}

type CoreQuestion =
  | 'readSafetensorsHeader'
  | 'writeSafetensorsHeader'
  | 'readNpyHeader'
  | 'writeNpyHeader'
  | 'planLayer';

/** Whole words. */
const filledUp = (bytes: number): number => 4 * Math.ceil(bytes / 4);

/** What `AnswerWriter` in `file_calls.cpp` wrote, in its order. */
export class Answer {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  #next = 1;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer);
  }

  number(): number {
    return this.#words[this.#next++] ?? 0;
  }

  flag(): boolean {
    return this.number() !== 0;
  }

  wide(): number {
    return this.number() + wide * this.number();
  }

  bytes(): Uint8Array {
    const length = this.number();
    const first = 4 * this.#next;
    this.#next += filledUp(length) / 4;
    return this.#bytes.subarray(first, first + length);
  }

  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes());
  }

  shape(): number[] {
    return Array.from({ length: this.number() }, () => this.number());
  }
}
