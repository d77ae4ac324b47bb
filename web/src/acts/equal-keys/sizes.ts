import { chapterSizes, headCountsOf, type InputSizes, numHiddens } from '../../attention/input.js';
import { readNumbers, type UserFile, type UserTensors } from './user-data.js';

export const inputNames = ['ones', 'random', 'patterns', 'own'] as const;

/** The part of the state that makes an input. */
export interface InputState {
  readonly input: (typeof inputNames)[number];
  readonly seed: number;
  readonly heads: number;
  /** The reader's own numbers, as they were pasted. */
  readonly numbers: string;
  /** The reader's file, used instead of `numbers`; the address has its name only. */
  readonly file: UserFile | undefined;
}

/** Number of tokens with planted patterns. */
export const patternLength = 10;

export function sizesOf(state: InputState): InputSizes {
  if (state.input === 'patterns') return sizesFor(patternLength, patternLength);
  if (state.input !== 'own') return chapterSizes;
  const { queries, keys } = ownTensors(state);
  return sizesFor(queries.shape[1] ?? 0, keys.shape[1] ?? 0);
}

const sizesFor = (queries: number, keys: number): InputSizes => ({
  keys,
  validLen: keys,
  headCounts: headCountsOf(numHiddens, queries * keys),
});

let last: { readonly numbers: string; readonly tensors: UserTensors } | undefined;

/** The reader's queries, keys and values. Pasted numbers are parsed once for all changes of a state. */
export function ownTensors({ file, numbers }: InputState): UserTensors {
  if (file !== undefined) return file;
  if (last?.numbers !== numbers) last = { numbers, tensors: readNumbers(numbers) };
  return last.tensors;
}
