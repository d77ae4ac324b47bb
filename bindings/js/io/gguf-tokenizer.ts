/** The tokenizer in a GGUF file, as the `tokenizer.json` that Hugging Face's tokenizers read. */
import { fail, show } from '../runtime/errors.js';
import type { GgufMetadata, GgufValue } from './gguf-header.js';

/** A tokenizer in the form of Hugging Face's files. */
export interface GgufTokenizer {
  /** The content of `tokenizer.json`. */
  readonly tokenizer: Record<string, unknown>;
  /** The content of `tokenizer_config.json`. */
  readonly config: Record<string, unknown>;
}

/** Values of `tokenizer.ggml.token_type`. */
const kinds = { normal: 1, unknown: 2, control: 3, userDefined: 4 };

/** How text is split before byte-level BPE. */
interface Splitting {
  /** A regular expression, or digits apart and otherwise as GPT-2 does; undefined: as GPT-2 does. */
  readonly pattern?: string;
  readonly digits?: true;
  readonly nfc?: true;
  readonly wholeWords?: true;
  readonly addBos?: true;
}

/** The pattern of GPT-4, with at most so many digits together. */
/* @__NO_SIDE_EFFECTS__ */
const gpt4 = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const ofLlama3: Splitting = { pattern: gpt4('{1,3}'), wholeWords: true, addBos: true };

/** By `tokenizer.ggml.pre`. Source: llama.cpp, `llama_vocab`; the models' own tokenizer.json. */
const splittings: Readonly<Partial<Record<string, Splitting>>> = {
  'gpt-2': {},
  'phi-2': {},
  olmo: {},
  qwen2: { pattern: gpt4(''), nfc: true },
  'deepseek-r1-qwen': { pattern: gpt4('') },
  'llama-bpe': ofLlama3,
  llama3: ofLlama3,
  'llama-v3': ofLlama3,
  falcon3: ofLlama3,
  smollm: { digits: true },
  starcoder: { digits: true },
  refact: { digits: true },
  'command-r': { digits: true },
};

/** Files of the first converters do not say how they split. */
const byArchitecture: Readonly<Partial<Record<string, string>>> = {
  gpt2: 'gpt-2',
  qwen2: 'qwen2',
};

