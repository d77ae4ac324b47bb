import { maxIndex, range, sum } from 'd3-array';
import { type Tensor, type Tokens, Transformer } from 'headwise/models';

import {
  characterOf,
  type DateQuestion,
  DateTask,
  isoLength,
  maxDateLength,
  type Part,
  parts,
  partsOfAnswer,
  startToken,
  tokensOf,
  vocabularySize,
} from './dates.js';

/**
 * Models that learn the same task: an encoder and a decoder of one layer each; without the encoder's self-attention, so
 * that it reads each character by itself; with embeddings that input, output and unembedding share.
 */
export const alignmentVariants = ['standard', 'alone', 'shared'] as const;
export type AlignmentVariant = (typeof alignmentVariants)[number];

/** What makes a run: the same options give the same run. */
export interface AlignmentOptions {
  readonly variant: AlignmentVariant;
  /** Of every attention layer. */
  readonly heads: number;
  readonly seed: number;
}

/** Where a run ends: its learning rate has come down to next to nothing by then. */
export const lastAlignmentStep = 1000;

const numHiddens = 32;
const ffnHiddens = 64;
const batchSize = 32;
const peakRate = 0.007;
const unseenSize = 64;
/** Steps from one measurement to the next. Fixed, so that a run does not depend on how fast it goes. */
const measureEvery = 20;

/** The model after `step` steps, on dates that it is never trained on. */
export interface AlignmentMeasurement {
  readonly step: number;
  readonly loss: number;
  /** Share of the dates of which every character is right. */
  readonly accuracy: number;
  /** (heads, parts): share of a head's weight that is on the characters which the answer's come from. */
  readonly alignment: Float32Array;
  /** (parts): the same of a head that gives all characters the same weight. */
  readonly uniform: Float32Array;
}

/** What the model makes of a text, one character after the other. */
export interface DateReading {
  readonly text: string;
  readonly answer: string;
  /** Of the cross-attention: (heads, characters of the answer, `maxDateLength`), 0 beyond the text. */
  readonly weights: Float32Array;
}

export interface AlignmentUpdate {
  /** Steps made since the run began. */
  readonly step: number;
  /** The training loss of each of the steps since. */
  readonly losses: Float32Array;
  readonly measurements: readonly AlignmentMeasurement[];
  readonly reading: DateReading;
}

interface Batch {
  readonly questions: readonly DateQuestion[];
  readonly source: Tokens;
  readonly sourceValidLens: readonly number[];
  readonly tokens: Tokens;
  readonly targets: Tokens;
}

/** An encoder–decoder that learns to write dates by ISO 8601, a few steps at a time. */
export class DateModel {
  readonly model: Transformer;
  readonly #heads: number;
  readonly #task: DateTask;
  readonly #unseen: Batch;
  readonly #gates: { readonly encoderHeadGates?: Float32Array[] };
  #step = 0;
  #text: string;

  constructor(options: AlignmentOptions, text: string) {
    const { variant, heads, seed } = options;
    this.#heads = heads;
    this.#text = text;
    this.#task = new DateTask(seed, false);
    this.#unseen = batchOf(new DateTask(seed, true), unseenSize);
    this.#gates = variant === 'alone' ? { encoderHeadGates: [new Float32Array(heads)] } : {};
    this.model = new Transformer({
      vocabularySize,
      maxLength: maxDateLength,
      numHiddens,
      numHeads: heads,
      ffnHiddens,
      encoder: { numLayers: 1 },
      positions: 'learned',
      tiedEmbeddings: variant === 'shared',
      seed,
    });
  }

  start(): AlignmentUpdate {
    return this.#update([], [this.#measure()]);
  }

