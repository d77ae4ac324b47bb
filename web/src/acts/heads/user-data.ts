import {
  loadNpy,
  loadSafetensors,
  MultiHeadAttention,
  saveNpy,
  type StateDict,
  Tensor,
  type TensorInput,
  type TensorsByName,
} from 'headwise';

import {
  type AttentionInput,
  chapterSizes,
  headCountsOf,
  type InputSizes,
  numHiddens,
} from '../../attention/input.js';
import { cutTo } from '../../format/sentences.js';
import { words } from './words.js';

/** Parameters of the reader's own. */
export interface UserParameters {
  /** By d2l's names, whatever they were called in the file. */
  readonly parameters: StateDict;
  /** What stood before their names in the file. */
  readonly prefix: string;
  readonly numHiddens: number;
  readonly querySize: number;
  readonly keySize: number;
  readonly valueSize: number;
}

/** What no address can hold, by the name under which one asks for it. */
export type UserFile = {
  readonly name: string;
  /** What was pasted, if it is that and no file. */
  readonly pasted?: string;
} & (UserTensors | UserParameters);

/** Longer names are cut, as an address has them. */
export const maxNameLength = 200;

/** The name that pasted numbers have in place of a file's. */
export const pastedName = 'pasted numbers';

const megabyte = 2 ** 20;
const maxFileMegabytes = 256;
/** As many digits as the largest tensors have: text is read in one go, and the page waits for it. */
const maxTextFileMegabytes = 32;

/** What the file chooser offers. */
export const fileKinds = '.npy,.safetensors,.json,.csv,.txt';

/**
 * Reads a file of queries, keys and values, or of a layer's parameters.
 *
 * @throws Error that says what was expected
 */
export async function readUserFile(file: File): Promise<UserFile> {
  const { size } = file;
  const name = cutTo(file.name, maxNameLength);
  const isText = /\.(?:json|csv|tsv|txt)$/i.test(file.name);
  const largest = isText ? maxTextFileMegabytes : maxFileMegabytes;
  if (size > largest * megabyte) throw new Error(words.user.tooLarge(size / megabyte, largest));
  if (isText) return { name, ...readNumbers(await file.text()) };
  const bytes = new Uint8Array(await file.arrayBuffer());
  // NumPy's files begin with a magic number; the other kind is known by its name.
  if (bytes[0] === 0x93) return { name, ...userTensors({ queries: loadNpy(bytes) }) };
  if (!/\.safetensors$/i.test(file.name)) throw new Error(words.user.unknownFile(file.name));
  const { tensors } = loadSafetensors(bytes);
  if ('queries' in tensors) return { name, ...userTensors(tensors) };
  return { name, ...readParameters(tensors) };
}

