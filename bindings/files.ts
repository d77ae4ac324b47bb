import type { Core } from 'headwise-glue';
import { allocate, allocateBytes, reserve, writeBytes } from './core.js';
import { fail, HeadwiseError, show } from './errors.js';
import type { Answer } from './questions.js';
import { bytesOf } from './typed-arrays.js';

/** A file's bytes: a typed array or view is its bytes, a buffer all of them. */
export function toBytes(value: unknown): Uint8Array {
  const isBuffer =
    value instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer);
  if (!isBuffer && !ArrayBuffer.isView(value)) {
    fail('invalid-type', 'bytes', 'a Uint8Array or an ArrayBuffer', show(value));
  }
  if (ArrayBuffer.isView(value)) {
    return bytesOf(value);
  }
  // There can be no view of a buffer that was transferred away.
  return value.byteLength === 0 ? new Uint8Array() : new Uint8Array(value);
}

/** Throws what a reader of headers found wrong. */
export function checkHeader(answer: Answer): void {
  const message = answer.text();
  if (message !== '') {
    throw new HeadwiseError('invalid-file', message);
  }
}

/** How a number lies in a file: `NumberFormat` in number_types.hpp. */
export interface NumberFormat {
  readonly type: number;
  readonly size: number;
  readonly bigEndian: boolean;
}

export function formatIn(answer: Answer): NumberFormat {
  return { type: answer.number(), size: answer.number(), bigEndian: answer.flag() };
}

const chunk = 65536;

/** Numbers in a file as float32, a chunk at a time, so that memory need not hold the file twice. */
export function readFloats(core: Core, format: NumberFormat, file: Uint8Array): Float32Array {
  const count = file.length / format.size;
  const floats = allocate(count);
  for (let done = 0; done < count; done += chunk) {
    const now = Math.min(chunk, count - done);
    const [bytes = 0, numbers = 0] = reserve(core, (chunk * format.size) / 4, now);
    writeBytes(core, bytes, file.subarray(done * format.size, (done + now) * format.size));
    core.toFloats(format.type, format.size, Number(format.bigEndian), bytes, now, numbers);
    floats.set(core.HEAPF32.subarray(numbers / 4, numbers / 4 + now), done);
  }
  return floats;
}

/** A file: a header and the numbers behind it, as they lie in memory. */
export function toFile(header: Uint8Array, numbers: readonly ArrayBufferView[]): Uint8Array {
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
