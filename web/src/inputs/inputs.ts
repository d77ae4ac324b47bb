import type { HeadsState } from '../state/heads-state.js';
import type { AttentionInput, InputSizes } from './attention-input.js';
import { chapterSizes, onesInput, randomInput } from './chapter.js';
import { ownFileInput, ownFileSizes, type OwnFile } from './own-file.js';
import { ownInput, ownSizes, readNumbers } from './own-numbers.js';
import { patternInput, patternSizes } from './patterns.js';
import { textInput, textSizes } from './typed-text.js';

/** What the state says of an input. */
export type InputState = Pick<
  HeadsState,
  'input' | 'seed' | 'heads' | 'text' | 'tokens' | 'positions' | 'numbers' | 'file'
>;

/** All inputs there can be, and the one file that no address can hold. */
export class Inputs {
  #file: OwnFile | undefined;

  get file(): OwnFile | undefined {
    return this.#file;
  }

  hold(file: OwnFile): void {
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
        return file ? ownFileSizes(file) : ownSizes(readNumbers(state.numbers));
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
        return file ? ownFileInput(file, seed) : ownInput(readNumbers(state.numbers));
      }
    }
  }

  #heldFor({ file }: InputState): OwnFile | undefined {
    return file !== '' && file === this.#file?.name ? this.#file : undefined;
  }
}
