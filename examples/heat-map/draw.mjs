// Attention weights as heat maps, one for each head. The opacity of a cell is its weight.

const cell = 22;
const gap = 28;

/** Escapes a token: it may hold any text, such as `<b>`. */
const escaped = (/** @type {string | undefined} */ text = '') =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Draws one sample's weights as SVG.
 *
 * @param {import('headwise').Tensor} weights (heads, queries, keys)
 * @param {readonly string[]} tokens one for each query and key
 */
export function drawHeads(weights, tokens) {
  const [numHeads = 0, numQueries = 0, numKeys = 0] = weights.shape;
  const width = numKeys * cell;
  const heads = Array.from({ length: numHeads }, (_, head) => {
    const cells = Array.from({ length: numQueries * numKeys }, (_, i) => {
      const [query, key] = [Math.floor(i / numKeys), i % numKeys];
      const weight = weights.at(head, query, key);
      return `<rect x="${key * cell}" y="${query * cell}" width="${cell}" height="${cell}" fill-opacity="${weight.toFixed(3)}"><title>${escaped(tokens[query])} → ${escaped(tokens[key])}: ${weight.toFixed(3)}</title></rect>`;
    });
    const frame = `<rect width="${width}" height="${numQueries * cell}" fill="none" stroke="currentColor" />`;
    return `<g transform="translate(${head * (width + gap)} 24)"><text y="-8">head ${head}</text><g fill="#2878c8">${cells.join('')}</g>${frame}</g>`;
  });
  const size = `width="${numHeads * (width + gap) - gap}" height="${24 + numQueries * cell}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="Attention weights of ${numHeads} heads" font-family="system-ui" font-size="14" fill="currentColor">${heads.join('')}</svg>`;
}
