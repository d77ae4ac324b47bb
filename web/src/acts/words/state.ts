import { choiceField, type Field, type Fields, numberField } from '../../address/field.js';
import { words as addressWords } from '../../address/words.js';
import { cutTo, listOf } from '../../format/sentences.js';
import { type Head, nameOfHead } from '../../worker/heads.js';

/** What the controls of the act hold. What a model has not, it leaves aside. */
export interface WordsState {
  readonly text: string;
  readonly selected: Selected;
  /** The word whose weights are shown, counted from 1; 0 is the last one. */
  readonly query: number;
  readonly view: View;
  /** Heads whose gates are shut. */
  readonly shut: readonly Head[];
}

/** A layer, and one of its heads or all. */
export interface Selected {
  readonly layer: number;
  readonly head: number | undefined;
}

export const views = ['arcs', 'map'] as const;
export type View = (typeof views)[number];

export const maxCharacters = 200;

/** What is repeated is looked up by an induction head: without it, another token leads. */
const initialText = 'The world is better when the world is';

/** Of models that readers open: no address asks for more. */
const mostShut = 400;

function headOf(name: string): Head | undefined {
  const found = /^([1-9]\d?)\.([1-9]\d?)$/.exec(name);
  return found === null ? undefined : { layer: Number(found[1]) - 1, head: Number(found[2]) - 1 };
}

const textField: Field<string> = {
  name: 'words-text',
  initial: initialText,
  read: (written) => ({ value: cutTo(written, maxCharacters) }),
  write: (value) => value,
};

const selectedName = 'words-head';
const writeSelected = ({ layer, head }: Selected): string =>
  head === undefined ? String(layer + 1) : nameOfHead({ layer, head });

/** `2.2`, or `2` for all heads of a layer. */
const selectedField: Field<Selected> = {
  name: selectedName,
  initial: { layer: 1, head: 1 },
  read(written) {
    const one = headOf(written);
    if (one !== undefined) return { value: one };
    if (/^[1-9]\d?$/.test(written))
      return { value: { layer: Number(written) - 1, head: undefined } };
    const { initial } = selectedField;
    return {
      value: initial,
      correction: addressWords.list(selectedName, written, writeSelected(initial)),
    };
  },
  write: writeSelected,
};

const shutName = 'words-shut';
const writeShut = (heads: readonly Head[]): string => heads.map(nameOfHead).join();

/** `2.2,2.4` */
const shutField: Field<readonly Head[]> = {
  name: shutName,
  initial: [],
  read(written) {
    const names = written === '' ? [] : [...new Set(written.split(','))].slice(0, mostShut);
    const value = names.flatMap((name) => headOf(name) ?? []);
    if (writeShut(value) === written) return { value };
    const correction = addressWords.list(shutName, written, listOf(value.map(nameOfHead)));
    return { value, correction };
  },
  write: writeShut,
};

export const wordsFields: Fields<WordsState> = {
  text: textField,
  selected: selectedField,
  query: numberField('words-query', { min: 0, max: 40, step: 1 }, 0),
  view: choiceField('words-view', views, 'arcs'),
  shut: shutField,
};
