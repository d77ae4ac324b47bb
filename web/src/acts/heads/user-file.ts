import { loadNpy, loadSafetensors, MultiHeadAttention, Tensor, type TensorsByName } from 'headwise';

import { type AttentionInput, chapterSizes } from '../../attention/input.js';
import { cutTo } from '../../format/sentences.js';
import {
  maxNameLength,
  namesIn,
  readNumbers,
  type UserFile,
  type UserParameters,
  type UserTensors,
  userTensors,
} from './user-data.js';
import { words } from './words.js';

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

const projections = /W_q|query|q_proj|in_proj|c_attn|qkv/i;

/** What stands before the name of a layer's first projection; undefined if this is none. */
function beforeProjection(name: string): string | undefined {
  const own = name.slice(0, name.endsWith('.weight') ? -'.weight'.length : undefined);
  const start = own.lastIndexOf('.') + 1;
  return projections.test(own.slice(start)) ? own.slice(0, start) : undefined;
}

/** Names of one layer part ways at most so many levels above a projection: `self.query`, `output.dense`. */
const maxLevelsBetween = 3;

/** The first layer in a state dict, of whatever model. */
function readParameters(tensors: TensorsByName): UserParameters {
  const found = Object.keys(tensors)
    .map(beforeProjection)
    .find((before) => before !== undefined);
  if (found === undefined) throw new Error(words.user.noParameters(namesIn(tensors)));
  const parts = found.split('.').slice(0, -1);
  let reason: unknown;
  for (let above = 0; above <= Math.min(parts.length, maxLevelsBetween); above++) {
    const prefix = parts.slice(0, parts.length - above).join('.');
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

export function userInput({ queries, keys, values }: UserTensors): AttentionInput {
  return { queries, keys, values };
}
