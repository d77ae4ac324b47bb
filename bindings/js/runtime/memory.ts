/**
 * WebAssembly memory. All calls share one block of working memory. Each call lays out its inputs and outputs there, and
 * leaves nothing for the next call.
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

/** Address in WebAssembly memory, in bytes; never 0. */
export type Address = number & { readonly is: 'address' };

/** Null address of an absent optional. */
export type Absent = 0 & { readonly is: 'absent' };
export const absent = 0 as Absent;

export const isAbsent = (address: Address | Absent): address is Absent => address === absent;

/** A call of more floats than this makes starting the threads worthwhile. */
const largeCall = 65536;
/** Floats in a cache line. Kernels read vectors that cross one more slowly. */
const line = 16;

let firstLargeCall: (() => void) | undefined;

/** Runs `action` before the next large call, once. Undefined cancels an earlier action. */
export function onFirstLargeCall(action: (() => void) | undefined): void {
  firstLargeCall = action;
}

/** Starts the threads if a call takes so many floats that they are worthwhile. Needs enough stack. */
export function expectFloats(floats: number): void {
  if (floats > largeCall) {
    firstLargeCall?.();
    firstLargeCall = undefined;
  }
}

/**
 * Lays out pieces of working memory of the given sizes in floats, each at the beginning of a cache line, and returns
 * their addresses. Contents from earlier calls are lost.
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
  // At least one cache line, so that a piece of size 0 has an address, too.
  const address = core().reserve(Math.max(total, line));
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  expectFloats(total);
  return offsets.map((offset) => address + offset) as { -readonly [Piece in keyof Sizes]: Address };
}

/** A buffer and its element count. */
export interface Counted {
  readonly data: Float32Array;
  readonly count: number;
  /** Set if the numbers are already in WebAssembly memory, so they need not be written. */
  readonly address?: Address | undefined;
}

/** The address of numbers in the memory of the current core; undefined if they are elsewhere. */
export const addressIn = (data: ArrayBufferView): Address | undefined =>
  bufferOf(data) === core().HEAPF32.buffer ? (byteOffsetOf(data) as Address) : undefined;

/** Whether `count` numbers from this address on overlap none of the inputs. */
export const isApart = (address: Address, count: number, inputs: readonly Counted[]): boolean =>
  inputs.every(
    (input) =>
      !input.address ||
      input.address + 4 * input.count <= address ||
      address + 4 * count <= input.address,
  );

/** A view of the numbers at an address, valid until memory grows. */
export const floatsAt = (address: Address, count: number): Float32Array =>
  core().HEAPF32.subarray(address / 4, address / 4 + count);

/** Writes `count` numbers, the checked length of the array. */
export function write(address: Address, { data, count }: Counted): void {
  if (count > 0) {
    // An array on shared memory may have grown since: another thread can resize it.
    const exactly = lengthOf(data) === count ? data : partOf(data, 0, count);
    core().HEAPF32.set(exactly, address / 4);
  }
}

/** A value that is stored as an integer: true as 1, false and undefined as 0. */
export type Word = number | boolean | undefined;

export function writeIntegers(address: Address, data: ArrayLike<Word>): void {
  const heap = core().HEAP32;
  // Faster than `set` for the few numbers that these are.
  for (let i = 0; i < data.length; i++) {
    heap[address / 4 + i] = data[i] as number;
  }
}

/** Writes the numbers of an array, which is the package's own. */
export function writeDoubles(address: Address, data: Float64Array): void {
  core().HEAPF64.set(data, address / 8);
}

/** Writes the bytes of an array. It must be the package's own, not a caller's. */
export function writeBytes(address: Address, data: ArrayBufferView): void {
  core().HEAPU8.set(bytesOf(data), address);
}

/** Copies `count` floats out of WebAssembly memory into an array of that checked length. */
export function read(address: Address, target: Float32Array, count = target.length): void {
  copyInto(target, floatsAt(address, count));
}

/** Allocates an array in JavaScript's memory, or throws `out-of-memory`. */
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
