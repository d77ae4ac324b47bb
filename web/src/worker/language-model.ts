import { Tokenizer } from '@huggingface/tokenizers';
import { descending, sort, sum } from 'd3-array';
import { inductionScores, patternScores, type Tensor, Transformer } from 'headwise/models';

import { byteName } from './byte-names.js';
import type { Checkpoint, Reading } from './checkpoint.js';
import { refusal } from './checkpoint-error.js';
import { HeldOut } from './held-out.js';
import { type Inside, insideOfModel } from './inside.js';

/** What a page can say of a model before it has read anything. */
export interface ModelDescription {
  /** The page's own model has none. */
  readonly name: string | undefined;
  /** Of each layer. */
  readonly numHeads: readonly number[];
  /** Whether a word sees those before it alone, so that there is a next one to predict. */
  readonly isCausal: boolean;
  readonly vocabularySize: number;
  /** Tokens that it reads of a text, at most. */
  readonly maxTokens: number;
}

/** Shares of a head's weight, 0 to 1, on this text. */
export interface HeadScores {
  readonly previousToken: number;
  readonly firstToken: number;
  readonly diagonal: number;
  /** Without a repeated token there is none to tell. */
  readonly induction: number | undefined;
}

export interface Candidate {
  readonly token: string;
  readonly probability: number;
  /** With all gates open. */
  readonly before: number;
}

/** One forward pass of a text. */
export interface TextRun {
  /** As they stand in the text, with the spaces before them; `·` for what continues a character of the token before. */
  readonly tokens: readonly string[];
  /** Words of the text behind the tokens that the model reads. */
  readonly omittedWords: number;
  /** Of each layer, (heads, tokens, tokens). */
  readonly weights: readonly Float32Array[];
  /** Of each layer and head, with all gates open or as given. */
  readonly scores: readonly (readonly HeadScores[])[];
  /** The most probable next tokens, with these gates or with all open, in the order of the latter. */
  readonly candidates: readonly Candidate[];
}

/** The next tokens that a layer finds most probable, the first of them first, as if it were the last layer. */
export type LensLayer = readonly Pick<Candidate, 'token' | 'probability'>[];

/** Of each layer, a number for each head: 1 is open, 0 shut. */
export type Gates = readonly (readonly number[])[];

/** More would not be told apart in the maps. */
const maxShownTokens = 40;
const numCandidates = 8;
const numLensCandidates = 3;

/** One pass, kept while the selected position changes. */
interface Pass {
  readonly key: string;
  readonly logits: Tensor | undefined;
  readonly weights: readonly Float32Array[];
  readonly scores: TextRun['scores'];
}

/** A checkpoint that has been read, and texts under it. */
export class LanguageModel {
  readonly description: ModelDescription;
  readonly #checkpoint: Checkpoint;
  readonly #tokenizer: Tokenizer;
  readonly #model: Transformer;
  /** The last passes with all gates open and with some shut. */
  #passes: { readonly open?: Pass; readonly gated?: Pass } = {};

  /** @throws HeadwiseError for what the model's family or config does not allow; Error in words for the reader */
  static async from(checkpoint: Checkpoint, reading?: Reading): Promise<LanguageModel> {
    const tokenizer = new Tokenizer(checkpoint.tokenizer, checkpoint.tokenizerConfig);
    const model = await checkpoint.makeModel(reading);
    try {
      if (model.numEncoderLayers > 0) throw refusal('hasEncoder');
      if (model.vocabularySize === 0) throw refusal('noText');
      return new LanguageModel(checkpoint, tokenizer, model);
    } catch (error) {
      model.dispose();
      throw error;
    }
  }

  private constructor(checkpoint: Checkpoint, tokenizer: Tokenizer, model: Transformer) {
    this.#checkpoint = checkpoint;
    this.#tokenizer = tokenizer;
    this.#model = model;
    const { numHeads, causal, vocabularySize, maxLength } = model;
    this.description = {
      name: checkpoint.name,
      numHeads,
      isCausal: causal,
      vocabularySize,
      maxTokens: Math.min(maxShownTokens, maxLength),
    };
  }

  dispose(): void {
    this.#model.dispose();
  }

