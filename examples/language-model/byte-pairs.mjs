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

/**
 * How often each pair of neighbours occurs: `pieces` of a word are counted `count` times, which may
 * be negative.
 */
const addPairs = (
  /** @type {Map<string, number>} */ counts,
  /** @type {string[]} */ pieces,
  /** @type {number} */ count,
) => {
  for (let i = 0; i + 1 < pieces.length; i++) {
    const pair = `${pieces[i]} ${pieces[i + 1]}`;
    counts.set(pair, (counts.get(pair) ?? 0) + count);
  }
};

/** The most frequent pair; of several, the first in the order of code units. */
const mostFrequent = (/** @type {Map<string, number>} */ counts) => {
  let [best, most] = ['', 0];
  for (const [pair, count] of counts) {
    if (count > most || (count === most && pair < best)) [best, most] = [pair, count];
  }
  const [first = '', second = ''] = best.split(' ');
  return { first, second, count: most };
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
  const words = countWords(texts);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { pieces, count } of words) addPairs(counts, pieces, count);
  /** @type {[string, string][]} */
  const pairs = [];
  /** @type {Set<string>} */
  const made = new Set();
  while (1 + characters.length + made.size < size) {
    const { first, second, count } = mostFrequent(counts);
    if (count < 2) break;
    pairs.push([first, second]);
    made.add(first + second);
    for (const word of words) {
      const merged = merge(word.pieces, first, second);
      if (merged.length === word.pieces.length) continue;
      addPairs(counts, word.pieces, -word.count);
      addPairs(counts, merged, word.count);
      word.pieces = merged;
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
