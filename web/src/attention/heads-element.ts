import { type AttentionHeadsElement, defineAttentionHeads } from 'headwise/view';

import { element, type setAttributes } from '../ui/dom.js';
import { elementWords } from './words.js';

/** `<attention-heads>` in the page's words. */
export function createHeadsElement(
  attributes: Parameters<typeof setAttributes>[1],
): AttentionHeadsElement {
  defineAttentionHeads();
  const view = element('attention-heads', attributes);
  view.words = elementWords;
  return view;
}
