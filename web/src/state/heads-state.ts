import { text } from '../text/index.js';
import { listOf } from '../text/words.js';
import type { Fields } from './field.js';
import { choiceField, nearest, numberField, numberListField } from './fields.js';
import type { Settled } from './store.js';

/** The chapter's sizes. */
export const sizes = { batch: 2, queries: 4, keys: 6, hiddens: 100 } as const;

/** The chapter's valid lengths, which the act begins with. */
const chapterLens: readonly number[] = [3, 2];

/** What the controls of the second act hold. */
export interface HeadsState {
  readonly input: Input;
  readonly seed: number;
  readonly heads: number;
  /** One for each sample: how many of its keys are valid. None: as many as the input has. */
  readonly validLens: readonly number[];
}

export const inputs = ['ones', 'random'] as const;
export type Input = (typeof inputs)[number];

/** Divisors of 100 that leave a head at least 5 hidden units. */
export const headCounts = [1, 2, 4, 5, 10, 20] as const;

export const seedRange = { min: 1, max: 999_999, step: 1 } as const;

export const headsFields: Fields<HeadsState> = {
  input: choiceField('input', inputs, 'random'),
  seed: numberField('seed', seedRange, 1),
  heads: choiceField<number>('heads', headCounts, 5),
  validLens: numberListField('valid'),
};

/** The chapter's own call: the first act shows it, whatever the controls of the second say. */
export const toyExample: HeadsState = { input: 'ones', seed: 1, heads: 5, validLens: [] };

/** The valid length of each sample. */
export function validLensOf({ validLens }: HeadsState): readonly number[] {
  const range = { min: 0, max: sizes.keys, step: 1 };
  return chapterLens.map((length, sample) => nearest(validLens[sample] ?? length, range));
}

/** Valid lengths that the input has, and none where they are its own. */
export function settleHeads(state: HeadsState): Settled<HeadsState> {
  const validLens = validLensOf(state);
  const given = state.validLens.join();
  const isGiven = given === '' || given === validLens.join();
  return {
    state: { ...state, validLens: validLens.join() === chapterLens.join() ? [] : validLens },
    corrections: isGiven
      ? []
      : [text.corrections.list(headsFields.validLens.name, given, listOf(validLens))],
  };
}
