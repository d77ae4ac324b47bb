/** The header of a GGUF file: its metadata, and type, shape and place of each tensor. */
import { fail, show } from '../runtime/errors.js';
import { allocateBytes } from '../runtime/memory.js';
import type { ByteSource } from './byte-sources.js';
import { blockTypes, type BlockType } from './gguf-blocks.js';

/** A value of a file's metadata. 64-bit integers that no number holds exactly are bigints. */
export type GgufValue = string | number | bigint | boolean | readonly GgufValue[];

/** A file's metadata by key, for example `general.architecture`. */
export type GgufMetadata = Record<string, GgufValue>;

/**
 * A tensor and its place, in bytes of the file.
 *
 * @internal
 */
export interface GgufTensor {
  readonly name: string;
  readonly type: BlockType;
  /** Row-major: the last axis is contiguous. The file lists the axes in the opposite order. */
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** @internal */
export interface GgufHeader {
  readonly metadata: GgufMetadata;
  readonly tensors: readonly GgufTensor[];
}

/** Thrown if the header continues behind the bytes that were read. */
class MoreNeeded extends Error {}

const largestHeader = 100_000_000;
const defaultAlignment = 32;
/** Maximum depth of arrays in arrays. Files have at most two. */
const maxDepth = 8;
const maxAxes = 4;
/** Bytes of the shortest key with a value, and of the shortest tensor's entry. */
const leastBytes = { keys: 8 + 4 + 1, tensors: 8 + 4 + 4 + 8 };

const stringType = 8;
const arrayType = 9;
/** Bytes of the shortest value of each type. Source: `gguf_metadata_value_type` in ggml's docs/gguf.md. */
const valueSizes = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8];