  /**
   * @param position whose next token is predicted; by default the last one
   * @returns undefined for a text without any token
   */
  run(text: string, gates?: Gates, position?: number): TextRun | undefined {
    const { ids, omittedWords } = this.#read(text);
    if (ids.length === 0) return undefined;
    const now = this.#pass(ids, gates);
    const before = gates === undefined ? now : this.#pass(ids);
    const at = Math.min(position ?? ids.length - 1, ids.length - 1);
    return {
      tokens: this.#textsOf(ids),
      omittedWords,
      // Copies: the page takes them over.
      weights: now.weights.map((weights) => weights.slice()),
      scores: now.scores,
      candidates:
        now.logits === undefined || before.logits === undefined || !this.#model.causal
          ? []
          : this.#candidates(softmaxAt(now.logits, at), softmaxAt(before.logits, at)),
    };
  }

  /**
   * Predictions behind the token at a position, from the input of each layer and then from the output. Empty for models
   * that predict no next token.
   */
  lens(text: string, position: number, gates?: Gates): readonly LensLayer[] {
    const { ids } = this.#read(text);
    const at = Math.min(position, ids.length - 1);
    if (at < 0 || this.#passes.open?.logits === undefined || !this.#model.causal) return [];
    const logits = this.#model.logitLens(inputOf(ids), {
      positions: [at],
      ...gatesOption(gates),
    });
    return Array.from({ length: logits.shape[0] ?? 0 }, (_, layer) => {
      const probabilities = softmaxAt(logits, layer);
      return largest(probabilities, numLensCandidates).map((id) => ({
        token: this.#textOf(id),
        probability: probabilities[id] ?? NaN,
      }));
    });
  }

  #pass(ids: readonly number[], gates?: Gates): Pass {
    const which = gates === undefined ? 'open' : 'gated';
    const key = JSON.stringify([ids, gates]);
    const kept = this.#passes[which];
    if (kept?.key === key) return kept;
    const tokens = inputOf(ids);
    const { logits, attentionWeights } = this.#model.forward(tokens, {
      returnWeights: true,
      ...gatesOption(gates),
    });
    const isRepeated = new Set(ids).size < ids.length;
    const pass: Pass = {
      key,
      logits,
      weights: attentionWeights.map(({ data }) => data),
      scores: attentionWeights.map((weights) => {
        const induction = isRepeated ? inductionScores(weights, tokens) : [];
        return patternScores(weights, { causal: this.#model.causal }).map(
          ({ previousToken, firstToken, diagonal }, head) => ({
            ...{ previousToken, firstToken, diagonal },
            induction: induction[head],
          }),
        );
      }),
    };
    this.#passes = { ...this.#passes, [which]: pass };
    return pass;
  }

  /**
   * The numbers of one attention layer, from 0, on a text.
   *
   * @returns undefined for a text without any token, and for a layer whose input the page cannot compute
   */
  inside(text: string, layer: number): Inside | undefined {
    const { ids } = this.#read(text);
    if (ids.length === 0) return undefined;
    return insideOfModel(this.#model, ids, this.#textsOf(ids), layer);
  }

  /** A text that the model was not trained on. */
  heldOut(text: string): HeldOut {
    return new HeldOut(this.#model, this.#idsOf(this.#checkpoint.prefix + text));
  }

  #read(text: string): { readonly ids: number[]; readonly omittedWords: number } {
    const { prefix } = this.#checkpoint;
    const { vocabularySize, maxTokens } = this.description;
    const written = text.trim();
    if (written === '') return { ids: [], omittedWords: 0 };
    const all = this.#idsOf(/^\s/.test(text) ? text : prefix + text);
    const strange = all.find((id) => id >= vocabularySize);
    if (strange !== undefined) throw refusal('tokens', strange, vocabularySize);
    return {
      ids: all.slice(0, maxTokens),
      omittedWords: numWords(this.#decode(all.slice(maxTokens))),
    };
  }

  /** Tokenizers of whole words have none for others, and their library leaves out the one for unknown words. */
  #idsOf(text: string): number[] {
    const { ids, tokens } = this.#tokenizer.encode(text) as {
      readonly ids: readonly (number | undefined)[];
      readonly tokens: readonly string[];
    };
    const unknown = this.#tokenizer.token_to_id(unknownTokenOf(this.#checkpoint));
    return ids.map((id, at) => {
      const found = id ?? unknown;
      if (found === undefined) throw refusal('unknown', tokens[at] ?? text);
      return found;
    });
  }

  #decode(ids: readonly number[]): string {
    if (ids.length === 0) return '';
    return this.#tokenizer.decode([...ids], {
      skip_special_tokens: false,
      clean_up_tokenization_spaces: false,
    });
  }

  /** The tokens of a text. A character that several of them make up is shown at the first, and `·` at the others. */
  #textsOf(ids: readonly number[]): string[] {
    const texts: string[] = [];
    while (texts.length < ids.length) {
      const first = texts.length;
      const piece = (length: number): readonly number[] => ids.slice(first, first + length);
      const isPart = (text: string): boolean => text.includes(replacement);
      let length = 1;
      while (
        length < longestCharacter &&
        first + length < ids.length &&
        isPart(this.#decode(piece(length)))
      ) {
        length += 1;
      }
      if (length === 1 || isPart(this.#decode(piece(length))))
        texts.push(this.#textOf(ids[first] ?? 0));
      else {
        texts.push(this.#withSpace(ids[first] ?? 0, this.#decode(piece(length))));
        for (let i = 1; i < length; i += 1) texts.push('·');
      }
    }
    return texts;
  }

  /** A token by itself, with the space before it; the bytes of one that is a part of a character. */
  #textOf(id: number): string {
    const name = this.#tokenizer.id_to_token(id) ?? String(id);
    const text = this.#decode([id]);
    if (text === '') return name;
    return text.includes(replacement) ? byteName(name) : this.#withSpace(id, text);
  }

  /** Decoders of SentencePiece leave out the space before a text. */
  #withSpace(id: number, text: string): string {
    const name = this.#tokenizer.id_to_token(id) ?? '';
    return name.startsWith('▁') && !text.startsWith(' ') ? ` ${text}` : text;
  }

  /** The most probable next tokens, now and with all gates open, in the order of the latter. */
  #candidates(now: Float32Array, before: Float32Array): Candidate[] {
    const highest = now.map((probability, id) => Math.max(probability, before[id] ?? 0));
    return sort(largest(highest, numCandidates), (a, b) => descending(before[a], before[b])).map(
      (id) => ({
        token: this.#textOf(id),
        probability: now[id] ?? NaN,
        before: before[id] ?? NaN,
      }),
    );
  }
}

