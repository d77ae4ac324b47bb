import type { NumberFormat } from 'headwise-records';
import { fail, HeadwiseError, show } from '../runtime/errors.js';
import { allocate, allocateBytes, reserve, writeBytes } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import {
  accessor,
  bytesOf,
  isResizable,
  lengthOf,
  type OwnBytes,
} from '../runtime/typed-arrays.js';

/** The name of an unnamed file in errors. */
export const unnamed = 'bytes';

/** Whether it is a buffer of this kind. Works for buffers of other realms, such as frames, whose classes differ. */
function isBuffer(value: unknown, { prototype }: { readonly prototype: object }): boolean {
  try {
    accessor('byteLength', prototype)(value);
    return true;
  } catch {
    return false;
  }
}

export function isBytes(value: unknown): value is ArrayBufferView | ArrayBufferLike {
  return (
    ArrayBuffer.isView(value) ||
    isBuffer(value, ArrayBuffer) ||
    (typeof SharedArrayBuffer !== 'undefined' && isBuffer(value, SharedArrayBuffer))
  );
}

/**
 * A file's bytes: those of a typed array, a view or a buffer. Their number stays fixed, even if the buffer is
 * resizable.
 */
export function toBytes(value: unknown, argument = unnamed): Uint8Array {
  if (!isBytes(value)) {
    fail('invalid-type', argument, 'a Uint8Array or an ArrayBuffer', show(value));
  }
  if (ArrayBuffer.isView(value)) {
    return bytesOf(value);
  }
  // A detached buffer cannot have a view.
  const all = value.byteLength === 0 ? new Uint8Array() : new Uint8Array(value);
  return isResizable(all) ? new Uint8Array(value, 0, lengthOf(all)) : all;
}

/** Throws the problem that a reader of headers found. */
export function checkHeader({ problem }: { readonly problem: string }, argument = unnamed): void {
  if (problem !== '') {
    throw new HeadwiseError('invalid-file', argument + problem.slice(unnamed.length));
  }
}

const chunk = 65536;

/**
 * Converts numbers of a file to float32 and writes them to `floats` from `first` on. Works in chunks, so that memory
 * never holds the file twice.
 */
export function convertFloats(
  format: NumberFormat,
  bytes: Uint8Array,
  floats: Float32Array,
  first: number,
): void {
  const loaded = modelsCore();
  const count = bytes.length / format.size;
  for (let done = 0; done < count; done += chunk) {
    const now = Math.min(chunk, count - done);
    const [from, to] = reserve((chunk * format.size) / 4, now);
    writeBytes(from, bytes.subarray(done * format.size, (done + now) * format.size));
    loaded.toFloats(format.type, format.size, Number(format.bigEndian), from, now, to);
    floats.set(loaded.HEAPF32.subarray(to / 4, to / 4 + now), first + done);
  }
}

/** Reads all numbers of a file as float32. */
export function readFloats(format: NumberFormat, file: Uint8Array): Float32Array {
  const floats = allocate(file.length / format.size);
  convertFloats(format, file, floats, 0);
  return floats;
}

/** Makes a file of a header and numbers, which are written as they are in memory. */
export function toFile(header: Uint8Array, numbers: readonly ArrayBufferView[]): OwnBytes {
  const bytes = numbers.map(bytesOf);
  const size = bytes.reduce((sum, each) => sum + each.length, header.length);
  const file = allocateBytes(size);
  file.set(header);
  let end = header.length;
  for (const each of bytes) {
    file.set(each, end);
    end += each.length;
  }
  return file;
}
