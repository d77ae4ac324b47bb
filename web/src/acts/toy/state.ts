import { choiceField, type Fields, numberField } from '../../address/field.js';

/** What the controls of the act hold. */
export interface ToyState {
  readonly input: (typeof toyInputs)[number];
  /** How many steps the layer was trained for. */
  readonly steps: number;
}

export const toyInputs = ['ones', 'random'] as const;

/** Far enough for the loss to be next to nothing. */
export const lessonRange = { min: 0, max: 50, step: 1 } as const;

export const toyFields: Fields<ToyState> = {
  input: choiceField('toy-input', toyInputs, 'ones'),
  steps: numberField('toy-steps', lessonRange, 0),
};

/** The chapter's own call. */
export const toySettings = { seed: 1, heads: 5, causal: false, scale: 1, dropout: 0 } as const;