/** Reads values one after another. `bytes` are the first of the file. */
class HeaderReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fileSize: number;
  readonly #text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly name: string;
  at = 0;

  constructor(bytes: Uint8Array, fileSize: number, name: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#fileSize = fileSize;
    this.name = name;
  }

  fail(expected: string, got: string): never {
    fail('invalid-file', this.name, expected, got);
  }

  /** Skips `count` bytes that are to be read. Returns where they begin. */
  take(count: number, what = 'its header'): number {
    const end = this.at + count;
    if (end > Math.min(this.#fileSize, largestHeader)) {
      const most = this.#fileSize > largestHeader ? `the first ${largestHeader}` : this.#fileSize;
      this.fail(`${what} to end within ${most} bytes`, String(end));
    }
    if (end > this.#bytes.length) {
      throw new MoreNeeded();
    }
    const begin = this.at;
    this.at = end;
    return begin;
  }

  uint32(): number {
    return this.#view.getUint32(this.take(4), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.take(8), true);
  }

  /** A count of entries that take at least `least` bytes each, so that a wrong one cannot exhaust memory. */
  count(what: string, least: number): number {
    const count = this.uint64();
    const most = Math.floor((this.#fileSize - this.at) / least);
    if (count > most) {
      this.fail(`at most ${most} ${what}, for which the file has room`, String(count));
    }
    return Number(count);
  }

  string(): string {
    const length = this.count('bytes of a text', 1);
    const begin = this.take(length);
    try {
      // A copy: TextDecoder does not take shared memory.
      return this.#text.decode(this.#bytes.slice(begin, begin + length));
    } catch {
      return this.fail('texts in UTF-8', `others at byte ${begin}`);
    }
  }

  value(type: number, key: string, depth = 0): GgufValue {
    if (type === stringType) {
      return this.string();
    }
    if (type === arrayType) {
      if (depth === maxDepth) {
        this.fail(`'${key}' with arrays at most ${maxDepth} deep`, 'deeper ones');
      }
      const of = this.uint32();
      const count = this.count(`values of '${key}'`, this.#sizeOf(of, key));
      const values: GgufValue[] = [];
      for (let i = 0; i < count; i++) {
        values.push(this.value(of, key, depth + 1));
      }
      return values;
    }
    return this.#number(type, this.take(this.#sizeOf(type, key)), key);
  }

  /** Bytes of a number, or the least of a text or an array. */
  #sizeOf(type: number, key: string): number {
    if (type >= valueSizes.length) {
      this.fail(`'${key}' of a type from 0 to ${valueSizes.length - 1}`, String(type));
    }
    return valueSizes[type];
  }

  #number(type: number, at: number, key: string): GgufValue {
    const view = this.#view;
    const exact = (value: bigint): number | bigint =>
      BigInt.asIntN(54, value) === value ? Number(value) : value;
    switch (type) {
      case 0:
        return view.getUint8(at);
      case 1:
        return view.getInt8(at);
      case 2:
        return view.getUint16(at, true);
      case 3:
        return view.getInt16(at, true);
      case 4:
        return view.getUint32(at, true);
      case 5:
        return view.getInt32(at, true);
      case 6:
        return view.getFloat32(at, true);
      case 7: {
        const byte = view.getUint8(at);
        if (byte > 1) {
          this.fail(`'${key}' of 0 or 1`, String(byte));
        }
        return byte === 1;
      }
      case 10:
        return exact(view.getBigUint64(at, true));
      case 11:
        return exact(view.getBigInt64(at, true));
      default:
        return view.getFloat64(at, true);
    }
  }
}

const magic = 'GGUF';

/** Checks the magic bytes and the version. */
function readStart(reader: HeaderReader, bytes: Uint8Array): void {
  const start = [...bytes.subarray(0, 8)];
  const text = String.fromCharCode(...start);
  if (!text.startsWith(magic)) {
    const isText = start.length > 0 && start.every((byte) => byte >= 32 && byte < 127);
    const hex = start.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const begin = isText ? `text that begins with '${text}'` : `one that begins with ${hex}`;
    reader.fail('a GGUF file', start.length === 0 ? 'an empty one' : begin);
  }
  reader.take(magic.length);
  const version = reader.uint32();
  if (version !== 2 && version !== 3) {
    // The numbers of a big-endian file are reversed.
    const isBigEndian = version !== 0 && (version & 0xffff) === 0;
    const got = isBigEndian ? 'a big-endian one' : `version ${version}`;
    reader.fail('a little-endian GGUF file of version 2 or 3', got);
  }
}

/** Adds an entry under a name that must be new. */
function addNew<Entry>(
  reader: HeaderReader,
  entries: Map<string, Entry>,
  name: string,
  entry: Entry,
): void {
  if (entries.has(name)) {
    reader.fail('every name once', `'${name}' twice`);
  }
  entries.set(name, entry);
}

/** Reads a tensor's entry. Its place is relative to the first tensor's. */
function readTensor(reader: HeaderReader, alignment: number): GgufTensor {
  const name = reader.string();
  const failTensor = (expected: string, got: string | number | bigint): never =>
    reader.fail(`tensor '${name}' ${expected}`, String(got));
  const axes = reader.uint32();
  if (axes > maxAxes) {
    failTensor(`of at most ${maxAxes} axes`, axes);
  }
  const shape: number[] = [];
  let count = 1;
  // Readers multiply the other axes even if one is 0.
  let product = 1;
  for (let axis = 0; axis < axes; axis++) {
    const size = reader.uint64();
    product *= Math.max(Number(size), 1);
    if (size >= 2 ** 32 || product > Number.MAX_SAFE_INTEGER) {
      failTensor('of a shape that memory can hold', size);
    }
    shape.unshift(Number(size));
    count *= Number(size);
  }
  const number = reader.uint32();
  const type = blockTypes[number] ?? failTensor('of a known type', number);
  const [, numbers, bytes] = type;
  const rowSize = shape.at(-1) ?? 1;
  if (rowSize % numbers !== 0) {
    failTensor(`with rows of a multiple of ${numbers} numbers`, rowSize);
  }
  const begin = reader.uint64();
  if (begin % BigInt(alignment) !== 0n) {
    failTensor(`to begin at a multiple of ${alignment} bytes`, begin);
  }
  const end = Number(begin) + (count / numbers) * bytes;
  return { name, type, shape: Object.freeze(shape), begin: Number(begin), end };
}

/** Fails if a tensor exceeds the file or overlaps another. */
function checkPlaces(reader: HeaderReader, tensors: readonly GgufTensor[], size: number): void {
  const inOrder = tensors.filter(({ begin, end }) => begin < end);
  inOrder.sort((a, b) => a.begin - b.begin);
  for (const { name, begin, end } of tensors) {
    if (end > Math.max(size, 0)) {
      const expected = `tensor '${name}' to lie within ${Math.max(size, 0)} bytes`;
      reader.fail(expected, `${begin} to ${end}`);
    }
  }
  for (const [i, { name, begin }] of inOrder.entries()) {
    const before = inOrder[i - 1] as GgufTensor | undefined;
    if (before !== undefined && before.end > begin) {
      reader.fail('tensors that do not overlap', `'${before.name}' and '${name}'`);
    }
  }
}

function parse(bytes: Uint8Array, fileSize: number, name: string): GgufHeader {
  const reader = new HeaderReader(bytes, fileSize, name);
  readStart(reader, bytes);
  const tensorCount = reader.count('tensors', leastBytes.tensors);
  const keyCount = reader.count('keys', leastBytes.keys);
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < keyCount; i++) {
    const key = reader.string();
    addNew(reader, metadata, key, reader.value(reader.uint32(), key));
  }
  const alignment = metadata.get('general.alignment') ?? defaultAlignment;
  if (typeof alignment !== 'number' || alignment <= 0 || alignment % 8 !== 0) {
    return reader.fail("'general.alignment' of a multiple of 8", show(alignment));
  }
  const tensors = new Map<string, GgufTensor>();
  for (let i = 0; i < tensorCount; i++) {
    const tensor = readTensor(reader, alignment);
    addNew(reader, tensors, tensor.name, tensor);
  }
  const first = Math.ceil(reader.at / alignment) * alignment;
  const relative = [...tensors.values()];
  checkPlaces(reader, relative, fileSize - first);
  return {
    metadata: Object.fromEntries(metadata),
    tensors: relative.map((each) => ({
      ...each,
      begin: first + each.begin,
      end: first + each.end,
    })),
  };
}

/**
 * Reads the header of a file in memory.
 *
 * @internal
 */
export function ggufHeaderOf(file: Uint8Array, name: string): GgufHeader {
  return parse(file, file.length, name);
}

const firstPiece = 2 ** 16;

/**
 * Reads the header of a file, and little else. Its size is not known in advance, so that more and more is read.
 *
 * @internal
 */
export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  const { name, size } = source;
  let bytes = new Uint8Array();
  for (;;) {
    const end = Math.min(Math.max(2 * bytes.length, firstPiece), size);
    const longer = allocateBytes(end);
    longer.set(bytes);
    longer.set(await source.read(bytes.length, end), bytes.length);
    bytes = longer;
    try {
      return parse(bytes, size, name);
    } catch (error) {
      // `parse` never needs more than the file has.
      if (!(error instanceof MoreNeeded)) {
        throw error;
      }
    }
  }
}
