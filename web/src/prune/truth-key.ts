import { element } from '../dom.js';
import { text } from '../text/index.js';

/** What the colours of the bars say. */
export function createTruthKey(): HTMLElement {
  const { truth, truths } = text.prune;
  return element(
    'ul',
    { class: 'key' },
    element('li', { class: 'key-name' }, truth),
    ...(['planted', 'sharp', 'quiet'] as const).map((name) =>
      element('li', {}, element('span', { class: 'swatch', 'data-truth': name }), truths[name]),
    ),
  );
}
