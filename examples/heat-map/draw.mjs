// Attention weights as heat maps, one for each head, in Cividis, which readers with any colour vision read alike.
import { interpolateCividis } from 'd3-scale-chromatic';

const cell = 22;
const gap = 28;

/** Tokens may be any text, `<b>` too. */
const escaped = (/** @type {string | undefined} */ text = '') =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * An SVG of one sample's weights.
 *
 * @param {import('headwise').Tensor} weights (heads, queries, keys)
 * @param {readonly string[]} tokens what queries and keys are called
 */
export function drawHeads(weights, tokens) {
  const [numHeads = 0, numQueries = 0, numKeys = 0] = weights.shape;
  const width = numKeys * cell;
  const heads = Array.from({ length: numHeads }, (_, head) => {
    const cells = Array.from({ length: numQueries * numKeys }, (_, i) => {
      const [query, key] = [Math.floor(i / numKeys), i % numKeys];
      const weight = weights.at(head, query, key);
      return `<rect x="${key * cell}" y="${query * cell}" width="${cell}" height="${cell}" fill="${interpolateCividis(weight)}"><title>${escaped(tokens[query])} → ${escaped(tokens[key])}: ${weight.toFixed(3)}</title></rect>`;
    });
    return `<g transform="translate(${head * (width + gap)} 24)"><text y="-8">head ${head}</text>${cells.join('')}</g>`;
  });
  const size = `width="${numHeads * (width + gap) - gap}" height="${24 + numQueries * cell}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="Attention weights of ${numHeads} heads" font-family="system-ui" font-size="14" fill="currentColor">${heads.join('')}</svg>`;
}
