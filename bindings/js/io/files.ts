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

/** What errors call a file that has no name. */
export const unnamed = 'bytes';

/** Whether it is a buffer of this kind, of whichever page or context: each has classes of its own. */
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

/** A file's bytes: a typed array or view is its bytes, a buffer all of them. Their number stays what it is now. */
export function toBytes(value: unknown, argument = unnamed): Uint8Array {
  if (!isBytes(value)) {
    fail('invalid-type', argument, 'a Uint8Array or an ArrayBuffer', show(value));
  }
  if (ArrayBuffer.isView(value)) {
    return bytesOf(value);
  }
  // There can be no view of a buffer that was transferred away.
  const all = value.byteLength === 0 ? new Uint8Array() : new Uint8Array(value);
  return isResizable(all) ? new Uint8Array(value, 0, lengthOf(all)) : all;
}

/** Throws what a reader of headers found wrong. */
export function checkHeader({ problem }: { readonly problem: string }, argument = unnamed): void {
  if (problem !== '') {
    throw new HeadwiseError('invalid-file', argument + problem.slice(unnamed.length));
  }
}

const chunk = 65536;

/**
 * Writes numbers of a file as float32 to `floats` from `first` on, a chunk at a time, so that memory need not hold the
 * file twice.
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

/** All numbers of a file as float32. */
export function readFloats(format: NumberFormat, file: Uint8Array): Float32Array {
  const floats = allocate(file.length / format.size);
  convertFloats(format, file, floats, 0);
  return floats;
}

/** A file: a header and the numbers behind it, as they lie in memory. */
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
