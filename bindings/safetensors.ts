import { sizeOf, toFloats, type TensorInput } from './arrays.js';
import { core } from './core.js';
import { fail, show } from './errors.js';
import { checkHeader, formatIn, readFloats, toBytes, toFile } from './files.js';
import { entriesOf } from './options.js';
import { Question } from './questions.js';
import { Tensor } from './tensor.js';

/** What a safetensors file holds. */
export interface Safetensors {
  /** The tensors by name. */
  tensors: Record<string, Tensor>;
  /** The file's texts by name. */
  metadata: Record<string, string>;
}

const lengthSize = 8;
const largestHeader = 100_000_000;

/** The bytes of the header and the length before it, as far as the file has them. */
function headerBytes(file: Uint8Array): Uint8Array {
  if (file.length < lengthSize) {
    return file;
  }
  const view = new DataView(file.buffer, file.byteOffset, lengthSize);
  const length = Number(view.getBigUint64(0, true));
  return file.subarray(0, lengthSize + (length > largestHeader ? 0 : length));
}

/**
 * Reads a safetensors file of F32, F16 and BF16 tensors, each in the caller's own memory.
 * Source: the format's description in the safetensors repository.
 *
 * @param bytes the file: a typed array, a view or a buffer
 * @throws HeadwiseError `invalid-file` for whatever breaks the format's rules: lengths, JSON, names that are there
 *   twice, tensors outside the file, over one another or with holes between them; `invalid-type`, `not-initialized`,
 *   `out-of-memory`
 */
export function loadSafetensors(bytes: ArrayBufferView | ArrayBufferLike): Safetensors {
  const loaded = core();
  const file = toBytes(bytes);
  const answer = new Question()
    .wide(file.length)
    .text(headerBytes(file))
    .ask(loaded, 'readSafetensorsHeader');
  checkHeader(answer);
  const data = answer.wide();
  const entries = Array.from({ length: answer.number() }, () => ({
    name: answer.text(),
    format: formatIn(answer),
    begin: data + answer.wide(),
    shape: answer.shape(),
  }));
  const metadata = Array.from({ length: answer.number() }, () => [answer.text(), answer.text()]);
  const tensors = entries.map(({ name, format, begin, shape }): [string, Tensor] => {
    const numbers = file.subarray(begin, begin + format.size * sizeOf(shape));
    return [name, new Tensor(readFloats(loaded, format, numbers), shape)];
  });
  // Unlike assignments, these take any name as it is.
  return {
    tensors: Object.fromEntries(tensors),
    metadata: Object.fromEntries(metadata) as Record<string, string>,
  };
}

/** Text that UTF-8 can hold: no half of a surrogate pair. */
function checkText(text: string): void {
  if (/\p{Surrogate}/u.test(text)) {
    fail('invalid-value', 'tensors', 'names and metadata in Unicode', show(text));
  }
}

/**
 * A safetensors file of F32 tensors, in the order of their names.
 *
 * @param tensors by name; whatever is taken for a tensor
 * @param metadata texts by name
 * @throws HeadwiseError `invalid-value` for names and metadata that are not Unicode and for the name `__metadata__`;
 *   `invalid-type`, `invalid-shape`, `not-initialized`, `out-of-memory`
 */
export function saveSafetensors(
  tensors: Readonly<Record<string, TensorInput>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const loaded = core();
  const question = new Question();
  const named = entriesOf('tensors', tensors, 'tensors');
  question.number(named.length);
  const numbers = named.map(([name, value]) => {
    checkText(name);
    if (name === '__metadata__') {
      fail('invalid-value', 'tensors', 'names other than that of the metadata', `'${name}'`);
    }
    const { data, shape } = toFloats(name, value);
    question.text(name).shape(name, shape);
    return data;
  });
  const texts = entriesOf('metadata', metadata, 'texts');
  question.number(texts.length);
  for (const [name, text] of texts) {
    if (typeof text !== 'string') {
      fail('invalid-type', 'metadata', 'texts', show(text));
    }
    checkText(name);
    checkText(text);
    question.text(name).text(text);
  }
  return toFile(question.ask(loaded, 'writeSafetensorsHeader').bytes(), numbers);
}
