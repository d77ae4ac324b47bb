import { text } from '../text.js';
import {
  headCounts,
  initialState,
  inputs,
  sameState,
  seedRange,
  sizes,
  type ViewState,
} from './view-state.js';

export interface Reading {
  readonly state: ViewState;
  /** One sentence for each part of the address that could not be taken as it was. */
  readonly corrections: readonly string[];
}

/** Reads a query such as `?input=random&seed=7&heads=5&valid=3,2`; what is left out is initial. */
export function readQuery(query: string): Reading {
  const parameters = new URLSearchParams(query);
  const corrections: string[] = [];
  const state: Mutable<ViewState> = { ...initialState };

  const input = parameters.get('input');
  if (input !== null) {
    const known = inputs.find((name) => name === input);
    if (known !== undefined) state.input = known;
    else corrections.push(text.corrections.input(input, inputs));
  }
  const seed = parameters.get('seed');
  if (seed !== null) {
    state.seed = clamp(wholeNumber(seed) ?? initialState.seed, seedRange.min, seedRange.max);
    if (state.seed !== Number(seed)) corrections.push(text.corrections.seed(seed, state.seed));
  }
  const heads = parameters.get('heads');
  if (heads !== null) {
    const known = headCounts.find((count) => count === wholeNumber(heads));
    if (known !== undefined) state.heads = known;
    else corrections.push(text.corrections.heads(heads, headCounts, state.heads));
  }
  const valid = parameters.get('valid');
  if (valid !== null) {
    const given = valid.split(',').map(wholeNumber);
    state.validLens = initialState.validLens.map((initial, sample) =>
      clamp(given[sample] ?? initial, 0, sizes.keys),
    );
    if (state.validLens.join() !== given.join()) {
      corrections.push(text.corrections.valid(valid, state.validLens));
    }
  }
  return { state, corrections };
}

/** The query for a state, with whatever else the query of the present address holds. */
export function writeQuery(state: ViewState, present: string): string {
  const parameters = new URLSearchParams(present);
  for (const name of ['input', 'seed', 'heads', 'valid']) parameters.delete(name);
  if (!sameState(state, initialState)) {
    parameters.set('input', state.input);
    parameters.set('seed', String(state.seed));
    parameters.set('heads', String(state.heads));
    parameters.set('valid', state.validLens.join());
  }
  // A comma may stand in a query as it is, and an address that reads well is shared more gladly.
  const query = parameters.toString().replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

function wholeNumber(written: string): number | undefined {
  return /^-?\d{1,15}$/.test(written) ? Number(written) : undefined;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
