// Texts as tokens, and files of tokens as the program reads them.
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @typedef {object} HuggingFaceTokenizer
 * @property {(text: string) => { ids: number[] }} encode
 * @property {(ids: number[], options: { skip_special_tokens: boolean }) => string} decode
 */

// By a name that TypeScript does not follow: it rejects the package's own types under `nodenext`.
const library = '@huggingface/tokenizers';
/** @type {{ Tokenizer: new (tokenizer: object, config: object) => HuggingFaceTokenizer }} */
const { Tokenizer } = await import(library);

/** @typedef {{ encode: (text: string) => number[], decode: (tokens: number[]) => string }} TextTokens */

/**
 * Text and tokens by the contents of tokenizer.json and tokenizer_config.json.
 *
 * @param {object} tokenizer
 * @param {object} config
 * @returns {TextTokens}
 */
export function textTokens(tokenizer, config) {
  const tokens = new Tokenizer(tokenizer, config);
  return {
    encode: (text) => tokens.encode(text).ids,
    decode: (ids) => tokens.decode(ids, { skip_special_tokens: true }),
  };
}

/**
 * The documents one after another, token 0 before each and behind the last.
 *
 * @param {TextTokens} tokens
 * @param {string[]} texts
 */
export const tokensOf = (tokens, texts) => [
  ...texts.flatMap((text) => [0, ...tokens.encode(text)]),
  0,
];

/**
 * The words of sentences, with the space before them, and those that are more than one piece. A
 * sentence may begin a text or go on with it: so its first word counts with a space. What follows an
 * apostrophe is a word of its own, as the vocabulary has it.
 *
 * @param {TextTokens} tokens
 * @param {string[]} sentences
 */
export function wordsOf(tokens, sentences) {
  const words = sentences.flatMap((text) =>
    Array.from(` ${text}`.matchAll(/ ?\p{L}+|'\p{L}+/gu), ([word]) => word),
  );
  return { words, split: words.filter((word) => tokens.encode(word).length > 1) };
}

/**
 * Writes tokens as 16-bit integers, the low byte first.
 *
 * @param {string} path
 * @param {number[]} tokens
 */
export function writeTokens(path, tokens) {
  const bytes = Buffer.alloc(2 * tokens.length);
  tokens.forEach((token, i) => bytes.writeUInt16LE(token, 2 * i));
  writeFileSync(path, bytes);
}

/**
 * Reads what `writeTokens` wrote.
 *
 * @param {string} path
 */
export function readTokens(path) {
  const bytes = readFileSync(path);
  return Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));
}
