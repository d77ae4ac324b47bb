import { choiceField, type Fields, numberField, seedRange } from '../../address/field.js';
import { type Normalized, Store } from '../../address/store.js';
import type { StepNumber } from './steps.js';

export const stepNumbers = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
export const figureHeadCounts = [2, 3, 4] as const;
export const maskNames = ['length', 'causal', 'none'] as const;
export type MaskName = (typeof maskNames)[number];

/** What the controls of the act hold. */
export interface FigureState {
  readonly step: StepNumber;
  /** The head whose copy is in front, from 1. */
  readonly head: number;
  readonly heads: number;
  readonly mask: MaskName;
  /** Of parameters and input. */
  readonly seed: number;
}

const fields: Fields<FigureState> = {
  step: choiceField<StepNumber>('figure-step', stepNumbers, 1),
  head: numberField('figure-head', { min: 1, max: 4, step: 1 }, 1),
  heads: choiceField<number>('figure-heads', figureHeadCounts, 3),
  mask: choiceField('figure-mask', maskNames, 'length'),
  seed: numberField('figure-seed', seedRange, 1),
};

/** With fewer heads, the last one takes the place of one that there is no more. */
function normalize(state: FigureState): Normalized<FigureState> {
  return { state: { ...state, head: Math.min(state.head, state.heads) }, corrections: [] };
}

export const createFigureStore = (): Store<FigureState> => new Store(fields, normalize);
