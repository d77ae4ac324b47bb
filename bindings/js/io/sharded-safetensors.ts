import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { toSource, type BlobLike, type FileHandleLike } from './byte-sources.js';
import {
  contentsOf,
  readHeader,
  tensorsOf,
  textsOf,
  type SafetensorsFile,
} from './safetensors-contents.js';
import { isObject } from '../runtime/options.js';

/** A checkpoint's parsed `model.safetensors.index.json`: the file of each tensor. */
export interface SafetensorsIndex {
  readonly metadata?: unknown;
  readonly weight_map: Readonly<Record<string, string>>;
}

/** A safetensors file in memory, a Blob, or a file handle. */
export type SafetensorsSource = ArrayBufferView | ArrayBufferLike | BlobLike | FileHandleLike;

const failIndex = (expected: string, got: string): never =>
  fail('invalid-file', 'index', expected, got);

/** Whether it names a file in the index's folder, so that a malicious index cannot make a caller open other files. */
const isBeside = (file: unknown): file is string =>
  typeof file === 'string' &&
  !/[\\:]/.test(file) &&
  !file.includes('\0') &&
  file.split('/').every((part) => !['', '.', '..'].includes(part));

/**
 * The file of each tensor.
 *
 * @internal
 */
export function weightMapOf(index: unknown): Map<string, string> {
  if (!isObject(index)) {
    fail('invalid-type', 'index', 'a parsed model.safetensors.index.json', show(index));
  }
  const { weight_map: map } = index as Partial<Record<'weight_map', unknown>>;
  if (!isObject(map) || Array.isArray(map)) {
    failIndex('a weight_map of files by the names of tensors', show(map));
  }
  const files = new Map<string, string>();
  const wrong: string[] = [];
  for (const name of Object.keys(map as object)) {
    const file = (map as Readonly<Record<string, unknown>>)[name];
    if (isBeside(file)) {
      files.set(name, file);
    } else {
      wrong.push(`${show(file)} for '${name}'`);
    }
  }
  if (wrong.length > 0) {
    failIndex('names of files beside it', wrong.join(', '));
  }
  return files;
}

/**
 * Reads a checkpoint of several safetensors files as one: the header of each now, a tensor when it is first accessed.
 * Tensors that the index does not list are ignored. `metadata` has the texts of all files; if several files use a name,
 * the first file's text is kept.
 *
 * ```js
 * const index = JSON.parse(await readFile('model.safetensors.index.json', 'utf8'));
 * const { tensors } = await loadShardedSafetensors(index, (file) => open(file));
 * const weight = await tensors['wte.weight'];
 * ```
 *
 * @param index the parsed `model.safetensors.index.json`
 * @param open returns the file with this name in the index: any argument of `loadSafetensors`, or a Promise of it. It
 *   is called once for each file, and its errors are passed on.
 * @throws HeadwiseError as `loadSafetensors`, with the file's name; `invalid-file` for an index that is malformed or
 *   lists tensors missing from their files; the error lists all of them
 */
export async function loadShardedSafetensors(
  index: SafetensorsIndex,
  open: (file: string) => SafetensorsSource | Promise<SafetensorsSource>,
): Promise<SafetensorsFile> {
  modelsCore();
  const fileOf = weightMapOf(index);
  if (typeof open !== 'function') {
    fail('invalid-type', 'open', 'a function', show(open));
  }
  const files = new Map<string, ReturnType<typeof tensorsOf>>();
  const metadata = new Map<string, string>();
  for (const file of new Set(fileOf.values())) {
    const source = await toSource(await open(file), file);
    const header = await readHeader(source);
    files.set(file, tensorsOf(source, header));
    for (const [name, text] of Object.entries(textsOf(header))) {
      metadata.set(name, metadata.get(name) ?? text);
    }
  }

  const tensors: ReturnType<typeof tensorsOf> = new Map();
  const missing: string[] = [];
  for (const [name, file] of fileOf) {
    const tensor = files.get(file)?.get(name);
    if (tensor === undefined) {
      missing.push(`'${name}' of ${file}`);
    } else {
      tensors.set(name, tensor);
    }
  }
  if (missing.length > 0) {
    failIndex('tensors that their files have', missing.join(', '));
  }
  return contentsOf(tensors, Object.fromEntries(metadata));
}
