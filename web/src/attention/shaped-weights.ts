import type { AttentionWeights } from 'headwise/view';

/** Weights as `<attention-heads>` takes them and files have them. */
export interface ShapedWeights extends AttentionWeights {
  readonly data: Float32Array;
}

/** Self-attention of `length` tokens, layer by layer: the weights with their shape, (heads, tokens, tokens). */
export const shapedWeights = (
  layers: readonly Float32Array[],
  length: number,
): readonly ShapedWeights[] =>
  layers.map((data) => ({ data, shape: [data.length / length ** 2, length, length] }));
