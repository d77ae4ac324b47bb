/** The contents of a safetensors file. The header is read once, a tensor when it is first accessed. */
import { fileHeader, headerBytes, type FileHeader, type FileTensor } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { allocate, allocateBytes } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { receive, send } from '../runtime/records.js';
import { elementsOf } from '../tensor/arrays.js';
import {
  integersOf,
  isIntegerDtype,
  type IntegerDtype,
  type IntegerTensor,
} from '../tensor/integers.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkKept, type ByteSource } from './byte-sources.js';
import { checkHeader, convertFloats, unnamed } from './files.js';

/** The contents of a file of tensors. Its functions do not use `this`. */
export interface Contents<Member, Metadata = Record<string, string>> {
  /**
   * The tensors by name: floats of any size as float32, integers and booleans in their own dtype. Each is converted
   * when it is first accessed, and then cached.
   */
  tensors: Record<string, Member>;
  /** The file's metadata: texts by name; of a GGUF file, values by key. */
  metadata: Metadata;
  /** The names of all tensors, in the order of the header or the index. */
  readonly names: readonly string[];
  /** A tensor's dtype in the file, for example `F16`. Reads nothing. */
  readonly dtype: (name: string) => string;
  /** The shape of a tensor. Reads nothing. */
  readonly shape: (name: string) => readonly number[];
  /**
   * Reads the tensors with these names into a new object. Default: all. It reuses tensors that `tensors` has cached,
   * and does not cache the others.
   */
  readonly read: (names?: readonly string[]) => Promise<Record<string, Tensor | IntegerTensor>>;
}

/** A safetensors file in memory. Its bytes must not change as long as you read tensors. */
export type Safetensors = Contents<Tensor | IntegerTensor>;

/**
 * One or several safetensors files with only their headers in memory. The files must not change as long as you read
 * tensors.
 */
export type SafetensorsFile = Contents<Promise<Tensor | IntegerTensor>>;

/** A tensor of a file, and the function that reads it. */
export interface StoredTensor<Member> {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly read: () => Member;
}

const lengthSize = 8;
const largestHeader = 100_000_000;
/** About how many bytes are read at a time; a multiple of every dtype's size. */
const pieceSize = 2 ** 24;

/** Size of the header in bytes, its length field included; at most the file's size. */
function headerSize(first: Uint8Array, fileSize: number): number {
  if (fileSize < lengthSize) {
    return fileSize;
  }
  const view = new DataView(first.buffer, first.byteOffset, lengthSize);
  const length = Number(view.getBigUint64(0, true));
  const isThere = length <= Math.min(largestHeader, fileSize - lengthSize);
  return lengthSize + (isThere ? length : 0);
}

function parseHeader(bytes: Uint8Array, fileSize: number, name: string): FileHeader {
  const loaded = modelsCore();
  const request = send(headerBytes, { fileSize, bytes });
  const header = receive(fileHeader, loaded.readSafetensorsHeader(request));
  checkHeader(header, name);
  for (const { shape } of header.tensors) {
    Object.freeze(shape);
  }
  return header;
}

/**
 * Reads the header of a file in memory.
 *
 * @internal
 */
export const headerOf = (file: Uint8Array): FileHeader =>
  parseHeader(file.subarray(0, headerSize(file, file.length)), file.length, unnamed);

/**
 * Reads the header of a file, and nothing else.
 *
 * @internal
 */
export async function readHeader(source: ByteSource): Promise<FileHeader> {
  const first = await source.read(0, Math.min(lengthSize, source.size));
  const size = headerSize(first, source.size);
  const bytes = allocateBytes(size);
  bytes.set(first);
  if (size > first.length) {
    bytes.set(await source.read(first.length, size), first.length);
  }
  return parseHeader(bytes, source.size, source.name);
}

/** The tensors of a header by name. `read` gets the begin and end of a tensor's bytes in the file. */
const storedTensors = <Member>(
  { tensors, size }: FileHeader,
  read: (entry: FileTensor, begin: number, end: number) => Member,
): Map<string, StoredTensor<Member>> =>
  new Map(
    tensors.map((entry) => {
      const { name, dtype, shape, begin, end } = entry;
      return [name, { dtype, shape, read: () => read(entry, size + begin, size + end) }];
    }),
  );

/** @internal */
export const textsOf = ({ metadata }: FileHeader): Record<string, string> =>
  Object.fromEntries(metadata.map(({ name, text }) => [name, text]));

/**
 * Converts a tensor's bytes piece by piece. Each piece has whole numbers, or whole blocks of them.
 *
 * @internal
 */
export interface Decoder {
  add(piece: Uint8Array): void;
  finish(): Tensor | IntegerTensor;
}

/**
 * Copies `size` bytes of integers or booleans.
 *
 * @internal
 */
export function integerDecoder(
  dtype: IntegerDtype,
  size: number,
  shape: readonly number[],
): Decoder {
  const bytes = allocateBytes(size);
  let done = 0;
  return {
    add: (piece) => {
      bytes.set(piece, done);
      done += piece.length;
    },
    finish: () => integersOf(dtype, bytes, shape),
  };
}

/**
 * Converts numbers to float32 by `convert`, which writes those of a piece to `floats` from `first` on and returns how
 * many there are.
 *
 * @internal
 */
