import {
  type AttentionInput,
  chapterSizes,
  type InputSizes,
  onesInput,
  randomInput,
} from '../../attention/input.js';
import { patternInput, patternSizes } from './patterns.js';
import { textInput, textSizes, type TokenKind } from './typed-text.js';
import {
  type UserFile,
  type UserTensors,
  userFileInput,
  userFileSizes,
  userInput,
  userSizes,
  readNumbers,
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

export function buildInput(state: InputState): AttentionInput {
  const { seed } = state;
  switch (state.input) {
    case 'ones':
      return onesInput();
    case 'random':
      return randomInput(seed);
    case 'patterns':
      return patternInput(state.heads, seed);
    case 'text':
      return textInput(state.text, state.tokens, state.positions, seed);
    case 'own':
      return state.file ? userFileInput(state.file, seed) : userInput(parsed(state.numbers));
  }
}

let last: { readonly numbers: string; readonly tensors: UserTensors } | undefined;

/** Every change of a state asks for the same numbers: they are parsed once. */
function parsed(numbers: string): UserTensors {
  if (last?.numbers !== numbers) last = { numbers, tensors: readNumbers(numbers) };
  return last.tensors;
}
