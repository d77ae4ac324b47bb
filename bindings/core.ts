import type { Core } from 'headwise-glue';
import { failOutOfMemory, HeadwiseError } from './errors.js';
import { bytesOf, copyInto, lengthOf, partOf } from './typed-arrays.js';

let loaded: Core | undefined;

type Call = (...args: readonly number[]) => number;

/**
 * Has every call of the core that runs out of memory throw the error that says so. The core ends such a call by a trap,
 * and everything is as it was before it.
 */
function reportOutOfMemory(core: Core): void {
  const calls = core as unknown as Record<string, unknown> & { recover: Call };
  const { recover } = calls;
  for (const [name, value] of Object.entries(calls)) {
    if (typeof value === 'function' && value !== recover) {
      const call = value as Call;
      calls[name] = (...args: readonly number[]): number => {
        try {
          return call(...args);
        } catch (error) {
          if (recover() !== 0) {
            failOutOfMemory();
          }
          throw error;
        }
      };
    }
  }
}

export function setCore(core: Core): void {
  reportOutOfMemory(core);
  loaded = core;
}

/** The loaded WebAssembly core, or the error of a call before `init`. */
export function core(): Core {
  if (loaded === undefined) {
    throw new HeadwiseError(
      'not-initialized',
      'headwise: expected init() to have been awaited, got a call before it',
    );
  }
  return loaded;
}

/** Floats of a call for which other threads are worth their start. */
const largeCall = 65536;

let beforeLargeCall: (() => void) | undefined;

/** Has something done before the first large call from now on; given nothing, it is not done any more. */
export function doBeforeLargeCall(action: (() => void) | undefined): void {
  beforeLargeCall = action;
}

/**
 * Lays out pieces of working memory of the given sizes in floats and returns their addresses. What earlier calls left
 * there is lost; the heap views are to be read anew, since memory may have grown.
 */
export function reserve(core: Core, ...sizes: readonly number[]): number[] {
  // Pieces begin at cache lines of 16 floats: vectors that lie across two are read more slowly.
  const rounded = sizes.map((size) => Math.ceil(size / 16) * 16);
  const total = rounded.reduce((sum, size) => sum + size, 0);
  if (total > largeCall) {
    beforeLargeCall?.();
    beforeLargeCall = undefined;
  }
  let address = core.reserve(total);
  if (address === 0 && total > 0) {
    failOutOfMemory();
  }
  return rounded.map((size) => {
    const piece = address;
    address += 4 * size;
    return piece;
  });
}

/** Address 0 is nobody's: whoever would write there has not asked for memory. */
function checkAddress(address: number): void {
  if (address === 0) {
    throw new Error('headwise: nothing is ever written to address 0');
  }
}

/** Writes `count` numbers, as many as the array was found to have. */
export function write(core: Core, address: number, data: Float32Array, count: number): void {
  if (count > 0) {
    checkAddress(address);
    // An array on memory that another thread makes longer may have grown since.
    core.HEAPF32.set(lengthOf(data) === count ? data : partOf(data, 0, count), address / 4);
  }
}

/** Numbers of which as many are written as their shape says. */
interface Counted {
  readonly data: Float32Array;
  readonly count: number;
}

const firstPlace = (inputs: readonly Counted[], { data }: Counted): number =>
  inputs.findIndex((input) => input.data === data);

/** Sizes of inputs of which each is written once, however often it is given. */
export function sizesOnce(inputs: readonly Counted[]): number[] {
  return inputs.map((input, i) => (firstPlace(inputs, input) < i ? 0 : input.count));
}

/** Writes each input once, to its own place of `at`, and returns where each lies. */
export function writeOnce(core: Core, at: readonly number[], inputs: readonly Counted[]): number[] {
  return inputs.map((input, i) => {
    const first = firstPlace(inputs, input);
    const address = at[first] ?? 0;
    if (first === i) {
      write(core, address, input.data, input.count);
    }
    return address;
  });
}

export function writeIntegers(core: Core, address: number, data: ArrayLike<number>): void {
  if (data.length > 0) {
    checkAddress(address);
  }
  const heap = core.HEAP32;
  // Faster than `set` for the few numbers that these are.
  for (let i = 0; i < data.length; i++) {
    heap[address / 4 + i] = data[i] ?? 0;
  }
}

/** Writes numbers of any kind, which are nobody's but the package's, as the bytes that they are. */
export function writeBytes(core: Core, address: number, data: ArrayBufferView | undefined): void {
  if (data !== undefined && data.byteLength > 0) {
    checkAddress(address);
    core.HEAPU8.set(bytesOf(data), address);
  }
}

/** Copies `count` floats out of WebAssembly memory into an array that was found to have as many. */
export function read(core: Core, address: number, target: Float32Array, count: number): void {
  copyInto(target, core.HEAPF32.subarray(address / 4, address / 4 + count));
}

/** Memory for a result, or the error that there is none. */
export function allocate(count: number): Float32Array {
  try {
    return new Float32Array(count);
  } catch {
    return failOutOfMemory();
  }
}

/** The same in bytes. */
export function allocateBytes(count: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(count);
  } catch {
    return failOutOfMemory();
  }
}
