/** How many bits a number has where it is kept. */
export type Precision = 'float32' | 'float16' | 'int8';

/** In the order of the C++ enumeration. */
export const precisions = ['float32', 'float16', 'int8'] as const satisfies readonly Precision[];
