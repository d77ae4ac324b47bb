import { fileContents, headerText } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkWord, entriesOf } from '../runtime/options.js';
import { filePrecisions, type FilePrecision } from '../runtime/precisions.js';
import { receive, send } from '../runtime/records.js';
import type { OwnBytes } from '../runtime/typed-arrays.js';
import { checkAttached, toFloatView } from '../tensor/arrays.js';
import {
  bytesPerNumber,
  toIntegers,
  type IntegerTensor,
  type TensorsByName,
} from '../tensor/integers.js';
import { checkFileShape } from '../tensor/shapes.js';
import {
  toFileSource,
  type BlobLike,
  type ByteSource,
  type FileHandleLike,
} from './byte-sources.js';
import { toBytes, toFile, unnamed } from './files.js';
import { roundRows } from './rounded-weights.js';
import {
  contentsOf,
  headerOf,
  readHeader,
  tensorsIn,
  tensorsOf,
  textsOf,
  type Safetensors,
  type SafetensorsFile,
} from './safetensors-contents.js';

async function loadFrom(opened: Promise<ByteSource>): Promise<SafetensorsFile> {
  modelsCore();
  const source = await opened;
  const header = await readHeader(source);
  return contentsOf(tensorsOf(source, header), textsOf(header));
}

/**
 * Reads a safetensors file: its header now, a tensor when it is first accessed. Floats (F64, F32, F16, BF16 and the
 * five F8) become float32 tensors; F64 is rounded, the others are exact. Integers and booleans become
 * `{ dtype, data, shape }`. All results are copies. Accessing a tensor of an unsupported dtype (C64, F6_E2M3, F6_E3M2,
 * F4) is an error that names it; the other tensors can be read.
 * Source: the format's description in the safetensors repository.
 *
 * @param bytes the file: a typed array, a view or a buffer. The bytes are not copied and must not change as long as you
 *   read tensors. If they change, tensors change; if the buffer is transferred or shrinks, reading is an error.
 * @throws HeadwiseError `invalid-file` for a malformed file: wrong lengths, bad JSON, unknown dtypes, duplicate names,
 *   tensors that overlap, leave gaps or exceed the file; `invalid-value` for an unknown name; `invalid-type`,
 *   `not-initialized`, `out-of-memory`
 */
export function loadSafetensors(bytes: ArrayBufferView | ArrayBufferLike): Safetensors;
/**
 * Reads a safetensors file that is not in memory: its header now, a tensor's bytes when the tensor is first accessed.
 * The members of `tensors` are Promises.
 *
 * ```js
 * const { names, read } = await loadSafetensors(file);
 * const layer = await read(names.filter((name) => name.startsWith('encoder.layers.0.')));
 * ```
 *
 * @param file a `Blob` or `File`, or a `FileHandle` of Node's `fs/promises`, which must stay open as long as you read
 *   tensors
 * @throws HeadwiseError as for a file in memory; also `invalid-file` if the file cannot be read or its size has changed
 */
export function loadSafetensors(file: BlobLike | FileHandleLike): Promise<SafetensorsFile>;
export function loadSafetensors(
  given: ArrayBufferView | ArrayBufferLike | BlobLike | FileHandleLike,
): Safetensors | Promise<SafetensorsFile> {
  const opened = toFileSource(given, unnamed);
  if (opened !== undefined) {
    return loadFrom(opened);
  }
  modelsCore();
  const file = toBytes(given);
  const header = headerOf(file);
  return contentsOf(tensorsIn(file, header), textsOf(header));
}

/** Checks that UTF-8 can encode the text: it has no lone surrogates. */
function checkText(text: string): void {
  if (/\p{Surrogate}/u.test(text)) {
    fail('invalid-value', 'tensors', 'names and metadata in Unicode', show(text));
  }
}

/** A tensor to write to a file. */
interface Saved {
  readonly name: string;
  readonly dtype: string;
  /** Bytes of one number. */
  readonly size: number;
  readonly data: Float32Array | IntegerTensor['data'];
  readonly shape: readonly number[];
}

