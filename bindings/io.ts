import { sizeOf, toFloats, type TensorInput } from './arrays.js';
import { allocate, core, read, reserve, writeBytes } from './core.js';
import { fail, failOutOfMemory, show } from './errors.js';
import { ask, request, shapeParts, toText } from './questions.js';
import { Tensor } from './tensor.js';

/** What a safetensors file holds. */
export interface Safetensors {
  /** The tensors by name, row-major; a state dict if they are a layer's parameters. */
  tensors: Record<string, Tensor>;
  /** The file's own remarks by name, its `__metadata__`. */
  metadata: Record<string, string>;
}

/** A tensor as a safetensors header has it. */
interface HeaderEntry {
  readonly dtype: string;
  readonly shape: number[];
  readonly data_offsets: readonly [number, number];
}

/** Where numbers lie in a file, and in what form. */
interface StoredNumbers {
  readonly bytes: Uint8Array;
  /** A safetensors dtype or NumPy's descr. */
  readonly format: string;
  readonly shape: readonly number[];
  readonly fortran: boolean;
}

/** Numbers that are converted in one go: they pass through working memory, which never shrinks. */
const portion = 2 ** 18;

function toBytes(value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  // By its name, since `instanceof` knows the buffers of one realm only.
  if (/^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))) {
    return new Uint8Array(value as ArrayBuffer);
  }
  return fail('invalid-type', 'bytes', 'a Uint8Array, another view or an ArrayBuffer', show(value));
}