/** The first layer in a state dict, of whatever model. */
function readParameters(tensors: TensorsByName): UserParameters {
  const projections = /^(.*?)[^.]*(?:W_q|query|q_proj|in_proj|c_attn|qkv)[^.]*(?:\.weight)?$/i;
  const found = Object.keys(tensors)
    .map((name) => projections.exec(name)?.[1])
    .find((before) => before !== undefined);
  if (found === undefined) throw new Error(words.user.noParameters(Object.keys(tensors)));
  // Names of one layer may part ways before the projection's own: `self.query`, `output.dense`.
  const parts = found.split('.').slice(0, -1);
  let reason: unknown;
  for (let kept = parts.length; kept >= 0; kept--) {
    const prefix = parts.slice(0, kept).join('.');
    try {
      return parametersOf(tensors, prefix);
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason;
}

function parametersOf(tensors: TensorsByName, prefix: string): UserParameters {
  const layer = MultiHeadAttention.fromStateDict(tensors, { numHeads: 1, prefix });
  try {
    const { numHiddens, querySize = 0, keySize = 0, valueSize = 0, pooling, projection } = layer;
    const parameters = layer.stateDict();
    const isPlain =
      pooling === 'dot-product' && projection === 'linear' && !('bias_k' in parameters);
    if (!isPlain) throw new Error(words.user.otherLayer);
    return { parameters, prefix, numHiddens, querySize, keySize, valueSize };
  } finally {
    layer.dispose();
  }
}

export function userFileSizes(file: UserFile): InputSizes {
  if ('queries' in file) return userSizes(file);
  const { batch, keys } = chapterSizes;
  const lens = Array.from({ length: batch }, () => keys);
  return { batch, keys, lens, headCounts: headCountsOf(file.numHiddens, batch * keys ** 2) };
}

/** The file's tensors; to parameters alone, random ones that fit them. */
export function userFileInput(file: UserFile, seed: number): AttentionInput {
  if ('queries' in file) return userInput(file);
  const { parameters, querySize, keySize, valueSize } = file;
  const { batch, keys: length } = chapterSizes;
  const keys = Tensor.randn([batch, length, keySize], 2 * seed);
  const draw = (size: number, drawSeed: number): Tensor =>
    size === keySize ? keys : Tensor.randn([batch, length, size], drawSeed);
  return {
    queries: draw(querySize, 2 * seed + 1),
    keys,
    values: draw(valueSize, 3 * seed),
    parameters,
  };
}

/** What a page can draw, and a reader take in. */
export const userLimits = { batch: 4, length: 24, size: 4096 } as const;

/** Queries, keys and values of the reader's own, checked. */
export interface UserTensors {
  /** (batch, queries, size) */
  readonly queries: Tensor;
  /** (batch, keys, size) */
  readonly keys: Tensor;
  /** (batch, keys, size) */
  readonly values: Tensor;
}

/**
 * Reads pasted numbers: CSV, a row a token; nested JSON arrays, (length, size) or
 * (batch, length, size); or a JSON object of these by the names queries, keys and values.
 *
 * @throws Error that says what was expected
 */
export function readNumbers(pasted: string): UserTensors {
  const written = pasted.trim();
  if (written === '') throw new Error(words.user.nothing);
  if (!/^[[{]/.test(written)) return userTensors({ queries: readCsv(written) });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    throw new Error(words.user.notJson);
  }
  return userTensors(
    Array.isArray(parsed) ? { queries: parsed } : (parsed as Partial<Record<string, unknown>>),
  );
}

/** Rows of numbers, between which anything stands that a spreadsheet writes there. */
function readCsv(written: string): number[][] {
  const lines = written.split(/\r?\n/);
  // To take a longer row apart, the page would stand still.
  const long = lines.findIndex((line) => line.length > userLimits.size * maxDigits);
  if (long >= 0) {
    throw new Error(
      words.user.longRow(long + 1, lines[long]?.length ?? 0, userLimits.size, maxDigits),
    );
  }
  if (lines.length > userLimits.length) {
    const shape = [lines.length, cellsOf(lines[0] ?? '').length];
    throw new Error(words.user.shape('queries', shape, userLimits));
  }
  return lines.map((line, row) =>
    cellsOf(line).map((cell) => {
      const value = cell === '' ? NaN : Number(cell);
      if (Number.isNaN(value)) throw new Error(words.user.notNumber(cell, row + 1));
      return value;
    }),
  );
}

/** More than any float64 is written with, the sign, the exponent and a separator included. */
const maxDigits = 32;

const cellsOf = (line: string): string[] => line.trim().split(/\s*[,;\t]\s*|\s+/);

/**
 * What tensors mean by their names: keys left out are the queries, values left out the keys.
 *
 * @throws Error that says what was expected
 */
export function userTensors(named: Partial<Record<string, unknown>>): UserTensors {
  if (named.queries === undefined) throw new Error(words.user.noQueries(Object.keys(named)));
  const queries = toSamples('queries', named.queries);
  const keys = named.keys === undefined ? queries : toSamples('keys', named.keys);
  const values = named.values === undefined ? keys : toSamples('values', named.values);
  const [batch, length] = keys.shape;
  if (queries.shape[0] !== batch || values.shape[0] !== batch || values.shape[1] !== length) {
    throw new Error(words.user.disagree([queries.shape, keys.shape, values.shape]));
  }
  return { queries, keys, values };
}

/** Numbers as (batch, length, size); the package itself checks that they are numbers and even. */
function toSamples(name: string, given: unknown): Tensor {
  const { data, shape } = given instanceof Tensor ? given : loadNpy(saveNpy(given as TensorInput));
  const [batch = 0, length = 0, size = 0] = shape.length === 2 ? [1, ...shape] : shape;
  const hasRank = shape.length === 2 || shape.length === 3;
  const fits = batch <= userLimits.batch && length <= userLimits.length && size <= userLimits.size;
  if (!hasRank || !fits || data.length === 0) {
    throw new Error(words.user.shape(name, shape, userLimits));
  }
  if (!data.every(Number.isFinite)) throw new Error(words.user.notFinite(name));
  return new Tensor(data, [batch, length, size]);
}

export function userSizes({ queries, keys }: UserTensors): InputSizes {
  const [batch = 0, length = 0] = keys.shape;
  const [, numQueries = 0] = queries.shape;
  const cells = batch * numQueries * length;
  const lens = Array.from({ length: batch }, () => length);
  return { batch, keys: length, lens, headCounts: headCountsOf(numHiddens, cells) };
}

export function userInput({ queries, keys, values }: UserTensors): AttentionInput {
  return { queries, keys, values };
}
