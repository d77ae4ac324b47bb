/** Sources of a file's bytes: memory, a Blob, or a file handle of Node. */
import { fail, HeadwiseError, reasonOf, show } from '../runtime/errors.js';
import { allocateBytes } from '../runtime/memory.js';
import { isIntegerIn, isObject } from '../runtime/options.js';
import { lengthOf } from '../runtime/typed-arrays.js';
import { isBytes, toBytes } from './files.js';

/** The members of `Blob` and `File` that headwise uses. */
export interface BlobLike {
  readonly size: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** The members of a `FileHandle` of Node's `fs/promises` that headwise uses. */
export interface FileHandleLike {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** A file that can be read in parts. */
export interface ByteSource {
  /** The file's name in errors. */
  readonly name: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Reads exactly the bytes from `begin` to `end`. The caller must not keep the array. */
  read(begin: number, end: number): Promise<Uint8Array>;
}

type Method = (this: unknown, ...given: unknown[]) => unknown;

const isMethod = (value: unknown): value is Method => typeof value === 'function';

function checkCount(name: string, begin: number, end: number, count: number): void {
  if (count !== end - begin) {
    const expected = `${end - begin} bytes at byte ${begin} of the file`;
    fail('invalid-file', name, expected, String(count));
  }
}

/** Awaits a method of the source. If it fails, the file cannot be read. */
async function readable<Result>(name: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof HeadwiseError) {
      throw error;
    }
    const message = `${name}: expected a file that can be read, got an error: ${reasonOf(error)}`;
    throw new HeadwiseError('invalid-file', message, { cause: error });
  }
}

/** Fails if the number of bytes in memory has changed. */
export function checkKept(name: string, bytes: Uint8Array, size: number): void {
  if (lengthOf(bytes) !== size) {
    const got = 'a buffer that was transferred or made smaller';
    fail('invalid-file', name, `the ${size} bytes of the file to be kept`, got);
  }
}

function ofBytes(name: string, bytes: Uint8Array): ByteSource {
  const size = bytes.length;
  return {
    name,
    size,
    read: async (begin, end) => {
      checkKept(name, bytes, size);
      return Promise.resolve(bytes.subarray(begin, end));
    },
  };
}

function ofBlob(name: string, blob: object, size: number, slice: Method): ByteSource {
  return {
    name,
    size,
    read: (begin, end) =>
      readable(name, async () => {
        const part = slice.call(blob, begin, end) as ReturnType<BlobLike['slice']>;
        const bytes = toBytes(await part.arrayBuffer(), name);
        checkCount(name, begin, end, lengthOf(bytes));
        return bytes;
      }),
  };
}

async function ofHandle(
  name: string,
  handle: object,
  stat: Method,
  read: Method,
): Promise<ByteSource> {
  const sizeNow = async (): Promise<number> => {
    const { size } = (await stat.call(handle)) as { size: unknown };
    if (!isIntegerIn(size, 0)) {
      fail('invalid-file', name, 'a file that tells its size', show(size));
    }
    return size;
  };
  const size = await readable(name, sizeNow);

  /** Fills the bytes with as many reads as needed. */
  const fill = async (bytes: Uint8Array, position: number): Promise<void> => {
    let done = 0;
    while (done < bytes.length) {
      const left = bytes.length - done;
      const { bytesRead } = (await read.call(handle, bytes, done, left, position + done)) as {
        bytesRead: unknown;
      };
      const isCount =
        typeof bytesRead === 'number' && Number.isInteger(bytesRead) && bytesRead <= left;
      if (!isCount || bytesRead <= 0) {
        checkCount(name, position, position + bytes.length, done);
      }
      done += bytesRead as number;
    }
  };

  return {
    name,
    size,
    read: (begin, end) =>
      readable(name, async () => {
        const now = await sizeNow();
        if (now !== size) {
          fail('invalid-file', name, `a file of ${size} bytes, as it had before`, String(now));
        }
        const bytes = allocateBytes(end - begin);
        await fill(bytes, begin);
        checkCount(name, begin, end, lengthOf(bytes));
        return bytes;
      }),
  };
}

/** A Blob or a file handle as a source of bytes; undefined for anything else. Reads the value's properties once. */
export function toFileSource(value: unknown, name: string): Promise<ByteSource> | undefined {
  if (!isObject(value) || isBytes(value)) {
    return undefined;
  }
  const { stat, read, size, slice } = value as Readonly<Record<string, unknown>>;
  if (isMethod(stat) && isMethod(read)) {
    return ofHandle(name, value, stat, read);
  }
  return isMethod(slice) && isIntegerIn(size, 0)
    ? Promise.resolve(ofBlob(name, value, size, slice))
    : undefined;
}

/** A source of bytes from any kind of file argument. */
export async function toSource(value: unknown, name: string): Promise<ByteSource> {
  return toFileSource(value, name) ?? ofBytes(name, toBytes(value, name));
}