function bytesOf(data: Float32Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** The bytes of a new file that begins with its header. */
function newFile(header: Uint8Array, dataSize: number): Uint8Array {
  try {
    const file = new Uint8Array(header.length + dataSize);
    file.set(header);
    return file;
  } catch {
    return failOutOfMemory();
  }
}

/** Has the core check a file's header; answers with where it ends and what the core says of it. */
function readHeader(
  question: 'readSafetensorsHeader' | 'readNpyHeader',
  file: Uint8Array,
  lengthBytes: number,
): [end: number, answer: string] {
  const room = 16;
  const end = Number(toText(ask(question, file.subarray(0, lengthBytes), room, file.length)));
  return [end, toText(ask(question, file.subarray(0, end), room, file.length))];
}

function readTensor({ bytes, format, shape, fortran }: StoredNumbers): Tensor {
  const loaded = core();
  const data = allocate(sizeOf(shape));
  const count = data.length;
  const numberSize = bytes.length / count;
  // Another order of axes is put right in one go.
  const step = fortran ? count : portion;
  for (let first = 0; first < count; first += step) {
    const part = data.subarray(first, first + step);
    const text = request(format, Number(fortran), ...shapeParts(fortran ? shape : [part.length]));
    const [textAt = 0, numbers = 0, floats = 0] = reserve(
      loaded,
      Math.ceil(text.length / 4),
      Math.ceil((part.length * numberSize) / 4),
      part.length,
    );
    writeBytes(loaded, textAt, text);
    const from = first * numberSize;
    writeBytes(loaded, numbers, bytes.subarray(from, from + part.length * numberSize));
    loaded.toFloats(textAt, text.length, numbers, floats);
    read(loaded, floats, part);
  }
  return new Tensor(data, shape);
}

/**
 * Reads a safetensors file. Takes the dtypes F32, F16, BF16 and F64, integers from 8 to 64 bits and BOOL, all as
 * float32, rounded to nearest. Everything that the format rules is checked: the header's length, its JSON, each name
 * once, sizes that follow from dtype and shape, data that follows without gap or overlap up to the end of the file.
 * Tensors have at most 64 axes. Source: huggingface/safetensors.
 *
 * ```js
 * const { tensors } = loadSafetensors(await (await fetch('model.safetensors')).arrayBuffer());
 * ```
 *
 * @throws HeadwiseError `invalid-file`, `invalid-type`, `out-of-memory`
 */
export function loadSafetensors(bytes: ArrayBufferView | ArrayBufferLike): Safetensors {
  const file = toBytes(bytes);
  const [end] = readHeader('readSafetensorsHeader', file, 8);
  // The core has checked it, so nothing that JSON.parse is lenient about is in there.
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(toText(file.slice(8, end))) as {
    readonly __metadata__?: Record<string, string>;
  };
  const data = file.subarray(end);
  // fromEntries defines properties; assigning would stumble over __proto__.
  const tensors = Object.fromEntries(
    Object.entries(entries as Record<string, HeaderEntry>).map(([name, entry]) => {
      const { dtype: format, shape, data_offsets: offsets } = entry;
      return [
        name,
        readTensor({ bytes: data.subarray(...offsets), format, shape, fortran: false }),
      ];
    }),
  );
  return { tensors, metadata };
}

/**
 * Writes a safetensors file of F32 tensors in the order of their names, as Python's safetensors does.
 *
 * @param metadata the file's own remarks by name, its `__metadata__`
 * @throws HeadwiseError `invalid-value` for names or metadata that are not Unicode and for a tensor of the name
 *   `__metadata__`; `invalid-type`, `invalid-shape`, `out-of-memory`
 */
export function saveSafetensors(
  tensors: Readonly<Record<string, TensorInput>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  checkRecord('tensors', tensors, 'tensors by name');
  checkRecord('metadata', metadata, 'strings by name');
  const entries = Object.entries(tensors).map(
    ([name, value]) => [name, toFloats(name, value)] as const,
  );
  const remarks = Object.entries(metadata);
  for (const [, remark] of remarks) {
    if (typeof remark !== 'string') {
      fail('invalid-type', 'metadata', 'strings by name', show(remark));
    }
  }
  const parts = [
    entries.length,
    ...entries.flatMap(([name, { shape }]) => [name, ...shapeParts(shape)]),
    remarks.length,
    ...remarks.flat(),
  ];
  const header = ask('writeSafetensorsHeader', request(...parts), 128);
  const places = JSON.parse(toText(header.subarray(8))) as Partial<Record<string, HeaderEntry>>;
  const dataSize = entries.reduce((sum, [, { data }]) => sum + data.byteLength, 0);
  const file = newFile(header, dataSize);
  for (const [name, { data }] of entries) {
    file.set(bytesOf(data), header.length + (places[name]?.data_offsets[0] ?? 0));
  }
  return file;
}

function checkRecord(argument: string, value: unknown, expected: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('invalid-type', argument, `an object of ${expected}`, show(value));
  }
}

/**
 * Reads an .npy file of one array, formats 1.0, 2.0 and 3.0: floats of 2, 4 and 8 bytes, integers of 1 to 8 and bools,
 * in either byte order and either order of axes, all as row-major float32, rounded to nearest. Arrays have at most 64
 * axes. Source: NumPy, `numpy.lib.format`.
 *
 * @throws HeadwiseError `invalid-file`, `invalid-type`, `out-of-memory`
 */
export function loadNpy(bytes: ArrayBufferView | ArrayBufferLike): Tensor {
  const file = toBytes(bytes);
  const [end, answer] = readHeader('readNpyHeader', file, 12);
  const { descr, fortran, shape } = JSON.parse(answer) as {
    readonly descr: string;
    readonly fortran: boolean;
    readonly shape: number[];
  };
  return readTensor({ bytes: file.subarray(end), format: descr, shape, fortran });
}

/**
 * Writes an .npy file, format 1.0, of float32 numbers in row-major order.
 *
 * @throws HeadwiseError `invalid-shape` for more than 64 axes; `invalid-type`, `out-of-memory`
 */
export function saveNpy(tensor: TensorInput): Uint8Array {
  const { data, shape } = toFloats('tensor', tensor);
  const header = ask('writeNpyHeader', request(...shapeParts(shape)), 128);
  const file = newFile(header, data.byteLength);
  file.set(bytesOf(data), header.length);
  return file;
}
