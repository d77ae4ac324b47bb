import {
  AttentionOnlyTransformer,
  inductionScores,
  keyScores,
  patternScores,
  type Task,
  type TaskBatch,
} from 'headwise/models';

import { accuracyOf } from './answers.js';
import { packMaps } from './packed-maps.js';
import { makeTask, type TaskName } from './tasks.js';

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

/** A run at its beginning. */
export interface Start {
  /** The sequence whose maps are shown, with what it asks and where the answers stand. */
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  readonly keys: Int32Array;
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
    const [tokens, targets, keys] = [
      this.#unseen.tokens,
      this.#unseen.targets,
      this.#unseen.keys,
    ].map(({ data }) => Int32Array.from(data.subarray(0, this.#task.length))) as [
      Int32Array,
      Int32Array,
      Int32Array,
    ];
    const guessing = Math.log(this.#task.vocabularySize);
    return { tokens, targets, keys, guessing, update: this.#update([], [this.#measure()]) };
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
