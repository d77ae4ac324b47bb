// The text that heads are measured on, and pruned models are tested on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';

/** @import { Transformer } from 'headwise' */

/**
 * Sequences of tokens, each with those that follow it as targets.
 *
 * @typedef {{ tokens: number[][], targets: number[][] }[]} Batches
 */

/**
 * The first half of a text, and the second.
 *
 * @typedef {{ measuring: Batches, testing: Batches }} Text
 */

/**
 * `sequences` to measure on, and as many others to test on, `batch` of them at a time.
 *
 * @typedef {{ length: number, sequences: number, batch: number }} TextOptions
 */

const readJson = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));

/**
 * The tokens of a file: of numbers alone, a JSON array or separated by white space, these; of a text, what the
 * tokenizer.json of the checkpoint's folder makes of it.
 *
 * @param {string} folder
 * @param {string} file
 * @returns {number[]}
 */
export function readTokens(folder, file) {
  const text = readFileSync(file, 'utf8');
  if (/^[\s\d[\],]*$/.test(text)) return (text.match(/\d+/g) ?? []).map(Number);
  const [tokenizer, config] = ['tokenizer.json', 'tokenizer_config.json'].map((name) =>
    join(folder, name),
  );
  if (!existsSync(tokenizer)) {
    throw new Error(`${file} is a text, and ${folder} has no tokenizer.json to read it with`);
  }
  const options = existsSync(config) ? readJson(config) : {};
  return new Tokenizer(readJson(tokenizer), options).encode(text).ids;
}

/**
 * @param {number[][]} rows with a token more than a sequence, of which the first is no target and the last no input
 * @param {number} size
 * @returns {Batches}
 */
const batchesOf = (rows, size) =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => {
    const chosen = rows.slice(i * size, (i + 1) * size);
    return {
      tokens: chosen.map((row) => row.slice(0, -1)),
      targets: chosen.map((row) => row.slice(1)),
    };
  });

/**
 * @param {number[][]} rows
 * @param {number} batch
 * @returns {Text}
 */
const halves = (rows, batch) => ({
  measuring: batchesOf(rows.slice(0, rows.length / 2), batch),
  testing: batchesOf(rows.slice(rows.length / 2), batch),
});

/**
 * Cuts the tokens into sequences.
 *
 * @param {number[]} tokens
 * @param {TextOptions} options
 */
export function cut(tokens, { length, sequences, batch }) {
  const there = Math.floor(Math.max(tokens.length - 1, 0) / length);
  const half = Math.min(Math.floor(there / 2), sequences);
  if (half === 0) {
    const needed = 2 * length + 1;
    throw new Error(
      `the text has ${tokens.length} tokens; two sequences of ${length} need ${needed}`,
    );
  }
  const rows = Array.from({ length: 2 * half }, (_, i) =>
    tokens.slice(i * length, (i + 1) * length + 1),
  );
  return halves(rows, batch);
}

/**
 * Sequences that the model draws at temperature 1, each behind the token `start`.
 *
 * @param {Transformer} model
 * @param {number} start
 * @param {number} seed
 * @param {TextOptions} options
 */
export async function draw(model, start, seed, { length, sequences, batch }) {
  const rows = [];
  for (let i = 0; i < 2 * sequences; i++) {
    const options = { maxNewTokens: length, temperature: 1, seed: seed + i };
    rows.push([start, ...(await model.generate([start], options))]);
  }
  return halves(rows, batch);
}

/**
 * The mean loss of a text's targets.
 *
 * @param {Transformer} model
 * @param {Batches} batches
 */
export function lossOf(model, batches) {
  let [sum, count] = [0, 0];
  for (const { tokens, targets } of batches) {
    const asked = targets.flat().length;
    sum += asked * model.loss(tokens, targets);
    count += asked;
  }
  return sum / count;
}
