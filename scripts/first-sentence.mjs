// Writes the sentence of the page's first screen with the weights of four heads of the example's model. Run it after
// `npm run build` when the model or the sentence changes: node scripts/first-sentence.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { textTokens } from '../examples/language-model/tokens.mjs';
import { fromRoot } from './lib/files.mjs';

/** The page imports this file. */
export const sentenceFile = 'web/src/reading/sentence.json';

/** One token for each word; the second half repeats a word of the first. */
const text = 'Tom gave the ball to Anna and Tom was happy';

/** The word selected at first: the second `Tom`, where the four heads differ most. */
const query = 7;

/** One head for each role. A test checks the roles against the weights. */
const heads = [
  { layer: 0, head: 0, role: 'previous' },
  { layer: 0, head: 1, role: 'itself' },
  { layer: 1, head: 4, role: 'followed' },
  { layer: 4, head: 1, role: 'earlier' },
];

const folder = 'examples/language-model/model';
const json = (name) => JSON.parse(readFileSync(fromRoot(folder, name), 'utf8'));

/**
 * Runs one forward pass and returns the file's content: rounded weights (queries, keys) of each head. Attention is
 * causal, so weights after the query are 0.
 *
 * @param {typeof import('headwise/models')} headwise after `init`
 */
export function firstSentence({ loadSafetensors, Transformer }) {
  const { encode, decode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
  // The leading space is part of the first word's token.
  const ids = encode(` ${text}`);
  const count = ids.length;
  const { tensors } = loadSafetensors(readFileSync(fromRoot(folder, 'model.safetensors')));
  const model = Transformer.fromPretrained({ config: json('config.json'), tensors });
  const { attentionWeights } = model.forward(
    { data: Int32Array.from(ids), shape: [count] },
    { returnWeights: true },
  );
  model.dispose();
  return {
    text,
    words: ids.map((id) => decode([id]).trim()),
    query,
    heads: heads.map((each) => {
      const weights = attentionWeights[each.layer].data;
      const row = (of) => weights.subarray((each.head * count + of) * count).subarray(0, count);
      const rounded = (of) => Array.from(row(of), (weight) => Number(weight.toFixed(3)));
      return { ...each, weights: ids.map((_, of) => rounded(of)) };
    }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const headwise = await import('../dist/models.js');
  await headwise.init({ threads: 1 });
  const path = fromRoot(sentenceFile);
  const options = { ...(await resolveConfig(path)), filepath: path };
  writeFileSync(path, await format(JSON.stringify(firstSentence(headwise)), options));
}
