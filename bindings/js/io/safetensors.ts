import { fileContents, headerText } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { entriesOf } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
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
 * @throws HeadwiseError `invalid-value` for names and metadata that are not Unicode, for the name `__metadata__` and for
 *   booleans other than 0 and 1; `invalid-type`, `invalid-shape`, `not-initialized`, `out-of-memory`
 */
export function saveSafetensors(
  tensors: TensorsByName,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  modelsCore();
  const saved = entriesOf('tensors', tensors, 'tensors')
    .map(([name, value]) => toSaved(name, value))
    .sort((a, b) => b.size - a.size);
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
  const request = send(fileContents, { tensors: saved, metadata: checked });
  const { bytes } = receive(headerText, loaded.writeSafetensorsHeader(request));
  return toFile(
    bytes,
    saved.map(({ data }) => data),
  );
}
