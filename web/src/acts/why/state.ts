import { choiceField, type Fields, numberField, seedRange } from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import { words as addressWords } from '../../address/words.js';

export const headSizes = [4, 16, 64] as const;
export const orderNames = ['unit', 'product'] as const;
export const measureNames = ['entropy', 'gradient'] as const;
export type MeasureName = (typeof measureNames)[number];

export const numWhyHeads = 4;
/** Tokens of the sentence, which are queries and keys. */
export const numTokens = 8;

/** What the controls of the act hold. */
export interface WhyState {
  /** Columns of a head, and so components of a query and of a key. */
  readonly d: number;
  /** What the scores are divided by. */
  readonly divisor: number;
  readonly head: number;
  /** From 1. */
  readonly query: number;
  /** From 1; 0 is the key with the largest score. */
  readonly key: number;
  /** How the products of query and key are sorted. */
  readonly order: (typeof orderNames)[number];
  readonly measure: MeasureName;
  /** Of embeddings and parameters. */
  readonly seed: number;
}

/** Up to twice d. */
export const largestDivisor = (d: number): number => 2 * d;

const fields: Fields<WhyState> = {
  d: choiceField<number>('why-d', headSizes, 64),
  divisor: numberField('why-divisor', { min: 1, max: largestDivisor(64), step: 0.01 }, 1),
  head: numberField('why-head', { min: 1, max: numWhyHeads, step: 1 }, 1),
  query: numberField('why-query', { min: 1, max: numTokens, step: 1 }, 3),
  key: numberField('why-key', { min: 0, max: numTokens, step: 1 }, 0),
  order: choiceField('why-order', orderNames, 'unit'),
  measure: choiceField('why-measure', measureNames, 'entropy'),
  seed: numberField('why-seed', seedRange, 1),
};

/** With a smaller d the divisor ends earlier. */
function normalize(state: WhyState): Normalized<WhyState> {
  const { d, divisor } = state;
  const largest = largestDivisor(d);
  if (divisor <= largest) return { state, corrections: [] };
  const { name } = fields.divisor;
  return {
    state: { ...state, divisor: largest },
    corrections: [addressWords.number(name, String(divisor), 1, largest, largest)],
  };
}

export const createWhyStore = (): Store<WhyState> => new Store(fields, normalize);
