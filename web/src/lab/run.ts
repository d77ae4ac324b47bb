import type { TaskName } from './tasks.js';

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
