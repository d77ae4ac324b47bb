/**
 * WebAssembly memory. All calls share one block of working memory: each lays out in it what it is about to write and to
 * read, and leaves nothing there for the next.
 */
import { failOutOfMemory } from './errors.js';
import {
  bufferOf,
  byteOffsetOf,
  bytesOf,
  copyInto,
  lengthOf,
  partOf,
  type OwnBytes,
} from './typed-arrays.js';
import { core } from './wasm.js';

/** Bytes into WebAssembly memory, of something that lies there: never 0. */
export type Address = number & { readonly is: 'address' };

/** What stands for the address of something optional that there is not: C++'s null pointer. */
export type Absent = 0 & { readonly is: 'absent' };
export const absent = 0 as Absent;

export const isAbsent = (address: Address | Absent): address is Absent => address === absent;

/** Floats of a call for which other threads are worth their start. */
const largeCall = 65536;
/** Floats of a cache line: kernels read vectors that lie across two more slowly. */
const line = 16;

let firstLargeCall: (() => void) | undefined;

/** Has `action` run before the first large call from now on; without one, nothing is run any more. */
export function onFirstLargeCall(action: (() => void) | undefined): void {
  firstLargeCall = action;
}

/**
 * Lays out pieces of working memory of the given sizes in floats, each from a cache line on, and returns their
 * addresses. What earlier calls left there is lost.
 */
export function reserve<Sizes extends readonly number[]>(
  ...sizes: Sizes
): { -readonly [Piece in keyof Sizes]: Address } {
  let total = 0;
  const offsets = sizes.map((size) => {
    const offset = 4 * total;
    total += Math.ceil(size / line) * line;
    return offset;
  });
  // One line at least, so that a piece of size 0 has an address, too.
  const address = core().reserve(Math.max(total, line));
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  if (total > largeCall) {
    // Behind a call that has found enough of the stack left.
    firstLargeCall?.();
    firstLargeCall = undefined;
  }
  return offsets.map((offset) => address + offset) as { -readonly [Piece in keyof Sizes]: Address };
}

/** Numbers of which as many are written as their shape says. */
export interface Counted {
  readonly data: Float32Array;
  readonly count: number;
  /** Where they lie, if that is in WebAssembly memory already: they need not be written. */
  readonly address?: Address | undefined;
}

/** The address of numbers that lie in the memory of the core that is entered. */
export const addressIn = (data: Float32Array): Address | undefined =>
  bufferOf(data) === core().HEAPF32.buffer ? (byteOffsetOf(data) as Address) : undefined;

/** Whether so many numbers from an address on are none of these. */
export const isApart = (address: Address, count: number, inputs: readonly Counted[]): boolean =>
  inputs.every(
    (input) =>
      !input.address ||
      input.address + 4 * input.count <= address ||
      address + 4 * count <= input.address,
  );

/** The numbers at an address, until memory grows. */
export const floatsAt = (address: Address, count: number): Float32Array =>
  core().HEAPF32.subarray(address / 4, address / 4 + count);

/** Writes `count` numbers, as many as the array was found to have. */
export function write(address: Address, { data, count }: Counted): void {
  if (count > 0) {
    // An array on memory that another thread makes longer may have grown since.
    const exactly = lengthOf(data) === count ? data : partOf(data, 0, count);
    core().HEAPF32.set(exactly, address / 4);
  }
}

const firstOf = (inputs: readonly Counted[], { data }: Counted): number =>
  inputs.findIndex((input) => input.data === data);

/** Sizes of inputs of which each is written once, however often it is given. */
export function sizesDeduplicated(inputs: readonly Counted[]): number[] {
  return inputs.map((input, i) => (input.address || firstOf(inputs, input) < i ? 0 : input.count));
}

/** Writes each input once, to its own of the pieces `at`, and returns where each lies. */
export function writeDeduplicated(at: readonly Address[], inputs: readonly Counted[]): Address[] {
  return inputs.map((input, i) => {
    const first = firstOf(inputs, input);
    if (first === i && !input.address) {
      write(at[first], input);
    }
    return input.address ?? at[first];
  });
}

/** What is stored in memory of integers as one: true as 1, false and undefined as 0. */
export type Word = number | boolean | undefined;

export function writeIntegers(address: Address, data: ArrayLike<Word>): void {
  const heap = core().HEAP32;
  // Faster than `set` for the few numbers that these are.
  for (let i = 0; i < data.length; i++) {
    heap[address / 4 + i] = data[i] as number;
  }
}

/** Writes numbers of any kind, which are nobody's but the package's, as the bytes that they are. */
export function writeBytes(address: Address, data: ArrayBufferView): void {
  core().HEAPU8.set(bytesOf(data), address);
}

/** Copies `count` floats out of WebAssembly memory into an array that was found to have as many. */
export function read(address: Address, target: Float32Array, count = target.length): void {
  copyInto(target, floatsAt(address, count));
}

/** Memory of JavaScript's, or the error that there is none. */
export function allocateArray<Data>(type: new (count: number) => Data, count: number): Data {
  try {
    return new type(count);
  } catch {
    return failOutOfMemory();
  }
}

/** Memory for a result. */
export const allocate = (count: number): Float32Array => allocateArray(Float32Array, count);

/** The same in bytes. */
export const allocateBytes = (count: number): OwnBytes =>
  allocateArray<OwnBytes>(Uint8Array, count);
