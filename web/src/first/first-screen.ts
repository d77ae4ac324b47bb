import { type AttentionHeadsElement, defineAttentionHeads } from 'headwise/view';

import { element, paragraph } from '../ui/dom.js';
import sentence from './sentence.json';
import { words } from './words.js';

/**
 * What the page opens with: a sentence under four heads of a trained model, which answer to pointer, touch and keyboard at
 * the first paint. Their weights are those that the model gives, kept with the page (sentence.json).
 */
export function createFirstScreen(): HTMLElement {
  defineAttentionHeads();
  const { heads } = sentence;
  const names = heads.map(({ layer, head }) => words.head(layer + 1, head + 1));
  return element(
    'div',
    { class: 'first' },
    paragraph(words.question, { class: 'first-question' }),
    createFans(),
    paragraph(words.hint, { class: 'first-hint' }),
    element(
      'div',
      { class: 'first-names' },
      ...Object.values(words.names).map((sentences) => paragraph(sentences)),
    ),
    paragraph(words.source(names), { class: 'first-source' }),
  );
}

function createFans(): AttentionHeadsElement {
  const { heads, query, words: tokens } = sentence;
  const fans = element('attention-heads', { class: 'first-fans', 'aria-label': words.label });
  const length = tokens.length;
  fans.weights = {
    data: heads.flatMap(({ weights }) => weights.flat()),
    shape: [heads.length, length, length],
  };
  fans.tokens = tokens;
  fans.names = heads.map(({ label }) => label);
  fans.query = query;
  return fans;
}
