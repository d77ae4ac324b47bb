import { range } from 'd3-array';
import {
  AssociativeRecallTask,
  AttentionOnlyTransformer,
  CopyTask,
  inductionScores,
  InductionTask,
  keyScores,
  patternScores,
  ReverseTask,
  SortTask,
  type Task,
  type TaskBatch,
  type Tensor,
  type Tokens,
} from 'headwise/models';

/** What makes a run: the same options give the same run. */
export interface RunOptions {
  readonly task: TaskName;
  readonly layers: number;
  /** Of each layer. */
  readonly heads: number;
  readonly learningRate: number;
  readonly seed: number;
}

/** Where a run ends, so that a forgotten page comes to rest. */
export const lastStep = 3000;

/** What a head is measured for, in the order of `Measurement.scores`. */
export const scoreNames = ['rightKey', 'previousToken', 'induction', 'firstToken'] as const;
export type ScoreName = (typeof scoreNames)[number];

/** The model as it is after `step` steps, on sequences that it is never trained on. */
export interface Measurement {
  readonly step: number;
  readonly loss: number;
  /** Share of the answers that are right. */
  readonly accuracy: number;
  /** (layers, heads, scores), each the mean share of a head's weight. */
  readonly scores: Float32Array;
  /** The weights of the shown sequence, as `packMaps` keeps them. */
  readonly maps: Uint16Array;
}

/** What happened since the last update. */
export interface Update {
  /** Steps made since the run began. */
  readonly step: number;
  /** The training loss of each of the steps since. */
  readonly losses: Float32Array;
  readonly measurements: readonly Measurement[];
  /** Of the shown sequence, one a layer: (heads, length, length). */
  readonly weights: readonly Float32Array[];
}

/** A run at its beginning, with the sequence whose maps are shown. */
export interface Start extends Sequence {
  /** Loss of a model that takes all tokens for equally likely. */
  readonly guessing: number;
  readonly update: Update;
}

const numHiddens = 32;
const batchSize = 32;
const unseenSize = 64;
/** Steps from one measurement to the next. Fixed, so that a run does not depend on how fast it goes. */
export const measureEvery = 4;
/** Of unseen sequences: beyond all seeds that a reader can choose. */
const unseenSeed = 2 ** 40;

/** A model that learns a task, a few steps at a time. */
export class Trainer {
  readonly #task: Task;
  readonly #model: AttentionOnlyTransformer;
  readonly #seed: number;
  readonly #unseen: TaskBatch;
  #step = 0;

