import { range } from 'd3-array';
import { loadNpy, loadSafetensors, Tensor } from 'headwise';

import {
  type AttentionInput,
  numHiddens,
  onesInput,
  randomInput,
} from '../../attention/attention-view.js';
import { cutTo } from '../../format/sentences.js';
import { type InputState, ownTensors, patternLength as length } from './state.js';
import { dataWords, maxNameLength, readNumbers, type UserFile, userTensors } from './user-data.js';

export function buildInput(state: InputState): AttentionInput {
  const { input, heads, seed } = state;
  if (input === 'ones') return onesInput();
  if (input === 'random') return randomInput(seed);
  return input === 'patterns' ? patternInput(heads, seed) : ownTensors(state);
}

/** Numbers after the position, from which the values are made. */
const content = 8;
const size = length + content;

/** Score of the key that a pattern asks for; the other scores are about 0. */
const sharpness = 5;
/** How much a query's content disturbs its scores. */
const noise = 0.6;

/** What heads can be planted to look at. */
export const plantedPatterns = ['copy', 'previousToken', 'firstToken', 'diagonal', 'even'] as const;
export type PlantedPattern = (typeof plantedPatterns)[number];

/** How many tokens back patterns look; `even` looks nowhere. */
const offsets = { copy: 3, previousToken: 1, diagonal: 0, even: NaN } as const;

/** The key that a pattern asks for, if any. */
export function targetOf(pattern: PlantedPattern, query: number): number | undefined {
  if (pattern === 'firstToken') return 0;
  const target = query - offsets[pattern];
  return target >= 0 ? target : undefined;
}

/** The pattern of each head, in an order that the seed decides. Some head looks three back, however few there are. */
export function plantedIn(numHeads: number, seed: number): readonly PlantedPattern[] {
  const drawn = Tensor.randn([numHeads], 13 * seed).data;
  const order = range(numHeads).sort((one, other) => (drawn[one] ?? 0) - (drawn[other] ?? 0));
  return range(numHeads).map(
    (head) => plantedPatterns[order.indexOf(head) % plantedPatterns.length] ?? 'even',
  );
}

/**
 * Tokens that contain their position, and parameters by which each head follows a pattern. A token is its one-hot
 * position and random content. W_k passes the position on; W_q turns a query's position into the one that it looks
 * for, so that only the product with that key is large.
 */
function patternInput(numHeads: number, seed: number): AttentionInput {
  const tokens = Tensor.randn([1, length, size], 2 * seed);
  const shape = [numHeads * length, size];
  const queryWeights = Tensor.randn(shape, 2 * seed + 1);
  const keyWeights = Tensor.zeros(shape);
  for (const position of range(length)) {
    tokens.data.fill(0, position * size, position * size + length);
    tokens.data[position * size + position] = 1;
  }
  plantedIn(numHeads, seed).forEach((pattern, head) => {
    for (const row of range(length)) {
      const start = (head * length + row) * size;
      keyWeights.data[start + row] = 1;
      for (const column of range(size)) {
        // A query without such a key looks for the first one.
        const target = pattern === 'even' ? undefined : (targetOf(pattern, column) ?? 0);
        const wanted = column < length && target === row;
        const disturbed = column < length || pattern === 'even' ? 0 : noise;
        queryWeights.data[start + column] = wanted
          ? sharpness * Math.sqrt(length)
          : disturbed * (queryWeights.data[start + column] ?? 0);
      }
    }
  });
  return {
    queries: tokens,
    keys: tokens,
    values: tokens,
    parameters: {
      'W_q.weight': queryWeights,
      'W_k.weight': keyWeights,
      'W_v.weight': scaled(Tensor.randn(shape, 3 * seed), 1 / Math.sqrt(size)),
      'W_o.weight': scaled(
        Tensor.randn([numHiddens, numHeads * length], 5 * seed),
        1 / Math.sqrt(numHeads * length),
      ),
    },
  };
}

function scaled(tensor: Tensor, factor: number): Tensor {
  return new Tensor(
    tensor.data.map((value) => factor * value),
    tensor.shape,
  );
}

/** Enough for the largest tensors, also as text. */
const maxMegabytes = 2;

/**
 * Reads a file of queries, keys and values.
 *
 * @throws Error that says what was expected
 */
export async function readUserFile(file: File): Promise<UserFile> {
  const name = cutTo(file.name, maxNameLength);
  const megabytes = file.size / 2 ** 20;
  if (megabytes > maxMegabytes)
    throw new Error(dataWords.user.tooLarge(Math.ceil(megabytes), maxMegabytes));
  if (/\.(?:json|csv|tsv|txt)$/i.test(file.name)) {
    return { name, ...readNumbers(await file.text()) };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  // NumPy files begin with a magic number; safetensors files are known by their extension.
  if (bytes[0] === 0x93) return { name, ...userTensors({ queries: loadNpy(bytes) }) };
  if (!/\.safetensors$/i.test(file.name))
    throw new Error(dataWords.user.unknownFile(file.name.slice(-40)));
  return { name, ...userTensors(loadSafetensors(bytes).tensors) };
}
