import { fileContents, headerText } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkWord, entriesOf } from '../runtime/options.js';
import { precisions, type Precision } from '../runtime/precisions.js';
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
 * Reads a safetensors file: its header now, a tensor when it is asked for, each in the caller's own memory. Floats (F64,
 * F32, F16, BF16 and the five F8) become tensors of float32, which rounds F64 and keeps the others; integers and
 * booleans `{ dtype, data, shape }`. To ask for a tensor of another dtype (C64, F6_E2M3, F6_E3M2, F4) is an error that
 * names it; the others are there.
 * Source: the format's description in the safetensors repository.
 *
 * @param bytes the file: a typed array, a view or a buffer. They are not copied, and must stay as they are as long as
 *   tensors are asked for: of changed bytes come changed tensors, of a buffer that was transferred or made smaller an
 *   error.
 * @throws HeadwiseError `invalid-file` for whatever breaks the format's rules: lengths, JSON, dtypes that the format does
 *   not have, names that are there twice, tensors outside the file, over one another or with holes between them;
 *   `invalid-value` for a name that is not there; `invalid-type`, `not-initialized`, `out-of-memory`
 */
export function loadSafetensors(bytes: ArrayBufferView | ArrayBufferLike): Safetensors;
/**
 * The same of a file that is not in memory: only the header is read, and when a tensor is asked for its bytes and no
 * others. The members of `tensors` are Promises.
 *
 * ```js
 * const { names, read } = await loadSafetensors(file);
 * const layer = await read(names.filter((name) => name.startsWith('encoder.layers.0.')));
 * ```
 *
 * @param file a `Blob` or `File`, or a `FileHandle` of Node's `fs/promises`, which stays open as long as tensors are
 *   asked for
 * @throws HeadwiseError as above; `invalid-file` too for a file that cannot be read or that has another size by now
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

/** Text that UTF-8 can hold: no half of a surrogate pair. */
function checkText(text: string): void {
  if (/\p{Surrogate}/u.test(text)) {
    fail('invalid-value', 'tensors', 'names and metadata in Unicode', show(text));
  }
}

/** A tensor on its way into a file. */
interface Saved {
  readonly name: string;
  readonly dtype: string;
  /** Bytes of a number. */
  readonly size: number;
  readonly data: Float32Array | IntegerTensor['data'];
  readonly shape: readonly number[];
}

export interface SaveSafetensorsOptions {
  /**
   * Precision of weights, which are floats of two or more axes whose names end with `weight`: `'float16'` writes them as
   * F16, `'int8'` as I8 with a factor for each row in `NAME_scale`, (rows, 1), as F32. What state dicts of layers with such
   * `weights` hold comes back as it was. Default: `'float32'`.
   */
  precision?: Precision | undefined;
}

/** A tensor as the file holds it: one of I8 is followed by its factors. */
function toPrecision(saved: Saved, precision: Precision): Saved[] {
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
 * A safetensors file of what `loadSafetensors` gives and of whatever else is taken for a tensor: integers and booleans
 * that tell their `dtype` in that one, everything else as F32. Larger numbers come first, so that all are aligned;
 * otherwise tensors are in the order of their names.
 *
 * @param tensors by name
 * @param metadata texts by name
 * @param options `precision` of weights
 * @throws HeadwiseError `invalid-value` for names and metadata that are not Unicode, for the name `__metadata__`, for booleans
 *   other than 0 and 1 and for weights whose factors another tensor names; `invalid-option`, `unknown-option`, `invalid-type`, `invalid-shape`, `not-initialized`, `out-of-memory`
 */
export function saveSafetensors(
  tensors: TensorsByName,
  metadata: Readonly<Record<string, string>> = {},
  options?: SaveSafetensorsOptions,
): OwnBytes {
  modelsCore();
  const { precision: given } = checkOptions<SaveSafetensorsOptions>(options, ['precision']);
  const precision = checkWord('precision', given, precisions);
  const saved = entriesOf('tensors', tensors, 'tensors').map(([name, value]) =>
    toSaved(name, value),
  );
  const texts = entriesOf('metadata', metadata, 'texts');

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
  // Reading may have run code of the caller's.
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
