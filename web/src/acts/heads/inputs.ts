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
  userFileInput,
  userFileSizes,
  userInput,
  userSizes,
  readNumbers,
} from './user-data.js';

export const inputNames = ['ones', 'random', 'patterns', 'text', 'own'] as const;
export type Input = (typeof inputNames)[number];

/** What the state says of an input. */
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
  /** The name of the reader's file, which itself is in no address. */
  readonly file: string;
}

/** All inputs there can be, and the one file that no address can hold. */
export class Inputs {
  #file: UserFile | undefined;

  get file(): UserFile | undefined {
    return this.#file;
  }

  hold(file: UserFile): void {
    this.#file = file;
  }

  sizesOf(state: InputState): InputSizes {
    switch (state.input) {
      case 'ones':
      case 'random':
        return chapterSizes;
      case 'patterns':
        return patternSizes;
      case 'text':
        return textSizes(state.text, state.tokens);
      case 'own': {
        const file = this.#heldFor(state);
        return file ? userFileSizes(file) : userSizes(readNumbers(state.numbers));
      }
    }
  }

  build(state: InputState): AttentionInput {
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
      case 'own': {
        const file = this.#heldFor(state);
        return file ? userFileInput(file, seed) : userInput(readNumbers(state.numbers));
      }
    }
  }

  #heldFor({ file }: InputState): UserFile | undefined {
    return file !== '' && file === this.#file?.name ? this.#file : undefined;
  }
}
