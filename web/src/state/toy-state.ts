import type { Fields } from './field.js';
import { choiceField } from './fields.js';

/** What the one control of the first act holds. */
export interface ToyState {
  readonly input: (typeof toyInputs)[number];
}

export const toyInputs = ['ones', 'random'] as const;

export const toyFields: Fields<ToyState> = {
  input: choiceField('toy-input', toyInputs, 'ones'),
};

/** The chapter's own call. */
export const toySettings = { seed: 1, heads: 5, causal: false, scale: 1, dropout: 0 } as const;