export function floatDecoder(
  shape: readonly number[],
  convert: (piece: Uint8Array, floats: Float32Array, first: number) => number,
): Decoder {
  const floats = allocate(sizeOf(shape));
  let done = 0;
  return {
    add: (piece) => {
      done += convert(piece, floats, done);
    },
    finish: () => new Tensor(floats, shape),
  };
}

function decoderOf({ name, dtype, format, begin, end, shape }: FileTensor, file: string): Decoder {
  if (format.size === 0) {
    fail('invalid-file', file, `tensor '${name}' of real numbers in whole bytes`, dtype);
  }
  return isIntegerDtype(dtype)
    ? integerDecoder(dtype, end - begin, shape)
    : floatDecoder(shape, (piece, floats, first) => {
        convertFloats(format, piece, floats, first);
        return piece.length / format.size;
      });
}

/**
 * Decodes bytes of a file in memory, which had `size` bytes when its header was read.
 *
 * @internal
 */
export function decodeIn(
  file: Uint8Array,
  size: number,
  [begin, end]: readonly [number, number],
  decoder: () => Decoder,
): Tensor | IntegerTensor {
  checkKept(unnamed, file, size);
  const decoding = decoder();
  decoding.add(file.subarray(begin, end));
  return decoding.finish();
}

/**
 * Decodes bytes of a file that is not in memory, in pieces of whole blocks.
 *
 * @internal
 */
export async function decodeFrom(
  source: ByteSource,
  [begin, end]: readonly [number, number],
  decoder: () => Decoder,
  blockSize = 1,
): Promise<Tensor | IntegerTensor> {
  const decoding = decoder();
  const size = pieceSize - (pieceSize % blockSize);
  for (let from = begin; from < end; from += size) {
    decoding.add(await source.read(from, Math.min(from + size, end)));
  }
  return decoding.finish();
}

/**
 * The tensors of a file in memory.
 *
 * @internal
 */
export const tensorsIn = (
  file: Uint8Array,
  header: FileHeader,
): Map<string, StoredTensor<Tensor | IntegerTensor>> => {
  const size = file.length;
  return storedTensors(header, (entry, begin, end) =>
    decodeIn(file, size, [begin, end], () => decoderOf(entry, unnamed)),
  );
};

/**
 * The tensors of a file that is not in memory. Each reads only its own bytes.
 *
 * @internal
 */
export const tensorsOf = (
  source: ByteSource,
  header: FileHeader,
): Map<string, StoredTensor<Promise<Tensor | IntegerTensor>>> =>
  storedTensors(header, (entry, begin, end) =>
    decodeFrom(source, [begin, end], () => decoderOf(entry, source.name)),
  );

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

function checkNames(given: unknown): string[] {
  const expected = 'an array of names';
  const names: string[] = [];
  for (const name of elementsOf('names', expected, given)) {
    if (typeof name !== 'string') {
      fail('invalid-type', 'names', expected, `${show(name)} in it`);
    }
    names.push(name);
  }
  return names;
}

/** An object whose members are computed when they are first accessed. Assignments work as with any other object. */
function lazyMembers<Member>(
  names: readonly string[],
  memberOf: (name: string) => Member,
): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const name of names) {
    // Unlike an assignment, this works for every name, even `__proto__`.
    Object.defineProperty(members, name, {
      get: () => memberOf(name),
      set(this: object, value: unknown) {
        const member = { value, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, name, member);
      },
      enumerable: true,
      configurable: true,
    });
  }
  return members;
}

/** The contents of a file with these tensors. */
export function contentsOf<
  Member extends Tensor | IntegerTensor | Promise<Tensor | IntegerTensor>,
  Metadata,
>(
  tensors: ReadonlyMap<string, StoredTensor<Member>>,
  metadata: Metadata,
): Contents<Member, Metadata> {
  const kept = new Map<string, Member>();

  const find = (name: unknown): StoredTensor<Member> => {
    if (typeof name !== 'string') {
      fail('invalid-type', 'name', 'a string', show(name));
    }
    const tensor = tensors.get(name);
    if (tensor === undefined) {
      fail('invalid-value', 'name', 'the name of a tensor in the file', quoted([name]));
    }
    return tensor;
  };

  const memberOf = (name: string): Member => {
    const before = kept.get(name);
    if (before !== undefined) {
      return before;
    }
    const member = find(name).read();
    kept.set(name, member);
    if (member instanceof Promise) {
      // The caller gets the error. The next access reads the tensor again.
      member.catch(() => kept.delete(name));
    }
    return member;
  };

  const readAll = async (given?: unknown): Promise<Record<string, Tensor | IntegerTensor>> => {
    const names = given === undefined ? [...tensors.keys()] : [...new Set(checkNames(given))];
    const missing = names.filter((name) => !tensors.has(name));
    if (missing.length > 0) {
      fail('invalid-value', 'names', 'names of tensors in the file', quoted(missing));
    }
    const result: [string, Tensor | IntegerTensor][] = [];
    for (const name of names) {
      result.push([name, await (kept.get(name) ?? find(name).read())]);
    }
    return Object.fromEntries(result);
  };

  return {
    tensors: lazyMembers([...tensors.keys()], memberOf),
    metadata,
    names: [...tensors.keys()],
    dtype: (name) => find(name).dtype,
    shape: (name) => find(name).shape,
    read: readAll,
  };
}
