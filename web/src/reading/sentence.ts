import type { Field } from '../address/field.js';
import { Store } from '../address/store.js';
import { words as addressWords } from '../address/words.js';
import { cutTo } from '../format/sentences.js';
import opening from './sentence.json';

/** More than any model of the page reads: a limit for addresses and for what is pasted. */
export const maxCharacters = 1000;

const textField: Field<string> = {
  name: 'text',
  initial: opening.text,
  read(written) {
    const value = cutTo(written, maxCharacters);
    return value === written
      ? { value }
      : { value, correction: addressWords.list('text', written, value) };
  },
  write: (text) => text,
};

/**
 * The reader's sentence, one for the whole page, as it was written. How many of its tokens a model reads, the model says.
 */
export const sentence = new Store({ text: textField });