  constructor(options: RunOptions) {
    const { task, layers, heads, learningRate, seed } = options;
    this.#task = makeTask(task);
    this.#seed = seed;
    this.#unseen = this.#task.batch(unseenSeed + seed, unseenSize);
    this.#model = new AttentionOnlyTransformer({
      vocabularySize: this.#task.vocabularySize,
      maxLength: this.#task.length,
      numHiddens,
      numHeads: heads,
      numLayers: layers,
      positions: 'learned',
      layerNorm: true,
      seed,
      optimizer: { learningRate },
    });
  }

  start(): Start {
    const [shown] = sequencesOf(this.#unseen);
    const guessing = Math.log(this.#task.vocabularySize);
    return { ...shown, guessing, update: this.#update([], [this.#measure()]) };
  }

  /** Goes on for so many steps or milliseconds, whichever ends first, but for one step at least. */
  advance(steps: number, milliseconds: number): Update {
    const losses: number[] = [];
    const measurements: Measurement[] = [];
    const until = performance.now() + milliseconds;
    while (this.#step < lastStep && losses.length < steps) {
      const { tokens, targets } = this.#task.batch(this.#seed, batchSize, batchSize * this.#step);
      losses.push(this.#model.trainStep(tokens, targets));
      this.#step += 1;
      if (this.#step % measureEvery === 0) measurements.push(this.#measure());
      if (performance.now() >= until) break;
    }
    return this.#update(losses, measurements);
  }

  dispose(): void {
    this.#model.dispose();
  }

  #measure(): Measurement {
    const { tokens, targets, keys } = this.#unseen;
    const { logits, attentionWeights } = this.#model.forward(tokens, { returnWeights: true });
    const scores = attentionWeights.flatMap((weights) => {
      const rightKey = keyScores(weights, keys);
      const induction = inductionScores(weights, tokens);
      return patternScores(weights, { causal: true }).flatMap(
        ({ previousToken, firstToken }, head) => [
          rightKey[head] ?? NaN,
          previousToken,
          induction[head] ?? NaN,
          firstToken,
        ],
      );
    });
    return {
      step: this.#step,
      loss: this.#model.loss(tokens, targets),
      accuracy: accuracyOf(logits, targets),
      scores: Float32Array.from(scores),
      maps: packMaps(attentionWeights),
    };
  }

  #update(losses: readonly number[], measurements: readonly Measurement[]): Update {
    const shown = this.#unseen.tokens.data.subarray(0, this.#task.length);
    const { attentionWeights } = this.#model.forward(
      { data: shown, shape: [this.#task.length] },
      { returnWeights: true },
    );
    return {
      step: this.#step,
      losses: Float32Array.from(losses),
      measurements,
      weights: attentionWeights.map(({ data }) => data),
    };
  }
}

/** Tasks in which the right key of every query is known. */
export const taskNames = ['induction', 'recall', 'sort', 'reverse', 'copy', 'previous'] as const;
export type TaskName = (typeof taskNames)[number];

/** How far back the task `copy` looks: too far to be taken for the token before. */
export const copyOffset = 3;

/** Of recall: tokens below are names, the others values. */
export const numNames = 8;

/** What items are drawn from; the separator is the symbol behind them. */
export const numItemSymbols = { sort: 16, reverse: 12 } as const;

const letter = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index);

/** A token as people read it: letters; values of recall are digits; `|` separates. */
export function symbolOf(name: TaskName, token: number): string {
  if (name === 'recall' && token >= numNames) return String(token - numNames);
  const isSeparator = (name === 'sort' || name === 'reverse') && token === numItemSymbols[name];
  return isSeparator ? '|' : letter(token);
}

const makers: Readonly<Record<TaskName, () => Task>> = {
  // With fewer symbols or shorter periods one layer learns most: the next token is then often the one seen longest ago.
  induction: () => new InductionTask({ numSymbols: 26, length: 20, minPeriod: 6, maxPeriod: 12 }),
  recall: () => new AssociativeRecallTask({ numNames, numValues: 8, numPairs: 6, numQuestions: 4 }),
  sort: () => new SortTask({ numSymbols: numItemSymbols.sort, numItems: 6 }),
  reverse: () => new ReverseTask({ numSymbols: numItemSymbols.reverse, numItems: 8 }),
  copy: () => new CopyTask({ numSymbols: 12, length: 16, offset: copyOffset }),
  previous: () => new CopyTask({ numSymbols: 12, length: 16 }),
};

/** Small enough for every cell of a map to be seen, and to be learnt in seconds. */
export const makeTask = (name: TaskName): Task => makers[name]();

/** Tokens, and the target of each position; −1 where there is none. */
export interface Sequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

/** The sequences of a batch one by one. */
export function sequencesOf({ tokens, targets }: TaskBatch): Sequence[] {
  const [count = 0, length = 0] = tokens.shape;
  return Array.from({ length: count }, (_, number) => {
    const [first, end] = [number * length, (number + 1) * length];
    return { tokens: tokens.data.slice(first, end), targets: targets.data.slice(first, end) };
  });
}

/** Share of the targets, −1 aside, that have the largest logit. */
export function accuracyOf({ data, shape }: Tensor, targets: Tokens): number {
  const size = shape.at(-1) ?? 0;
  let asked = 0;
  let right = 0;
  for (const [row, target] of targets.data.entries()) {
    if (target < 0) continue;
    const logits = data.subarray(row * size, (row + 1) * size);
    const logit = logits[target] ?? NaN;
    asked += 1;
    if (logits.every((other) => other <= logit)) right += 1;
  }
  return right / asked;
}

/** Steps of a weight from 0 to 1 where it is kept: fine enough for four decimals. */
const steps = 65_535;

/** Where the weights of causal maps, (heads, length, length), are: on and below the diagonals. */
const causalCells = (heads: number, length: number): number[] =>
  range(heads * length).flatMap((row) =>
    range((row % length) + 1).map((key) => row * length + key),
  );

/**
 * The first sample of causal weights, (batch, heads, length, length) a layer, in two bytes a cell and without what is
 * masked: (layers, heads, cells). An eighth of what double precision would take, so that all of a run can be kept.
 */
export function packMaps(layers: readonly Pick<Tensor, 'data' | 'shape'>[]): Uint16Array {
  const [, heads = 0, length = 0] = layers[0]?.shape ?? [];
  const cells = causalCells(heads, length);
  return Uint16Array.from(
    layers.flatMap(({ data }) => cells.map((cell) => Math.round(steps * data[cell]))),
  );
}

/** The weights as they were, but for what two bytes cannot tell: (heads, length, length) a layer. */
export function unpackMaps(
  packed: Uint16Array,
  numLayers: number,
  numHeads: number,
  length: number,
): Float32Array[] {
  const cells = causalCells(numHeads, length);
  return range(numLayers).map((layer) => {
    const weights = new Float32Array(numHeads * length * length);
    cells.forEach((cell, i) => {
      weights[cell] = packed[layer * cells.length + i] / steps;
    });
    return weights;
  });
}
