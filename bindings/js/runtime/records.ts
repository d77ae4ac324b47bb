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

/** The name of what writes or reads it, a list of messages, or a message. */
type FieldKind = string | readonly [MessageKind<unknown>] | MessageKind<unknown>;

const fieldsOf = (kind: MessageKind<unknown>): [string, FieldKind][] =>
  Object.entries(kind as Record<string, FieldKind>);

const wordRange = 2 ** 32;

/** The two words of an integer from 0 to below 2^53. */
export const toWide = (value: number): [low: number, high: number] => [
  value % wordRange,
  value / wordRange,
];

/** Whole words. */
const filledUp = (bytes: number): number => 4 * Math.ceil(bytes / 4);

const bytesOfWords = (...words: readonly number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(words).buffer);

const withLength = (bytes: Uint8Array): Uint8Array[] => [bytesOfWords(bytes.length), bytes];

const wordOf = (value: number | boolean): Uint8Array[] => [bytesOfWords(Number(value))];

/** The pieces of a request's fields, each of whole words once it is filled up. */
const written = {
  size: wordOf,
  flag: wordOf,
  address: wordOf,
  wide: (value: number) => [bytesOfWords(...toWide(value))],
  number: (value: number) => [new Uint8Array(Float64Array.of(value).buffer)],
  bytes: withLength,
  text: (text: string) => withLength(new TextEncoder().encode(text)),
  sizes: (sizes: readonly number[]) => [bytesOfWords(sizes.length, ...sizes)],
} satisfies Record<string, (value: never) => Uint8Array[]>;

function piecesOf(kind: MessageKind<unknown>, message: unknown): Uint8Array[] {
  return fieldsOf(kind).flatMap(([field, of]) => {
    const value = (message as Record<string, never>)[field];
    if (typeof of === 'string') {
      return written[of as keyof typeof written](value);
    }
    if (!Array.isArray(of)) {
      return piecesOf(of as MessageKind<unknown>, value);
    }
    const [each] = of as readonly [MessageKind<unknown>];
    const items = value as readonly unknown[];
    return [bytesOfWords(items.length), ...items.flatMap((item) => piecesOf(each, item))];
  });
}

/** What reads a response's messages, one after the other. */
function readerOf(bytes: Uint8Array<ArrayBuffer>): (kind: MessageKind<unknown>) => unknown {
  const words = new Uint32Array(bytes.buffer);
  let next = 1;
  const size = (): number => words[next++];
  const wide = (): number => size() + wordRange * size();
  const list = <Item>(read: () => Item): Item[] => Array.from({ length: size() }, read);
  const read = {
    size,
    wide,
    flag: () => size() !== 0,
    number: () => new Float64Array(Uint32Array.of(size(), size()).buffer)[0],
    bytes() {
      const length = size();
      const first = 4 * next;
      next += filledUp(length) / 4;
      return bytes.subarray(first, first + length);
    },
    text: () => new TextDecoder('utf-8', { ignoreBOM: true }).decode(read.bytes()),
    sizes: () => list(size),
    wides: () => list(wide),
  };
  const message = (kind: MessageKind<unknown>): unknown =>
    Object.fromEntries(
      fieldsOf(kind).map(([field, of]) => [
        field,
        typeof of === 'string'
          ? read[of as keyof typeof read]()
          : Array.isArray(of)
            ? list(() => message(of[0] as MessageKind<unknown>))
            : message(of as MessageKind<unknown>),
      ]),
    );
  return message;
}

/** Writes a message to working memory and returns where. */
export function send<Message>(kind: MessageKind<Message>, message: Message): Address {
  const pieces = piecesOf(kind, message);
  const bytes = pieces.reduce((sum, { length }) => sum + filledUp(length), 4);
  // Not by `reserve`: what follows is no large call, however long its message is.
  const address = core().reserve(bytes / 4);
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  writeIntegers(address, [bytes / 4]);
  let next = address + 4;
  for (const piece of pieces) {
    writeBytes(next as Address, piece);
    next += filledUp(piece.length);
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
  return readerOf(HEAPU8.slice(address, address + 4 * words))(kind) as Message;
}
