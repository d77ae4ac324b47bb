import { Tokenizer } from '@huggingface/tokenizers';
import { descending, range, sort, sum } from 'd3-array';
import {
  inductionScores,
  measureHeadImportance,
  patternScores,
  type PretrainedModelOptions,
  Transformer,
} from 'headwise/models';

import type { Checkpoint } from './checkpoint.js';
import { refusal } from './checkpoint-error.js';
import type { Head } from './heads.js';
import { timePairs, type Timing, type TimingOptions } from './timing.js';

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
  /** As they stand in the text, with the spaces before them. */
  readonly tokens: readonly string[];
  /** Whether the text has more of them. */
  readonly isCut: boolean;
  /** Of each layer, (heads, tokens, tokens). */
  readonly weights: readonly Float32Array[];
  /** Of each layer and head, with all gates open or as given. */
  readonly scores: readonly (readonly HeadScores[])[];
  /** The most probable next tokens, with these gates or with all open, in the order of the latter. */
  readonly candidates: readonly Candidate[];
}

/** Of each layer, a number for each head: 1 is open, 0 shut. */
export type Gates = readonly (readonly number[])[];

/** More would not be told apart in the maps. */
const maxShownTokens = 40;
const maxTimedTokens = 256;
const numCandidates = 8;

/** A checkpoint that has been read, and texts under it. */
export class LanguageModel {
  readonly description: ModelDescription;
  readonly #checkpoint: Checkpoint;
  readonly #tokenizer: Tokenizer;
  readonly #model: Transformer;
  /** Of the text that was read last, whose gates are changed many times. */
  #whole: { readonly key: string; readonly probabilities: Float32Array } | undefined;

  /** @throws HeadwiseError for what the model's family or config does not allow; Error in words for the reader */
  static async from(checkpoint: Checkpoint): Promise<LanguageModel> {
    const tokenizer = new Tokenizer(checkpoint.tokenizer, checkpoint.tokenizerConfig);
    const model = await modelOf(checkpoint);
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

  /** @returns undefined for a text without any token */
  run(text: string, gates?: Gates): TextRun | undefined {
    const { ids, isCut } = this.#read(text);
    if (ids.length === 0) return undefined;
    const tokens = inputOf(ids);
    const { logits, attentionWeights } = this.#model.forward(tokens, {
      returnWeights: true,
      ...(gates && { headGates: gates.map((ofLayer) => Float32Array.from(ofLayer)) }),
    });
    const isRepeated = new Set(ids).size < ids.length;
    return {
      tokens: ids.map((id) => this.#textOf(id)),
      isCut,
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
      candidates:
        logits === undefined || !this.#model.causal
          ? []
          : this.#candidates(ids, softmaxOfLast(logits, ids.length), gates !== undefined),
    };
  }

  /**
   * How much the loss of the text's own next tokens rises without each head. Of each layer, a number for each head.
   *
   * @throws Error in words for the reader if there is nothing to predict
   */
  async rank(
    text: string,
    options: { onProgress: (done: number, total: number) => void; signal: AbortSignal },
  ): Promise<number[][]> {
    const { ids } = this.#read(text);
    if (ids.length < 2 || !this.#model.causal) throw refusal('nothingToPredict');
    return measureHeadImportance(this.#model, {
      measure: 'ablation',
      batches: [
        {
          tokens: inputOf(ids),
          targets: inputOf([...ids.slice(1), -1]),
        },
      ],
      onProgress: ({ done, total }) => {
        options.onProgress(done, total);
      },
      signal: options.signal,
    });
  }

  /** A forward of the whole model, and of one that these heads were removed from. */
  async time(text: string, pruned: readonly Head[], options: TimingOptions): Promise<Timing> {
    const { ids } = this.#read(text);
    const length = Math.min(this.#model.maxLength, maxTimedTokens);
    // The text over and over: what is read does not change how long it takes.
    const input = inputOf(range(length).map((i) => ids[i % ids.length] ?? 0));
    const small = await modelOf(this.#checkpoint);
    try {
      const headsOf = (layer: number): number[] =>
        pruned.filter((head) => head.layer === layer).map(({ head }) => head);
      const byLayer = this.description.numHeads.map((_, layer) => [layer, headsOf(layer)]);
      small.pruneHeads(Object.fromEntries(byLayer) as Record<number, number[]>);
      const forward = (model: Transformer) => (): void => void model.forward(input);
      const timing = await timePairs(forward(this.#model), forward(small), options);
      return { ...timing, tokens: length };
    } finally {
      small.dispose();
    }
  }

  #read(text: string): { readonly ids: number[]; readonly isCut: boolean } {
    const { prefix } = this.#checkpoint;
    const { vocabularySize, maxTokens } = this.description;
    const written = text.trim();
    if (written === '') return { ids: [], isCut: false };
    const all = this.#idsOf(/^\s/.test(text) ? text : prefix + text);
    const strange = all.find((id) => id >= vocabularySize);
    if (strange !== undefined) throw refusal('tokens', strange, vocabularySize);
    return { ids: all.slice(0, maxTokens), isCut: all.length > maxTokens };
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

  /** A token by itself, with the space before it; one that is a part of a character by its name in the vocabulary. */
  #textOf(id: number): string {
    const name = this.#tokenizer.id_to_token(id) ?? String(id);
    const text = this.#tokenizer.decode([id], {
      skip_special_tokens: false,
      clean_up_tokenization_spaces: false,
    });
    if (text === '' || text.includes('\uFFFD')) return name;
    // Decoders of SentencePiece leave out the space before a text.
    return name.startsWith('▁') && !text.startsWith(' ') ? ` ${text}` : text;
  }

  #candidates(ids: readonly number[], now: Float32Array, isGated: boolean): Candidate[] {
    const key = ids.join();
    if (!isGated) this.#whole = { key, probabilities: now };
    else if (this.#whole?.key !== key) {
      const { logits } = this.#model.forward(inputOf(ids));
      if (logits === undefined) return [];
      this.#whole = { key, probabilities: softmaxOfLast(logits, ids.length) };
    }
    const before = this.#whole.probabilities;
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

/** Of a tokenizer of whole words, what stands for a word that it does not know; empty where there is none. */
function unknownTokenOf({ tokenizer }: Checkpoint): string {
  const { model } = tokenizer as { readonly model?: { readonly unk_token?: unknown } };
  return typeof model?.unk_token === 'string' ? model.unk_token : '';
}

async function modelOf({ config, readTensors }: Checkpoint): Promise<Transformer> {
  const tensors: PretrainedModelOptions['tensors'] = await readTensors();
  return Transformer.fromPretrained({ config, tensors });
}

const inputOf = (ids: readonly number[]): { data: Int32Array; shape: number[] } => ({
  data: Int32Array.from(ids),
  shape: [ids.length],
});

function softmaxOfLast(
  { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
  length: number,
): Float32Array {
  const size = shape.at(-1) ?? 0;
  const logits = data.subarray((length - 1) * size, length * size);
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
