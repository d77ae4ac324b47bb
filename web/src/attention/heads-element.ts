import {
  type AttentionHeadsElement,
  type AttentionWeights,
  defineAttentionHeads,
} from 'headwise/view';

import { type Attributes, element } from '../ui/dom.js';
import { elementWords } from './words.js';

/** `<attention-heads>` in the page's words. */
export function createHeadsElement(attributes: Attributes): AttentionHeadsElement {
  defineAttentionHeads();
  const view = element('attention-heads', attributes);
  // The page numbers layers and heads from 1, the element from 0.
  view.words = {
    ...elementWords,
    layer: (layer, layers) => elementWords.layer?.(layer + 1, layers) ?? '',
    map: (layer, head) => elementWords.map?.(layer + 1, head + 1) ?? '',
  };
  return view;
}

/** Weights as `<attention-heads>` takes them and files have them. */
interface ShapedWeights extends AttentionWeights {
  readonly data: Float32Array;
}

/** Self-attention of `length` tokens, layer by layer: the weights with their shape, (heads, tokens, tokens). */
export const shapedWeights = (
  layers: readonly Float32Array[],
  length: number,
): readonly ShapedWeights[] =>
  layers.map((data) => ({ data, shape: [data.length / length ** 2, length, length] }));
