// Makes of documents what the program trains on: the vocabulary, and the texts as its tokens.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { learnPairs, tokenizerFiles } from './byte-pairs.mjs';
import { textTokens, tokensOf, writeTokens } from './tokens.mjs';

// As the program has them.
const vocabularySize = 8192;
const maxLength = 256;

/**
 * Writes the vocabulary, learnt from `learnt`, into the folder `model`, and a file of tokens for each
 * list of texts into `folder`.
 *
 * @param {string[]} learnt
 * @param {Record<string, string[]>} texts
 * @param {string} folder
 * @param {string} model
 */
export function prepare(learnt, texts, folder, model) {
  mkdirSync(model, { recursive: true });
  const files = tokenizerFiles(learnPairs(learnt, vocabularySize), maxLength);
  writeFileSync(join(model, 'tokenizer.json'), `${JSON.stringify(files.tokenizer, null, 1)}\n`);
  writeFileSync(join(model, 'tokenizer_config.json'), `${JSON.stringify(files.config, null, 1)}\n`);
  const tokens = textTokens(files.tokenizer, files.config);
  for (const [name, ofName] of Object.entries(texts)) {
    writeTokens(join(folder, `${name}.tokens`), tokensOf(tokens, ofName));
  }
  return tokens;
}
