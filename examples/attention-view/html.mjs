// A page that shows attention weights, as one HTML file: script and weights are in it, so that it needs no network and no
// server.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's own file, which imports no other. */
const script = readFileSync(fileURLToPath(import.meta.resolve('headwise/view')), 'utf8')
  // There is no map beside the page.
  .replace(/^\/\/# sourceMappingURL=.*$/m, '')
  .replaceAll('</script', '<\\/script');

/** JSON that nothing of HTML is seen in. */
const json = (/** @type {unknown} */ value) => JSON.stringify(value).replaceAll('<', '\\u003c');

const escaped = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * @param {object} page
 * @param {string} page.title
 * @param {readonly import('headwise/view').AttentionWeights[]} page.weights a layer each
 * @param {readonly string[]} page.tokens
 */
export function attentionPage({ title, weights, tokens }) {
  // Four digits are as many as a picture shows.
  const layers = weights.map(({ data, shape }) => ({
    data: Array.from(data, (weight) => Number(weight.toFixed(4))),
    shape,
  }));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:," />
    <style>
      :root {
        color-scheme: light dark;
      }
      body {
        max-width: 64rem;
        margin: 2rem auto;
        padding-inline: 1rem;
        font-family: system-ui, sans-serif;
      }
    </style>
  </head>
  <body>
    <main>
      <h1>${escaped(title)}</h1>
      <p>Point at a word, or press it: each head's arcs lead to the words that it attends to. A head's name shows it alone.</p>
      <attention-heads layer="1"></attention-heads>
      <h2>All heads</h2>
      <p>Each map is a head: queries down, keys across. Press one to see its arcs.</p>
      <attention-heads view="model"></attention-heads>
    </main>
    <script type="application/json" id="attention">${json({ weights: layers, tokens })}</script>
    <script type="module">
${script}
defineAttentionHeads();
const { weights, tokens } = JSON.parse(document.querySelector('#attention').textContent);
for (const view of document.querySelectorAll('attention-heads')) Object.assign(view, { weights, tokens });
    </script>
  </body>
</html>
`;
}
