import { choiceField, numberField, type StateOf } from '../../address/field.js';
import { Store } from '../../address/store.js';
import { type StepNumber, stepNumbers } from './steps.js';

const upTo = (max: number, min: 0 | 1) => ({ min, max, step: 1 });

/** Layers, heads and tokens beyond the last one count as the last one. */
const fields = {
  step: choiceField<StepNumber>('inside-step', stepNumbers, 1),
  /** `auto`: the sentence as soon as some act has loaded the model, the small layer before. */
  input: choiceField('inside-input', ['auto', 'small', 'sentence'] as const, 'auto'),
  /** Of the model, from 1. */
  layer: numberField('inside-layer', upTo(99, 1), 2),
  /** From 1. */
  head: numberField('inside-head', upTo(99, 1), 1),
  /** The token whose query is shown, from 1; 0: the last one. */
  query: numberField('inside-query', upTo(40, 0), 0),
  /** From 1; 0: the key with the largest score. */
  key: numberField('inside-key', upTo(40, 0), 0),
  /** Order of the products of query and key. */
  order: choiceField('inside-order', ['column', 'product'] as const, 'column'),
  /** By which dot products are divided; 0: as the layer does. */
  divisor: numberField('inside-divisor', { min: 0, max: 512, step: 0.01 }, 0),
};

/** What the controls of the act hold. */
export type InsideState = StateOf<typeof fields>;

export const createInsideStore = (): Store<InsideState> => new Store(fields);
