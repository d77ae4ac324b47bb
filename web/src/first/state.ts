import { type Field, type Fields, numberField } from '../address/field.js';
import { words as addressWords } from '../address/words.js';
import { cutTo } from '../format/sentences.js';

/** What the reader has chosen on the first screen. */
export interface FirstState {
  /** A sentence of the reader's; empty for the one that the page opens with. */
  readonly text: string;
  /** The head that is shown alone, counted from 1; 0 for all. */
  readonly head: number;
  /** The word whose weights are shown, counted from 1; 0 where the page chooses. */
  readonly query: number;
}

/** Its second half repeats some of the first, and every word is one token of the model's. */
export const example = 'I am what I am and you are what you are';

export const maxWords = 12;
export const maxCharacters = 100;

/** Of what a reader writes or pastes, the part that is used. */
export function usedPart(written: string): string {
  const beyond = [...written.slice(0, 10 * maxCharacters).matchAll(/\S+/g)].at(maxWords);
  return cutTo(beyond === undefined ? written : written.slice(0, beyond.index), maxCharacters);
}

const textName = 'first-text';

const textField: Field<string> = {
  name: textName,
  initial: '',
  read(written) {
    const value = usedPart(written);
    if (value === written) return { value };
    return { value, correction: addressWords.list(textName, written, value) };
  },
  write: (text) => text,
};

export const firstFields: Fields<FirstState> = {
  text: textField,
  head: numberField('first-head', { min: 0, max: 4, step: 1 }, 0),
  query: numberField('first-query', { min: 0, max: 40, step: 1 }, 0),
};
