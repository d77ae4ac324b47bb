/** The chapter's sizes. */
export const sizes = { batch: 2, queries: 4, keys: 6, hiddens: 100 } as const;

/** What the controls of the page hold, and the address with them. */
export interface ViewState {
  readonly input: Input;
  readonly seed: number;
  readonly heads: number;
  /** One for each sample: how many of its keys are valid. */
  readonly validLens: readonly number[];
}

export const inputs = ['ones', 'random'] as const;
export type Input = (typeof inputs)[number];

/** Divisors of 100 that leave a head at least 5 hidden units. */
export const headCounts = [1, 2, 4, 5, 10, 20] as const;

export const seedRange = { min: 1, max: 999_999 } as const;

/** The chapter's own call: part 1 shows it, whatever the controls of part 2 say. */
export const toyExample: ViewState = { input: 'ones', seed: 1, heads: 5, validLens: [3, 2] };

/** Where part 2 begins: the same call, with the one change that tells the heads apart. */
export const initialState: ViewState = { ...toyExample, input: 'random' };

export function sameState(a: ViewState, b: ViewState): boolean {
  return (
    a.input === b.input &&
    a.seed === b.seed &&
    a.heads === b.heads &&
    a.validLens.join() === b.validLens.join()
  );
}
