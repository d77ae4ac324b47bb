import { element, svg } from '../dom.js';
import { text } from '../text/index.js';

/** What the colours of the bars say. */
export function createTruthKey(): HTMLElement {
  const { truth, truths } = text.prune;
  return element(
    'ul',
    { class: 'key' },
    element('li', { class: 'key-name' }, truth),
    ...(['planted', 'sharp', 'quiet'] as const).map((name) =>
      element(
        'li',
        {},
        svg(
          'svg',
          { class: 'swatch', viewBox: '0 0 16 16', 'data-truth': name, 'aria-hidden': 'true' },
          svg('rect', { x: 1, y: 1, width: 14, height: 14 }),
        ),
        truths[name],
      ),
    ),
  );
}
