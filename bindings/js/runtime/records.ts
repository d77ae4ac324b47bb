/**
 * How records and messages get into WebAssembly memory and out of it. What each of them holds is described in
 * bindings/records/table.mjs, of which `headwise-records` is made.
 */
import { failOutOfMemory } from './errors.js';
import {
  isAbsent,
  writeBytes,
  writeIntegers,
  type Absent,
  type Address,
  type Word,
} from './memory.js';
import { core } from './wasm.js';

/** The words of a record. Flags and what there is not become integers where they are written. */
export type Packed<Fields> = readonly Word[] & { readonly of?: Fields };

/** A record of fixed length: its number of words, and what makes them of its fields. */
export interface RecordKind<Fields> {
  readonly words: number;
  pack(record: Fields): Packed<Fields>;
}

export function writeRecord<Fields>(
  address: Address,
  kind: RecordKind<Fields>,
  record: Fields,
): void {
  writeIntegers(address, kind.pack(record));
}

/** A message: of each field, in their order, the method that writes or reads it, or the message that it is. */
export interface MessageKind<Message> {
  readonly of?: Message;
}

type FieldKind = 'size' | 'flag' | 'wide' | 'number' | 'bytes' | 'text' | 'sizes';

const fieldsOf = (kind: MessageKind<unknown>): [string, FieldKind | MessageKind<unknown>][] =>
  Object.entries<FieldKind | MessageKind<unknown>>(kind as Record<string, FieldKind>);

const wordRange = 2 ** 32;

/** The two words of an integer from 0 to below 2^53. */
export const toWide = (value: number): [low: number, high: number] => [
  value % wordRange,
  value / wordRange,
];

/** Whole words. */
const filledUp = (bytes: number): number => 4 * Math.ceil(bytes / 4);

export class RequestStream {
  readonly parts: Uint8Array[] = [];
  /** Bytes so far. */
  length = 0;

  size(...words: readonly number[]): void {
    this.#add(new Uint8Array(Uint32Array.from(words).buffer));
  }

  flag(value: boolean): void {
    this.size(Number(value));
  }

  address(value: Address): void {
    this.size(value);
  }

  wide(value: number): void {
    this.size(...toWide(value));
  }

  number(value: number): void {
    this.size(...new Uint32Array(Float64Array.of(value).buffer));
  }

  bytes(bytes: Uint8Array): void {
    this.size(bytes.length);
    this.#add(bytes);
  }

  text(text: string): void {
    this.bytes(new TextEncoder().encode(text));
  }

  sizes(sizes: readonly number[]): void {
    this.size(sizes.length, ...sizes);
  }

  message(kind: MessageKind<unknown>, message: unknown): void {
    for (const [field, of] of fieldsOf(kind)) {
      const value = (message as Record<string, never>)[field];
      if (typeof of === 'string') {
        this[of](value);
      } else if (Array.isArray(of)) {
        this.list(of[0] as object, value);
      } else {
        this.message(of, value);
      }
    }
  }

  list(kind: MessageKind<unknown>, items: readonly unknown[]): void {
    this.size(items.length);
    for (const item of items) {
      this.message(kind, item);
    }
  }

  #add(part: Uint8Array): void {
    this.parts.push(part);
    this.length += filledUp(part.length);
  }
}

export class ResponseStream {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  #next = 1;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer);
  }

  size(): number {
    return this.#words[this.#next++];
  }

  flag(): boolean {
    return this.size() !== 0;
  }

  wide(): number {
    return this.size() + wordRange * this.size();
  }

  number(): number {
    const words = Uint32Array.of(this.size(), this.size());
    return new Float64Array(words.buffer)[0];
  }

  bytes(): Uint8Array {
    const length = this.size();
    const first = 4 * this.#next;
    this.#next += filledUp(length) / 4;
    return this.#bytes.subarray(first, first + length);
  }

  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes());
  }

  sizes(): number[] {
    return this.#list(() => this.size());
  }

  wides(): number[] {
    return this.#list(() => this.wide());
  }

  message(kind: MessageKind<unknown>): unknown {
    return Object.fromEntries(
      fieldsOf(kind).map(([field, of]) => [
        field,
        typeof of === 'string'
          ? this[of]()
          : Array.isArray(of)
            ? this.#list(() => this.message(of[0] as object))
            : this.message(of),
      ]),
    );
  }

  #list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.size() }, read);
  }
}

/** Writes a message to working memory and returns where. */
export function send<Message>(kind: MessageKind<Message>, message: Message): Address {
  const stream = new RequestStream();
  stream.message(kind, message);
  const words = 1 + stream.length / 4;
  // Not by `reserve`: what follows is no large call, however long its message is.
  const address = core().reserve(words);
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  writeIntegers(address, [words]);
  let next = address + 4;
  for (const part of stream.parts) {
    writeBytes(next as Address, part);
    next += filledUp(part.length);
  }
  return address;
}

/** Reads the message that a call has left in working memory. */
export function receive<Message>(kind: MessageKind<Message>, address: Address | Absent): Message {
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  const { HEAP32, HEAPU8 } = core();
  const words = HEAP32[address / 4];
  return new ResponseStream(HEAPU8.slice(address, address + 4 * words)).message(kind) as Message;
}
