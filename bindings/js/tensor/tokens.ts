/** Tokens as numbers: row-major, in plain JavaScript memory. */
export interface Tokens {
  readonly data: Int32Array;
  readonly shape: readonly number[];
}

/** The target of a position without a loss; the key of a query without a correct one. */
export const ignoredTarget = -1;
