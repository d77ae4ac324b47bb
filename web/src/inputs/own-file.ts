import {
  loadNpy,
  loadSafetensors,
  MultiHeadAttention,
  Tensor,
  type StateDict,
  type TensorsByName,
} from 'headwise';

import { text } from '../text/index.js';
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

export type OwnFile = { readonly name: string } & (OwnTensors | OwnParameters);

const megabyte = 2 ** 20;
const largestFile = 256;

/** What the file chooser offers. */
export const fileKinds = '.npy,.safetensors,.json,.csv,.txt';

/**
 * Reads a file of queries, keys and values, or of a layer's parameters.
 *
 * @throws Error that says what was expected
 */
export async function readOwnFile(file: File): Promise<OwnFile> {
  const { name, size } = file;
  if (size > largestFile * megabyte)
    throw new Error(text.own.tooLarge(size / megabyte, largestFile));
  if (/\.(?:json|csv|tsv|txt)$/i.test(name)) return { name, ...readNumbers(await file.text()) };
  const bytes = new Uint8Array(await file.arrayBuffer());
  // NumPy's files say what they are; the name tells the other kind.
  if (bytes[0] === 0x93) return { name, ...ownTensors({ queries: loadNpy(bytes) }) };
  if (!/\.safetensors$/i.test(name)) throw new Error(text.own.unknownFile(name));
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