export interface SaveSafetensorsOptions {
  /**
   * Precision of the weights, that is, of floats with two or more axes whose names end with `weight`: `'float16'`
   * writes F16, `'int8'` writes I8 with a factor for each row in `NAME_scale`, (rows, 1), as F32. Parameters of layers
   * with the same `weights` option are saved without loss. Default: `'float32'`.
   */
  precision?: FilePrecision | undefined;
}

/** Rounds a tensor. An I8 tensor is followed by its factors. */
function toPrecision(saved: Saved, precision: FilePrecision): Saved[] {
  const { name, dtype, data, shape } = saved;
  if (precision === 'float32' || dtype !== 'F32' || shape.length < 2 || !name.endsWith('weight')) {
    return [saved];
  }
  const [rows = 1] = shape;
  const rounded = roundRows(data as Float32Array, rows, precision);
  return precision === 'float16'
    ? [{ name, dtype: 'F16', size: 2, data: rounded.bytes, shape }]
    : [
        { name, dtype: 'I8', size: 1, data: rounded.bytes, shape },
        { ...{ name: `${name}_scale`, dtype, size: 4, data: rounded.scales }, shape: [rows, 1] },
      ];
}

function toSaved(name: string, value: unknown): Saved {
  checkText(name);
  if (name === '__metadata__') {
    fail('invalid-value', 'tensors', 'names other than that of the metadata', `'${name}'`);
  }
  const integers = toIntegers(name, value);
  return integers === undefined
    ? { name, dtype: 'F32', size: Float32Array.BYTES_PER_ELEMENT, ...toFloatView(name, value) }
    : { name, size: bytesPerNumber(integers.dtype), ...integers };
}

/**
 * Makes a safetensors file of F32 tensors, and of integers and booleans (inputs with a `dtype`) in their own dtypes.
 * Accepts what `loadSafetensors` returns and any other tensor inputs. Tensors are sorted by element size, largest
 * first, so that all are aligned, and then by name.
 *
 * @param tensors by name
 * @param metadata texts by name. Default: `{ format: 'pt' }`, which Transformers requires and which is added if there
 *   is no `format`.
 * @param options `precision` of weights
 * @throws HeadwiseError `invalid-value` for names and metadata that are not Unicode, for the name `__metadata__`, for
 *   booleans other than 0 and 1, and for weights whose `NAME_scale` is another tensor's name; `invalid-option`,
 *   `unknown-option`, `invalid-type`, `invalid-shape`, `not-initialized`, `out-of-memory`
 */
export function saveSafetensors(
  tensors: TensorsByName,
  metadata: Readonly<Record<string, string>> = {},
  options?: SaveSafetensorsOptions,
): OwnBytes {
  modelsCore();
  const { precision: asked } = checkOptions<SaveSafetensorsOptions>(options, ['precision']);
  const precision = checkWord('precision', asked, filePrecisions);
  const saved = entriesOf('tensors', tensors, 'tensors').map(([name, value]) =>
    toSaved(name, value),
  );
  const given = entriesOf('metadata', metadata, 'texts');
  // Transformers reads no file without it.
  const texts = given.some(([name]) => name === 'format')
    ? given
    : [...given, ['format', 'pt'] as const].sort(([a], [b]) => (a < b ? -1 : 1));

  for (const { name, size, data, shape } of saved) {
    checkAttached(name, { data, shape });
    checkFileShape(name, shape, size);
  }
  const checked = texts.map(([name, text]) => {
    if (typeof text !== 'string') {
      fail('invalid-type', 'metadata', 'texts', show(text));
    }
    checkText(name);
    checkText(text);
    return { name, text };
  });
  // Reading the tensors may have run the caller's code, which may have entered another core.
  const loaded = modelsCore();
  const written = saved
    .flatMap((tensor) => toPrecision(tensor, precision))
    .sort((a, b) => b.size - a.size);
  const names = new Set<string>();
  for (const { name } of written) {
    if (names.has(name)) {
      fail('invalid-value', 'tensors', 'every name once', `'${name}' twice`);
    }
    names.add(name);
  }
  const request = send(fileContents, { tensors: written, metadata: checked });
  const { bytes } = receive(headerText, loaded.writeSafetensorsHeader(request));
  return toFile(
    bytes,
    written.map(({ data }) => data),
  );
}
