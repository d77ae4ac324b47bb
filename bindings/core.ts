import type { Core } from 'headwise-glue';
import { failOutOfMemory, HeadwiseError } from './errors.js';

let loaded: Core | undefined;

export function setCore(core: Core): void {
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

export function write(core: Core, address: number, data: Float32Array): void {
  core.HEAPF32.set(data, address / 4);
}

/** Sizes of inputs of which each is written once, however often it is given. */
export function sizesOnce(inputs: readonly Float32Array[]): number[] {
  return inputs.map((data, i) => (inputs.indexOf(data) < i ? 0 : data.length));
}

/** Writes each input once, to its own place of `at`, and returns where each lies. */
export function writeOnce(
  core: Core,
  at: readonly number[],
  inputs: readonly Float32Array[],
): number[] {
  return inputs.map((data, i) => {
    const first = inputs.indexOf(data);
    const address = at[first] ?? 0;
    if (first === i) {
      write(core, address, data);
    }
    return address;
  });
}

export function writeIntegers(core: Core, address: number, data: ArrayLike<number>): void {
  const heap = core.HEAP32;
  // Faster than `set` for the few numbers that these are.
  for (let i = 0; i < data.length; i++) {
    heap[address / 4 + i] = data[i] ?? 0;
  }
}

/** Writes numbers of any kind as the bytes that they are. */
export function writeBytes(core: Core, address: number, data: ArrayBufferView | undefined): void {
  if (data !== undefined) {
    core.HEAPU8.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), address);
  }
}

/** Copies floats out of WebAssembly memory into the caller's. */
export function read(core: Core, address: number, target: Float32Array): Float32Array {
  target.set(core.HEAPF32.subarray(address / 4, address / 4 + target.length));
  return target;
}

/** Memory for a result, or the error that there is none. */
export function allocate(count: number): Float32Array {
  try {
    return new Float32Array(count);
  } catch {
    return failOutOfMemory();
  }
}
