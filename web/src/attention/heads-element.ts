import { type AttentionHeadsElement, defineAttentionHeads } from 'headwise/view';

import { element, type setAttributes } from '../ui/dom.js';
import { elementWords } from './words.js';

/** `<attention-heads>` in the page's words. */
export function createHeadsElement(
  attributes: Parameters<typeof setAttributes>[1],
): AttentionHeadsElement {
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