  /** Goes on for so many steps or milliseconds, whichever ends first, but for one step at least. */
  advance(steps: number, milliseconds: number): AlignmentUpdate {
    const losses: number[] = [];
    const measurements: AlignmentMeasurement[] = [];
    const until = performance.now() + milliseconds;
    while (this.#step < lastAlignmentStep && losses.length < steps) {
      losses.push(this.#trainStep());
      if (this.#step % measureEvery === 0) measurements.push(this.#measure());
      if (performance.now() >= until) break;
    }
    return this.#update(losses, measurements);
  }

  /** What the model makes of a text, which updates show from then on. */
  read(text: string): DateReading {
    this.#text = text;
    const source = tokensOf(text);
    const answer: number[] = [];
    const pass = { source: { data: padded(source), shape: [maxDateLength] }, ...this.#gates };
    const sourceValidLens = [source.length];
    for (;;) {
      const tokens = [startToken, ...answer];
      const isLast = tokens.length === isoLength;
      const { logits, crossAttentionWeights } = this.model.forward(
        { data: Int32Array.from(tokens), shape: [tokens.length] },
        { ...pass, sourceValidLens, returnWeights: true },
      );
      if (logits === undefined || crossAttentionWeights === undefined) throw noDecoder();
      answer.push(largestOf(logits, tokens.length - 1));
      if (!isLast) continue;
      return {
        text,
        answer: answer.map(characterOf).join(''),
        weights: crossAttentionWeights[0].data,
      };
    }
  }

  dispose(): void {
    this.model.dispose();
  }

  #trainStep(): number {
    this.model.learningRate = rateAt(this.#step);
    const { tokens, targets, source, sourceValidLens } = batchOf(this.#task, batchSize);
    const pass = { ...this.#gates, source, sourceValidLens };
    const loss = this.model.trainStep(tokens, targets, pass);
    this.#step += 1;
    return loss;
  }

  #measure(): AlignmentMeasurement {
    const { questions, tokens, targets, source, sourceValidLens } = this.#unseen;
    const pass = { ...this.#gates, source, sourceValidLens };
    const { logits, crossAttentionWeights } = this.model.forward(tokens, {
      ...pass,
      returnWeights: true,
    });
    if (logits === undefined || crossAttentionWeights === undefined) throw noDecoder();
    const [weights] = crossAttentionWeights;
    return {
      step: this.#step,
      loss: this.model.loss(tokens, targets, pass),
      accuracy: accuracyOf(logits, targets),
      alignment: Float32Array.from(
        range(this.#heads).flatMap((head) => alignmentOf(weights, head, questions)),
      ),
      uniform: Float32Array.from(shareOfParts(questions, ({ text }) => 1 / text.length)),
    };
  }

  #update(
    losses: readonly number[],
    measurements: readonly AlignmentMeasurement[],
  ): AlignmentUpdate {
    return {
      step: this.#step,
      losses: Float32Array.from(losses),
      measurements,
      reading: this.read(this.#text),
    };
  }
}

const noDecoder = (): Error => new Error('not an encoder–decoder with logits');

/** Up over the first steps, level, and down to nothing from half of the run on. */
function rateAt(step: number): number {
  const share = step / lastAlignmentStep;
  return peakRate * Math.min(1, (step + 1) / 50, 2 * (1 - share));
}

const padded = (source: readonly number[]): Int32Array => {
  const tokens = new Int32Array(maxDateLength);
  tokens.set(source);
  return tokens;
};

/** Dates, each filled up to `maxDateLength`; the decoder is given the answer, one character late. */
function batchOf(task: DateTask, size: number): Batch {
  const questions = range(size).map(() => task.draw());
  const answers = questions.map(({ answer }) => tokensOf(answer));
  const flat = (rows: readonly (readonly number[] | Int32Array)[], length: number): Tokens => {
    const data = new Int32Array(size * length);
    rows.forEach((row, i) => data.set(row, i * length));
    return { data, shape: [size, length] };
  };
  return {
    questions,
    source: flat(
      questions.map(({ text }) => padded(tokensOf(text))),
      maxDateLength,
    ),
    sourceValidLens: questions.map(({ text }) => text.length),
    tokens: flat(
      answers.map((answer) => [startToken, ...answer.slice(0, -1)]),
      isoLength,
    ),
    targets: flat(answers, isoLength),
  };
}

/** The token of the largest logit in a row. */
const largestOf = ({ data }: Tensor, row: number): number =>
  maxIndex(data.subarray(row * vocabularySize, (row + 1) * vocabularySize));

/** The share of sequences that are right as a whole. */
function accuracyOf(logits: Tensor, { data: targets }: Tokens): number {
  const wrong = new Set<number>();
  targets.forEach((target, row) => {
    if (largestOf(logits, row) !== target) wrong.add(Math.floor(row / isoLength));
  });
  return 1 - (wrong.size * isoLength) / targets.length;
}

/** Of each part, the mean of `weightOf` a source, summed over the sources of a character of the answer. */
function shareOfParts(
  questions: readonly DateQuestion[],
  weightOf: (question: DateQuestion, number: number, query: number, key: number) => number,
): number[] {
  return parts.map((part: Part) => {
    const queries = range(isoLength).filter((query) => partsOfAnswer[query] === part);
    const shares = questions.flatMap((question, number) =>
      queries.map((query) =>
        sum(question.sources[query] ?? [], (key) => weightOf(question, number, query, key)),
      ),
    );
    return sum(shares) / shares.length;
  });
}

/** The shares of a head's weight that are where they should be, part by part; weights (batch, heads, queries, keys). */
export function alignmentOf(
  { data, shape }: Tensor,
  head: number,
  questions: readonly DateQuestion[],
): number[] {
  const [, heads = 0, queries = 0, keys = 0] = shape;
  return shareOfParts(
    questions,
    (_question, number, query, key) =>
      data[((number * heads + head) * queries + query) * keys + key] ?? NaN,
  );
}
