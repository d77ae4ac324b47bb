// The sentence of the page's first screen, and what four heads of the example's model do with it.
import { readFileSync } from 'node:fs';
import { textTokens } from '../../examples/language-model/tokens.mjs';
import { fromRoot } from './files.mjs';

/** Where the page takes it from. */
export const sentenceFile = 'web/src/first/sentence.json';

/** Nine words, each of them one token; the second half repeats two of the first. */
const text = 'The world is better when the world is free';

/** The word that is chosen at first: the second `world`, for which the four heads differ most. */
const query = 6;

/** Four ways to look, one head each; tests/browser/built/first-sentence.test.mjs holds each role against the weights. */
const heads = [
  { layer: 0, head: 0, role: 'previous' },
  { layer: 0, head: 1, role: 'itself' },
  { layer: 1, head: 1, role: 'followed' },
  { layer: 3, head: 0, role: 'many' },
];

const folder = 'examples/language-model/model';
const json = (name) => JSON.parse(readFileSync(fromRoot(folder, name), 'utf8'));

/**
 * One forward pass of the model, as the page's file has it: weights (queries, keys) of each head, rounded. Attention is
 * causal: of each row all after the query itself is 0.
 *
 * @param {typeof import('headwise/models')} headwise after `init`
 */
export function firstSentence({ loadSafetensors, Transformer }) {
  const { encode, decode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
  // With a space before it, as within a text: else `The` is two tokens.
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
