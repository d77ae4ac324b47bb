import { range } from 'd3-array';

import { svg } from '../../ui/dom.js';

export interface TileMap {
  readonly root: SVGSVGElement;
  /** (tokens, tokens), queries down and keys across. */
  draw(weights: Float32Array, tokens: number, isCausal: boolean): void;
}

/** As many steps as a small cell lets one tell. */
const steps = 10;

/**
 * The map of one head, small: its colour, the stronger the larger the weight. One path a step, so that sixteen maps of
 * forty tokens are a few hundred elements.
 */
export function createTileMap(): TileMap {
  const seen = svg('path', { class: 'tile-seen' });
  const paths = range(1, steps + 1).map((step) =>
    svg('path', { class: 'tile-weights', 'fill-opacity': step / steps }),
  );
  const root = svg(
    'svg',
    { class: 'tile-map', 'aria-hidden': 'true', preserveAspectRatio: 'none' },
    seen,
    ...paths,
  );
  return {
    root,
    draw(weights, tokens, isCausal) {
      root.setAttribute('viewBox', `0 0 ${tokens} ${tokens}`);
      const rows = range(tokens).map(
        (query) => `M0,${query}h${isCausal ? query + 1 : tokens}v1H0z`,
      );
      seen.setAttribute('d', rows.join(''));
      const cells = paths.map(() => '');
      for (let query = 0; query < tokens; query += 1) {
        for (let key = 0; key < tokens; key += 1) {
          const step = Math.round(steps * (weights[query * tokens + key] ?? 0)) - 1;
          if (step >= 0) cells[Math.min(step, steps - 1)] += `M${key},${query}h1v1h-1z`;
        }
      }
      paths.forEach((path, step) => {
        path.setAttribute('d', cells[step] ?? '');
      });
    },
  };
}
