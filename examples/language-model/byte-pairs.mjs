// Byte-pair encoding over bytes: a vocabulary is learnt from a text and written as a tokenizer.json
// of Hugging Face. Sources: Sennrich et al. 2016; Radford et al. 2019 (bytes, and the pattern).

/** What text is cut into before pairs are merged: words with the space before them. */
const pattern = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** What stands between two documents. Its number is 0. */
export const endOfText = '<|endoftext|>';

const isPrintable = (/** @type {number} */ byte) =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);

/** A printable character for each byte: its own in Latin-1, or one from U+0100 on. */
const characters = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isPrintable(byte) ? byte : next++),
  );
})();

/** How often each word occurs, as bytes in such characters. */
const countWords = (/** @type {string[]} */ texts) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) {
    for (const [word] of text.matchAll(pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({
    pieces: Array.from(encoder.encode(word), (byte) => characters[byte] ?? ''),
    count,
  }));
};

/** Merges each occurrence of the pair, from the left. */
const merge = (
  /** @type {string[]} */ pieces,
  /** @type {string} */ first,
  /** @type {string} */ second,
) => {
  if (!pieces.includes(first)) return pieces;
  /** @type {string[]} */
  const merged = [];
  for (let i = 0; i < pieces.length; i++) {
    const both = pieces[i] === first && pieces[i + 1] === second;
    merged.push(both ? first + second : (pieces[i] ?? ''));
    i += both ? 1 : 0;
  }
  return merged;
};

/** @typedef {{ pieces: string[], count: number }} Word */
/** @typedef {{ pair: string, count: number, words: Set<Word> }} Pair how often, and once in which words */

/** Counts the pairs of neighbours in a word, `sign` times as often as it occurs. */
const addPairs = (
  /** @type {Map<string, Pair>} */ pairs,
  /** @type {Word} */ word,
  /** @type {1 | -1} */ sign,
) => {
  for (let i = 0; i + 1 < word.pieces.length; i++) {
    const pair = `${word.pieces[i]} ${word.pieces[i + 1]}`;
    const found = pairs.get(pair) ?? { pair, count: 0, words: new Set() };
    found.count += sign * word.count;
    found.words.add(word);
    if (found.count > 0) pairs.set(pair, found);
    else pairs.delete(pair);
  }
};

/** The most frequent pair; of several, the first in the order of code units. */
const mostFrequent = (/** @type {Map<string, Pair>} */ pairs) => {
  /** @type {Pair} */
  let best = { pair: '', count: 0, words: new Set() };
  for (const each of pairs.values()) {
    if (each.count > best.count || (each.count === best.count && each.pair < best.pair)) {
      best = each;
    }
  }
  return best;
};

/**
 * Learns pairs from the texts until there are `size` pieces, `endOfText` and all bytes among them.
 * Fewer, if no pair occurs twice.
 *
 * @param {string[]} texts
 * @param {number} size
 * @returns {[string, string][]} the pairs in the order in which they are merged
 */
export function learnPairs(texts, size) {
  /** @type {Map<string, Pair>} */
  const counts = new Map();
  for (const word of countWords(texts)) addPairs(counts, word, 1);
  /** @type {[string, string][]} */
  const pairs = [];
  /** @type {Set<string>} */
  const made = new Set();
  while (1 + characters.length + made.size < size) {
    const { pair, count, words } = mostFrequent(counts);
    if (count < 2) break;
    const [first = '', second = ''] = pair.split(' ');
    pairs.push([first, second]);
    made.add(first + second);
    for (const word of [...words]) {
      const merged = merge(word.pieces, first, second);
      if (merged.length === word.pieces.length) continue;
      addPairs(counts, word, -1);
      word.pieces = merged;
      addPairs(counts, word, 1);
    }
  }
  return pairs;
}

/**
 * The contents of tokenizer.json and tokenizer_config.json.
 *
 * @param {[string, string][]} pairs
 * @param {number} maxLength tokens that the model reads at once
 */
export function tokenizerFiles(pairs, maxLength) {
  const pieces = new Set([
    endOfText,
    ...[...characters].sort(),
    ...pairs.map((pair) => pair.join('')),
  ]);
  const byteLevel = {
    type: 'ByteLevel',
    add_prefix_space: false,
    trim_offsets: true,
    use_regex: true,
  };
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [
        {
          id: 0,
          content: endOfText,
          single_word: false,
          lstrip: false,
          rstrip: false,
          normalized: false,
          special: true,
        },
      ],
      normalizer: null,
      pre_tokenizer: byteLevel,
      post_processor: null,
      decoder: byteLevel,
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: Object.fromEntries([...pieces].map((piece, id) => [piece, id])),
        merges: pairs,
      },
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: maxLength,
      bos_token: endOfText,
      eos_token: endOfText,
      clean_up_tokenization_spaces: false,
    },
  };
}