const isTexts = (value: GgufValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const isNumbers = (value: GgufValue | undefined): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** Values below `tokenizer.ggml`. */
class Values {
  readonly #metadata: GgufMetadata;
  readonly #file: string;
  readonly tokens: readonly string[];
  /** The kind of each token. */
  readonly types: readonly number[];

  constructor(metadata: GgufMetadata, file: string) {
    this.#metadata = metadata;
    this.#file = file;
    this.tokens = this.list('tokens', isTexts, 'texts') ?? this.fail('tokens', 'texts', undefined);
    this.types = this.perToken('token_type') ?? this.tokens.map(() => kinds.normal);
  }

  get(key: string): GgufValue | undefined {
    const full = `tokenizer.ggml.${key}`;
    return Object.hasOwn(this.#metadata, full) ? this.#metadata[full] : undefined;
  }

  fail(key: string, expected: string, got: unknown): never {
    return fail('invalid-file', this.#file, `'tokenizer.ggml.${key}' of ${expected}`, show(got));
  }

  list<List>(
    key: string,
    isList: (value: GgufValue | undefined) => value is GgufValue & List,
    expected: string,
  ): List | undefined {
    const value = this.get(key);
    return value === undefined || isList(value) ? value : this.fail(key, expected, value);
  }

  /** A number for each token. */
  perToken(key: string): readonly number[] | undefined {
    const list = this.list(key, isNumbers, 'numbers');
    const expected = `${this.tokens.length} numbers, one for each token`;
    return list === undefined || list.length === this.tokens.length
      ? list
      : this.fail(key, expected, list.length);
  }

  flag(key: string, byDefault: boolean): boolean {
    const value = this.get(key) ?? byDefault;
    return typeof value === 'boolean' ? value : this.fail(key, 'true or false', value);
  }

  /** The token whose number is at this key. */
  token(key: string): { readonly id: number; readonly content: string } | undefined {
    const id = this.get(key);
    if (id === undefined) {
      return undefined;
    }
    const content = typeof id === 'number' ? this.tokens.at(id) : undefined;
    return typeof id === 'number' && id >= 0 && content !== undefined
      ? { id, content }
      : this.fail(key, `a number below ${this.tokens.length}`, id);
  }
}

type Pair = readonly [string, string];

/** Longer pieces are not merged: their time grows with the square of their length. SentencePiece's default is 16. */
const longestPiece = 128;

/**
 * Merges of SentencePiece's BPE: every way to split a piece into two others. The higher the score of a piece, the
 * earlier its merges.
 */
function mergesByScores({ tokens, types }: Values, scores: readonly number[]): Pair[] {
  const ids = new Map<string, number>();
  for (const [id, piece] of tokens.entries()) {
    if (types[id] === kinds.normal && piece.length <= longestPiece) {
      ids.set(piece, id);
    }
  }
  const merges: { pair: Pair; score: number; first: number; second: number }[] = [];
  for (const [piece, id] of ids) {
    for (let at = 1; at < piece.length; at++) {
      const pair: Pair = [piece.slice(0, at), piece.slice(at)];
      const [first, second] = [ids.get(pair[0]), ids.get(pair[1])];
      if (first !== undefined && second !== undefined) {
        merges.push({ pair, score: scores[id], first, second });
      }
    }
  }
  merges.sort(
    (a, b) =>
      b.score - a.score ||
      b.pair[0].length - a.pair[0].length ||
      a.first - b.first ||
      a.second - b.second,
  );
  return merges.map(({ pair }) => pair);
}

/** Merges of byte-level BPE as the file lists them, with a space between two pieces. */
const splitMerge = (merge: string): Pair => {
  const space = merge.indexOf(' ', 1);
  return [merge.slice(0, space), merge.slice(space + 1)];
};

/** Adds the tokens that begin and end every text. */
function templateOf(values: Values, addBos: boolean): object | null {
  const [bos, eos] = [
    values.flag('add_bos_token', addBos) ? values.token('bos_token_id') : undefined,
    values.flag('add_eos_token', false) ? values.token('eos_token_id') : undefined,
  ];
  const added = [bos, eos].flatMap((token) => token ?? []);
  const around = (id: string, type: number): object[] => [
    ...(bos ? [{ SpecialToken: { id: bos.content, type_id: type } }] : []),
    { Sequence: { id, type_id: type } },
    ...(eos ? [{ SpecialToken: { id: eos.content, type_id: type } }] : []),
  ];
  return added.length === 0
    ? null
    : {
        type: 'TemplateProcessing',
        single: around('A', 0),
        pair: [...around('A', 0), ...around('B', 1)],
        special_tokens: Object.fromEntries(
          added.map(({ id, content }) => [content, { id: content, ids: [id], tokens: [content] }]),
        ),
      };
}

type Parts = Record<
  'normalizer' | 'pre_tokenizer' | 'model' | 'decoder' | 'post_processor',
  object | null
>;

const sequence = (key: string, parts: readonly object[]): object | null =>
  parts.length === 0 ? null : { type: 'Sequence', [key]: parts };

/** Byte-level BPE (Radford et al. 2019). */
function byteLevel(values: Values, splitting: Splitting): Parts {
  const { pattern, digits, nfc, wholeWords = false, addBos = false } = splitting;
  const merges =
    values.list('merges', isTexts, 'texts') ?? values.fail('merges', 'texts', undefined);
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false };
  return {
    normalizer: nfc ? { type: 'NFC' } : null,
    pre_tokenizer: sequence('pretokenizers', [
      ...(pattern === undefined
        ? []
        : [{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }]),
      ...(digits ? [{ type: 'Digits', individual_digits: true }] : []),
      { ...bytes, use_regex: pattern === undefined },
    ]),
    model: {
      ...{ type: 'BPE', unk_token: null, fuse_unk: false, byte_fallback: false },
      ignore_merges: wholeWords,
      merges: merges.map(splitMerge),
    },
    decoder: { ...bytes, use_regex: true },
    post_processor: templateOf(values, addBos),
  };
}

const space = '▁';

/** BPE of SentencePiece (Kudo and Richardson 2018), with bytes for characters that are no pieces. */
function sentencePiece(values: Values): Parts {
  const scores = values.perToken('scores') ?? values.fail('scores', 'numbers', undefined);
  const addSpace = values.flag('add_space_prefix', true);
  return {
    normalizer: sequence('normalizers', [
      ...(addSpace ? [{ type: 'Prepend', prepend: space }] : []),
      { type: 'Replace', pattern: { String: ' ' }, content: space },
    ]),
    pre_tokenizer: null,
    model: {
      ...{ type: 'BPE', unk_token: values.token('unknown_token_id')?.content ?? null },
      ...{ fuse_unk: true, byte_fallback: true, ignore_merges: false },
      merges: mergesByScores(values, scores),
    },
    decoder: sequence('decoders', [
      { type: 'Replace', pattern: { String: space }, content: ' ' },
      ...[{ type: 'ByteFallback' }, { type: 'Fuse' }],
      ...(addSpace ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
    ]),
    post_processor: templateOf(values, true),
  };
}

function failUnsupported(expected: string, got: GgufValue | undefined): never {
  return fail('unsupported', 'tokenizer', expected, show(got));
}

/** The file's splitting of text. */
function splittingOf(values: Values, metadata: GgufMetadata): Splitting {
  const named = values.get('pre');
  const architecture = String(metadata['general.architecture']);
  const name = named === undefined || named === 'default' ? byArchitecture[architecture] : named;
  const known = Object.keys(splittings);
  return (
    (typeof name === 'string' && known.includes(name) ? splittings[name] : undefined) ??
    failUnsupported(`'tokenizer.ggml.pre' to be one of ${known.join(', ')}`, named)
  );
}

/**
 * The tokenizer of a file's metadata.
 *
 * @internal
 */
export function ggufTokenizer(metadata: GgufMetadata, file: string): GgufTokenizer {
  const kind = metadata['tokenizer.ggml.model'];
  if (kind !== 'gpt2' && kind !== 'llama') {
    failUnsupported("'tokenizer.ggml.model' to be 'gpt2' or 'llama'", kind);
  }
  const values = new Values(metadata, file);
  const { model, ...parts } =
    kind === 'llama' ? sentencePiece(values) : byteLevel(values, splittingOf(values, metadata));
  const special: readonly number[] = [kinds.unknown, kinds.control];
  const added = values.tokens.flatMap((content, id) => {
    const type = values.types[id];
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    return special.includes(type) || type === kinds.userDefined
      ? [{ id, content, ...plain, special: special.includes(type) }]
      : [];
  });
  const contentOf = (key: string): string | undefined => values.token(key)?.content;
  return {
    tokenizer: {
      version: '1.0',
      ...{ truncation: null, padding: null, added_tokens: added },
      ...parts,
      model: { ...model, vocab: Object.fromEntries(values.tokens.map((token, id) => [token, id])) },
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      bos_token: contentOf('bos_token_id'),
      eos_token: contentOf('eos_token_id'),
      pad_token: contentOf('padding_token_id'),
      unk_token: contentOf('unknown_token_id'),
      chat_template: metadata['tokenizer.chat_template'],
    },
  };
}
