/** Numbers of symbols, row-major, in plain JavaScript memory. */
export interface Tokens {
  readonly data: Int32Array;
  readonly shape: readonly number[];
}

/** The target of a position where nothing is asked; the key of a query that has no right one. */
export const ignoredTarget = -1;
