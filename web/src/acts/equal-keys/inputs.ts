import { type AttentionInput, onesInput, randomInput } from '../../attention/input.js';
import { patternInput } from './patterns.js';
import { type InputState, ownTensors } from './sizes.js';

export function buildInput(state: InputState): AttentionInput {
  const { input, heads, seed } = state;
  if (input === 'ones') return onesInput();
  if (input === 'random') return randomInput(seed);
  return input === 'patterns' ? patternInput(heads, seed) : ownTensors(state);
}
