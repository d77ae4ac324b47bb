/**
 * Records and messages in WebAssembly memory. Their fields are defined in bindings/records/table.mjs, from which
 * `headwise-records` is generated.
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

/** A record's words. Booleans and undefined are converted to integers when they are written. */
export type Packed<Fields> = readonly Word[] & { readonly of?: Fields };

/** The words of a tensor that a call reads; all are 0 for none. */
export type GivenTensor = readonly [numbers: number, shape: number, rank: number];

/** A type of record with a fixed length: its number of words, and the function that packs its fields. */
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

/** A type of message: for each field, in order, its kind. */
export interface MessageKind<Message> {
  readonly of?: Message;
}

/** A field's kind: the name of a method that reads and writes it, a list of messages or an optional one, or a message. */
type FieldKind = string | readonly [MessageKind<unknown>] | MessageKind<unknown>;

const fieldsOf = (kind: MessageKind<unknown>): [string, FieldKind][] =>
  Object.entries(kind as Record<string, FieldKind>);

const wordRange = 2 ** 32;

/** Splits an integer that JavaScript has exactly into two words, of which memory keeps the lowest 32 bits. */
export const toWide = (value: number): [low: number, high: number] => [
  value,
  Math.floor(value / wordRange),
];

const scratch = /* @__PURE__ */ new ArrayBuffer(8);
const double = /* @__PURE__ */ new Float64Array(scratch);
const wordsOfDouble = /* @__PURE__ */ new Int32Array(scratch);

/** Splits a double into two words. Arrays of its own would slow down small calls measurably. */
export function toWords(value: number): [low: number, high: number] {
  double[0] = value;
  return [wordsOfDouble[0], wordsOfDouble[1]];
}

/** Rounds a number of bytes up to whole words. */
const filledUp = (bytes: number): number => 4 * Math.ceil(bytes / 4);

const bytesOfWords = (words: readonly number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(words).buffer);

const bytesOfNumber = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);

const withLength = (bytes: Uint8Array): Uint8Array[] => [bytesOfWords([bytes.length]), bytes];

const wordOf = (value: number | boolean): Uint8Array[] => [bytesOfWords([Number(value)])];

/** The bytes of each kind of field. Each piece is padded to whole words. */
const written = {
  size: wordOf,
  flag: wordOf,
  address: wordOf,
  wide: (value: number) => [bytesOfWords(toWide(value))],
  number: (value: number) => [bytesOfNumber(value)],
  optional: (value: number | boolean | undefined) => [
    bytesOfWords([Number(value !== undefined)]),
    bytesOfNumber(Number(value)),
  ],
  bytes: withLength,
  text: (text: string) => withLength(new TextEncoder().encode(text)),
  // Without numbers, a size may exceed 32 bits.
  sizes: (sizes: readonly number[]) => [
    bytesOfWords([sizes.length, ...sizes.map((size) => Math.min(size, wordRange - 1))]),
  ],
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
    const items = [(value as unknown) ?? []].flat() as readonly unknown[];
    return [bytesOfWords([items.length]), ...items.flatMap((item) => piecesOf(each, item))];
  });
}

/** Returns a function that reads a response's messages one after the other. */
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

/** Writes a message to working memory and returns its address. */
export function send<Message>(kind: MessageKind<Message>, message: Message): Address {
  const pieces = piecesOf(kind, message);
  const bytes = pieces.reduce((sum, { length }) => sum + filledUp(length), 4);
  // The core's `reserve` instead of ours, which would count a long message as a large call and start the threads.
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

/** Reads a message that a call left in working memory. */
export function receive<Message>(kind: MessageKind<Message>, address: Address | Absent): Message {
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  const { HEAP32, HEAPU8 } = core();
  const words = HEAP32[address / 4];
  return readerOf(HEAPU8.slice(address, address + 4 * words))(kind) as Message;
}
