import { type AttentionInput, onesInput, randomInput } from '../../attention/input.js';
import { patternInput } from './patterns.js';
import { type InputState, parsed } from './sizes.js';
import { textInput } from './text-input.js';
import { userFileInput, userInput } from './user-file.js';

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
