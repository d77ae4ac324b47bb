import { chapterSizes, headCountsOf, type InputSizes, numHiddens } from '../../attention/input.js';
import { textSizes, type TokenKind } from './typed-text.js';
import {
  readNumbers,
  type UserFile,
  userFileSizes,
  userSizes,
  type UserTensors,
} from './user-data.js';

export const inputNames = ['ones', 'random', 'patterns', 'text', 'own'] as const;
export type Input = (typeof inputNames)[number];

/** The part of the state that makes an input. */
export interface InputState {
  readonly input: Input;
  readonly seed: number;
  readonly heads: number;
  readonly text: string;
  readonly tokens: TokenKind;
  /** Whether typed tokens know where they stand. */
  readonly positions: boolean;
  /** Numbers of the reader's own, as they were pasted. */
  readonly numbers: string;
  /** The reader's file, in place of numbers; the address has its name only. */
  readonly file: UserFile | undefined;
}

/** How many samples, of how many tokens, have planted patterns. */
export const patternShape = { batch: 2, length: 10 } as const;

const patternSizes: InputSizes = {
  batch: patternShape.batch,
  keys: patternShape.length,
  lens: Array.from({ length: patternShape.batch }, () => patternShape.length),
  headCounts: headCountsOf(numHiddens, patternShape.batch * patternShape.length ** 2),
};

export function sizesOf(state: InputState): InputSizes {
  switch (state.input) {
    case 'ones':
    case 'random':
      return chapterSizes;
    case 'patterns':
      return patternSizes;
    case 'text':
      return textSizes(state.text, state.tokens);
    case 'own':
      return state.file ? userFileSizes(state.file) : userSizes(parsed(state.numbers));
  }
}

let last: { readonly numbers: string; readonly tensors: UserTensors } | undefined;

/** Every change of a state asks for the same numbers: they are parsed once. */
export function parsed(numbers: string): UserTensors {
  if (last?.numbers !== numbers) last = { numbers, tensors: readNumbers(numbers) };
  return last.tensors;
}
