import { choiceField, type Fields, numberField } from '../../address/field.js';

/** What the controls of the act hold. */
export interface ToyState {
  /** What the reader thinks will make the heads differ. */
  readonly guess: 'open' | Cause | 'skipped';
  readonly input: (typeof toyInputs)[number];
  /** How many steps the layer was trained for. */
  readonly steps: number;
}

/** What might make heads differ. */
export const causes = ['parameters', 'keys', 'training'] as const;
export type Cause = (typeof causes)[number];

export const toyInputs = ['ones', 'random'] as const;

/** Far enough for the loss to be next to nothing. */
export const lessonRange = { min: 0, max: 50, step: 1 } as const;

export const toyFields: Fields<ToyState> = {
  guess: choiceField('toy-guess', ['open', ...causes, 'skipped'], 'open'),
  input: choiceField('toy-input', toyInputs, 'ones'),
  steps: numberField('toy-steps', lessonRange, 0),
};

/** The chapter's own call. */
export const toySettings = { seed: 1, heads: 5, causal: false, scale: 1, dropout: 0 } as const;
