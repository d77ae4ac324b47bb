import type { NumberFormat } from 'headwise-records';
import { fail, HeadwiseError, show } from '../runtime/errors.js';
import { allocate, allocateBytes, reserve, writeBytes } from '../runtime/memory.js';
import { bytesOf } from '../runtime/typed-arrays.js';
import { core } from '../runtime/wasm.js';

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
export function checkHeader({ problem }: { readonly problem: string }): void {
  if (problem !== '') {
    throw new HeadwiseError('invalid-file', problem);
  }
}

const chunk = 65536;

/** Numbers in a file as float32, a chunk at a time, so that memory need not hold the file twice. */
export function readFloats(format: NumberFormat, file: Uint8Array): Float32Array {
  const count = file.length / format.size;
  const floats = allocate(count);
  for (let done = 0; done < count; done += chunk) {
    const now = Math.min(chunk, count - done);
    const [bytes, numbers] = reserve((chunk * format.size) / 4, now);
    writeBytes(bytes, file.subarray(done * format.size, (done + now) * format.size));
    const loaded = core();
    loaded.toFloats(format.type, format.size, Number(format.bigEndian), bytes, now, numbers);
    floats.set(loaded.HEAPF32.subarray(numbers / 4, numbers / 4 + now), done);
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