/** Of bytes that make no character. */
const replacement = '\uFFFD';

/** Tokens that share characters: UTF-8 has up to four bytes, and a token may end one character and begin another. */
const longestCharacter = 8;

const { Segmenter } = Intl as Partial<typeof Intl>;

function numWords(text: string): number {
  if (Segmenter === undefined) return text.match(/\S+/g)?.length ?? 0;
  const segments = new Segmenter('en', { granularity: 'word' }).segment(text);
  return [...segments].filter(({ isWordLike }) => isWordLike).length;
}

/** Of a tokenizer of whole words, what stands for a word that it does not know; empty where there is none. */
function unknownTokenOf({ tokenizer }: Checkpoint): string {
  const { model } = tokenizer as { readonly model?: { readonly unk_token?: unknown } };
  return typeof model?.unk_token === 'string' ? model.unk_token : '';
}

const inputOf = (ids: readonly number[]): { data: Int32Array; shape: number[] } => ({
  data: Int32Array.from(ids),
  shape: [ids.length],
});

const gatesOption = (gates: Gates | undefined): { headGates?: Float32Array[] } =>
  gates === undefined ? {} : { headGates: gates.map((ofLayer) => Float32Array.from(ofLayer)) };

/** The probabilities at a row of the logits, (rows, vocabulary) or (rows, 1, vocabulary). */
function softmaxAt({ data, shape }: Tensor, row: number): Float32Array {
  const size = shape.at(-1) ?? 0;
  const logits = data.subarray(row * size, (row + 1) * size);
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const exponents = logits.map((logit) => Math.exp(logit - most));
  const total = sum(exponents);
  return exponents.map((each) => each / total);
}

/** Where the largest numbers are, the largest first. */
function largest(numbers: Float32Array, count: number): number[] {
  const places: number[] = [];
  const numberAt = (place: number): number => numbers[place] ?? NaN;
  numbers.forEach((number, id) => {
    if (places.length === count && number <= numberAt(places[count - 1] ?? 0)) return;
    const behind = places.findIndex((place) => number > numberAt(place));
    places.splice(behind < 0 ? places.length : behind, 0, id);
    if (places.length > count) places.pop();
  });
  return places;
}
