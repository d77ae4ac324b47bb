import type { MultiHeadAttention } from '../layer/multi-head-attention.js';

/**
 * Which attention layers of a model: the decoder's self-attention, its cross-attention, or the encoder's
 * self-attention. Models without cross-attention have `'self'` only.
 */
export type Side = 'self' | 'cross' | 'encoder';

/** The order of the C++ enumeration. */
export const sides = ['self', 'cross', 'encoder'] as const satisfies readonly Side[];

/** Makes a record with a value for each side. */
export const bySide = <Each>(of: (side: Side) => Each): Record<Side, Each> => ({
  self: of('self'),
  cross: of('cross'),
  encoder: of('encoder'),
});

export type LayersBySide = Readonly<Record<Side, readonly MultiHeadAttention[]>>;
