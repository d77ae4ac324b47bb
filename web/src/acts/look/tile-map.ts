import { range } from 'd3-array';
import { svg, type TemplateResult } from 'lit-html';

/** As many steps as a small cell lets one tell. */
const steps = 10;

/**
 * The map of one head, small: its colour, the stronger the larger the weight. One path for each step, so that a map of
 * forty tokens has eleven elements.
 *
 * @param weights (tokens, tokens), queries down and keys across
 */
export function tileMap(weights: Float32Array, tokens: number, isCausal: boolean): TemplateResult {
  const seen = range(tokens).map((query) => `M0,${query}h${isCausal ? query + 1 : tokens}v1H0z`);
  const cells = new Array<string>(steps + 1).fill('');
  for (let query = 0; query < tokens; query += 1) {
    for (let key = 0; key < tokens; key += 1) {
      const step = Math.min(steps, Math.round(steps * (weights[query * tokens + key] ?? 0)));
      if (step > 0) cells[step] += `M${key},${query}h1v1h-1z`;
    }
  }
  return svg`<svg class="tile-map" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 ${tokens} ${tokens}">
    <path class="tile-seen" d=${seen.join('')}></path>
    ${cells
      .map((path, step) => ({ path, step }))
      .filter(({ path }) => path !== '')
      .map(
        ({ path, step }) =>
          svg`<path class="tile-weights" fill-opacity=${step / steps} d=${path}></path>`,
      )}
  </svg>`;
}
