import { MultiHeadAttention } from 'headwise';

import { type AttentionInput, numHiddens } from './input.js';

/** The settings of a layer beside its input. */
export interface LayerSettings {
  readonly seed: number;
  readonly heads: number;
  /** One for each sample: how many of its keys are valid. */
  readonly validLens: readonly number[];
  readonly causal: boolean;
  /** Factor of the scores beside 1/√d. */
  readonly scale: number;
  readonly dropout: number;
}

/**
 * Makes a layer, uses it and gives its memory back. Each is new, and so the first pass of each
 * draws the same dropout.
 */
export function withLayer<Result>(
  { parameters }: Pick<AttentionInput, 'parameters'>,
  { seed, heads, scale, dropout }: LayerSettings,
  use: (layer: MultiHeadAttention, scale: number) => Result,
): Result {
  const size = parameters?.['W_q.weight']?.shape[0] ?? numHiddens;
  const factor = scale / Math.sqrt(size / heads);
  const options = { numHeads: heads, seed, dropout, scale: factor };
  const layer =
    parameters === undefined
      ? new MultiHeadAttention({ numHiddens, ...options })
      : MultiHeadAttention.fromStateDict(parameters, options);
  try {
    if (dropout > 0) layer.train();
    return use(layer, factor);
  } finally {
    layer.dispose();
  }
}
