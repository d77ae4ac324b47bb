import {
  fileContents,
  fileHeader,
  headerBytes,
  headerText,
  type FileTensor,
} from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { entriesOf } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { checkAttached, toFloatView } from '../tensor/arrays.js';
import {
  bytesPerNumber,
  isIntegerDtype,
  readIntegers,
  toIntegers,
  type IntegerTensor,
  type TensorsByName,
} from '../tensor/integers.js';
import { checkFileShape } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkHeader, readFloats, toBytes, toFile } from './files.js';

/** What a safetensors file holds. */
export interface Safetensors {
  /** The tensors by name: floats of any size as float32, integers and booleans as they are. */
  tensors: Record<string, Tensor | IntegerTensor>;
  /** The file's texts by name. */
  metadata: Record<string, string>;
}

const lengthSize = 8;
const largestHeader = 100_000_000;

/** The bytes of the header and the length before it, as far as the file has them. */
function headerOf(file: Uint8Array): Uint8Array {
  if (file.length < lengthSize) {
    return file;
  }
  const view = new DataView(file.buffer, file.byteOffset, lengthSize);
  const length = Number(view.getBigUint64(0, true));
  return file.subarray(0, lengthSize + (length > largestHeader ? 0 : length));
}

function readTensor(
  { dtype, format, begin, end, shape }: FileTensor,
  data: Uint8Array,
): Tensor | IntegerTensor {
  const bytes = data.subarray(begin, end);
  return isIntegerDtype(dtype)
    ? readIntegers(dtype, bytes, shape)
    : new Tensor(readFloats(format, bytes), shape);
}

/** The entry as a member of `tensors`. A tensor that is not read is an error for who asks for it. */
function memberOf(entry: FileTensor, data: Uint8Array): PropertyDescriptor {
  const { name, dtype, format } = entry;
  return format.size > 0
    ? { value: readTensor(entry, data), writable: true }
    : {
        get: () =>
          fail('invalid-file', 'bytes', `tensor '${name}' of real numbers in whole bytes`, dtype),
      };
}

/**
 * Reads a safetensors file, each tensor in the caller's own memory: floats (F64, F32, F16, BF16 and the five F8) as
 * tensors of float32, which rounds F64 and keeps the others; integers and booleans as `{ dtype, data, shape }`. To ask
 * for a tensor of another dtype (C64, F6_E2M3, F6_E3M2, F4) is an error that names it; the others are there.
 * Source: the format's description in the safetensors repository.
 *
 * @param bytes the file: a typed array, a view or a buffer
 * @throws HeadwiseError `invalid-file` for whatever breaks the format's rules: lengths, JSON, dtypes that the format does
 *   not have, names that are there twice, tensors outside the file, over one another or with holes between them;
 *   `invalid-type`, `not-initialized`, `out-of-memory`
 */
export function loadSafetensors(bytes: ArrayBufferView | ArrayBufferLike): Safetensors {
  const loaded = core();
  const file = toBytes(bytes);
  const request = send(headerBytes, { fileSize: file.length, bytes: headerOf(file) });
  const header = receive(fileHeader, loaded.readSafetensorsHeader(request));
  checkHeader(header);
  const data = file.subarray(header.size);
  // Unlike assignments, these take any name as it is.
  const tensors: Safetensors['tensors'] = {};
  for (const entry of header.tensors) {
    const member = memberOf(entry, data);
    Object.defineProperty(tensors, entry.name, { ...member, enumerable: true, configurable: true });
  }
  const metadata = Object.fromEntries(header.metadata.map(({ name, text }) => [name, text]));
  return { tensors, metadata };
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
): Uint8Array {
  const loaded = core();
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
  const request = send(fileContents, { tensors: saved, metadata: checked });
  const { bytes } = receive(headerText, loaded.writeSafetensorsHeader(request));
  return toFile(
    bytes,
    saved.map(({ data }) => data),
  );
}
