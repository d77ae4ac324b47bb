import {
  loadNpy,
  loadSafetensors,
  MultiHeadAttention,
  Tensor,
  type StateDict,
  type TensorsByName,
} from 'headwise';

import { text } from '../text/index.js';
import { cutTo } from '../text/words.js';
import { headCountsOf, type AttentionInput, type InputSizes } from './attention-input.js';
import { chapterSizes } from './chapter.js';
import { ownInput, ownSizes, ownTensors, readNumbers, type OwnTensors } from './own-numbers.js';

/** Parameters of the reader's own. */
export interface OwnParameters {
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
export type OwnFile = {
  readonly name: string;
  /** What was pasted, if it is that and no file. */
  readonly pasted?: string;
} & (OwnTensors | OwnParameters);

/** Longer names are cut, as an address has them. */
export const longestName = 200;

/** The name that pasted numbers have in place of a file's. */
export const pastedName = 'pasted numbers';

const megabyte = 2 ** 20;
const largestFile = 256;
/** As many digits as the largest tensors have: text is read in one go, and the page waits for it. */
const largestTextFile = 32;

/** What the file chooser offers. */
export const fileKinds = '.npy,.safetensors,.json,.csv,.txt';

/**
 * Reads a file of queries, keys and values, or of a layer's parameters.
 *
 * @throws Error that says what was expected
 */
export async function readOwnFile(file: File): Promise<OwnFile> {
  const { size } = file;
  const name = cutTo(file.name, longestName);
  const isText = /\.(?:json|csv|tsv|txt)$/i.test(file.name);
  const largest = isText ? largestTextFile : largestFile;
  if (size > largest * megabyte) throw new Error(text.own.tooLarge(size / megabyte, largest));
  if (isText) return { name, ...readNumbers(await file.text()) };
  const bytes = new Uint8Array(await file.arrayBuffer());
  // NumPy's files say what they are; the name tells the other kind.
  if (bytes[0] === 0x93) return { name, ...ownTensors({ queries: loadNpy(bytes) }) };
  if (!/\.safetensors$/i.test(file.name)) throw new Error(text.own.unknownFile(file.name));
  const { tensors } = loadSafetensors(bytes);
  if ('queries' in tensors) return { name, ...ownTensors(tensors) };
  return { name, ...readParameters(tensors) };
}

/** The first layer in a state dict, of whatever model. */
function readParameters(tensors: TensorsByName): OwnParameters {
  const projections = /^(.*?)[^.]*(?:W_q|query|q_proj|in_proj|c_attn|qkv)[^.]*(?:\.weight)?$/i;
  const found = Object.keys(tensors)
    .map((name) => projections.exec(name)?.[1])
    .find((before) => before !== undefined);
  if (found === undefined) throw new Error(text.own.noParameters(Object.keys(tensors)));
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

function parametersOf(tensors: TensorsByName, prefix: string): OwnParameters {
  const layer = MultiHeadAttention.fromStateDict(tensors, { numHeads: 1, prefix });
  try {
    const { numHiddens, querySize = 0, keySize = 0, valueSize = 0, pooling, projection } = layer;
    const parameters = layer.stateDict();
    const isPlain =
      pooling === 'dot-product' && projection === 'linear' && !('bias_k' in parameters);
    if (!isPlain) throw new Error(text.own.otherLayer);
    return { parameters, prefix, numHiddens, querySize, keySize, valueSize };
  } finally {
    layer.dispose();
  }
}

export function ownFileSizes(file: OwnFile): InputSizes {
  if ('queries' in file) return ownSizes(file);
  const { batch, keys } = chapterSizes;
  const lens = Array.from({ length: batch }, () => keys);
  return { batch, keys, lens, headCounts: headCountsOf(file.numHiddens, batch * keys ** 2) };
}

/** The file's tensors; to parameters alone, random ones that fit them. */
export function ownFileInput(file: OwnFile, seed: number): AttentionInput {
  if ('queries' in file) return ownInput(file);
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
