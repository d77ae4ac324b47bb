import { choiceField, type Fields, numberField } from '../../address/field.js';
import { Store } from '../../address/store.js';
import { type StepNumber, stepNumbers } from './steps.js';

/** `auto`: the sentence as soon as some act has loaded the model, the small layer before. */
export const inputNames = ['auto', 'small', 'sentence'] as const;
export const orderNames = ['column', 'product'] as const;

/** What the controls of the act hold. Layers, heads and tokens beyond the last one count as the last one. */
export interface InsideState {
  readonly step: StepNumber;
  readonly input: (typeof inputNames)[number];
  /** Of the model, from 1. */
  readonly layer: number;
  /** From 1. */
  readonly head: number;
  /** The token whose query is shown, from 1; 0: the last one. */
  readonly query: number;
  /** From 1; 0: the key with the largest score. */
  readonly key: number;
  /** Order of the products of query and key. */
  readonly order: (typeof orderNames)[number];
  /** By which dot products are divided; 0: as the layer does. */
  readonly divisor: number;
}

const upTo = (max: number, min: 0 | 1) => ({ min, max, step: 1 });

const fields: Fields<InsideState> = {
  step: choiceField<StepNumber>('inside-step', stepNumbers, 1),
  input: choiceField('inside-input', inputNames, 'auto'),
  layer: numberField('inside-layer', upTo(99, 1), 2),
  head: numberField('inside-head', upTo(99, 1), 1),
  query: numberField('inside-query', upTo(40, 0), 0),
  key: numberField('inside-key', upTo(40, 0), 0),
  order: choiceField('inside-order', orderNames, 'column'),
  divisor: numberField('inside-divisor', { min: 0, max: 512, step: 0.01 }, 0),
};

export const createInsideStore = (): Store<InsideState> => new Store(fields);
