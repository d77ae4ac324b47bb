import { translatable } from '../format/translation.js';

/** The field for the reader's sentence. */
export const words = translatable('reading', {
  label: 'Your sentence',
  examples: 'Sentences',
  cut: (maxCharacters: number) => `Only the first ${maxCharacters} characters are kept.`,
});
