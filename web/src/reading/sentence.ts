import { writtenField } from '../address/field.js';
import { Store } from '../address/store.js';
import { cutTo } from '../format/sentences.js';
import opening from './sentence.json' with { type: 'json' };

/** More than any model of the page reads: a limit for addresses and for what is pasted. */
export const maxCharacters = 1000;

/**
 * The reader's sentence, one for the whole page, as it was written. How many of its tokens a model reads, the model says.
 */
export const sentence = new Store({
  text: writtenField('text', opening.text, (written) => cutTo(written, maxCharacters), String),
});
