import { choiceField, type Fields, numberField, seedRange } from '../../address/field.js';
import { type TaskName, taskNames } from '../../worker/tasks.js';
import type { RunOptions } from '../../worker/training.js';

/** What the controls of the act hold. */
export interface TrainState {
  readonly task: TaskName;
  readonly layers: number;
  readonly heads: number;
  readonly rate: number;
  readonly seed: number;
  readonly speed: Speed;
  readonly scale: LossScale;
}

export const layerCounts = [1, 2, 3] as const;
export const trainHeadCounts = [1, 2, 4] as const;
export const learningRates = [0.001, 0.002, 0.005, 0.01, 0.02] as const;

/** Steps a second, or as many as there can be. */
export const speeds = ['1', '10', '60', 'full'] as const;
export type Speed = (typeof speeds)[number];

export const lossScales = ['log', 'linear'] as const;
export type LossScale = (typeof lossScales)[number];

export const trainFields: Fields<TrainState> = {
  task: choiceField('train-task', taskNames, 'induction'),
  layers: choiceField<number>('train-layers', layerCounts, 2),
  heads: choiceField<number>('train-heads', trainHeadCounts, 2),
  rate: choiceField<number>('train-rate', learningRates, 0.005),
  seed: numberField('train-seed', seedRange, 1),
  speed: choiceField('train-speed', speeds, '60'),
  scale: choiceField('train-scale', lossScales, 'log'),
};

/** What of the state makes the run; the rest is how it is shown. */
export function runOptionsOf({ task, layers, heads, rate, seed }: TrainState): RunOptions {
  return { task, layers, heads, learningRate: rate, seed };
}

export function isSameRun(a: RunOptions, b: RunOptions): boolean {
  return (Object.keys(a) as (keyof RunOptions)[]).every((name) => a[name] === b[name]);
}
