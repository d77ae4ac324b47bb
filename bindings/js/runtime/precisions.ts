/** Precision in which numbers are stored. */
export type Precision = 'float32' | 'float16' | 'int8';

/** The order of the C++ enumeration. */
export const precisions = ['float32', 'float16', 'int8'] as const satisfies readonly Precision[];
