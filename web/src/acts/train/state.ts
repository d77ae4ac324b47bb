import {
  choiceField,
  type Field,
  type Fields,
  numberField,
  seedRange,
} from '../../address/field.js';
import { words as addressWords } from '../../address/words.js';
import { type Head, nameOfHead } from '../../worker/heads.js';
import { type TaskName, taskNames } from '../../worker/tasks.js';
import { lastStep, measureEvery, type RunOptions } from '../../worker/training.js';

/** What the controls of the act hold. */
export interface TrainState {
  readonly task: TaskName;
  readonly layers: number;
  readonly heads: number;
  readonly rate: number;
  readonly seed: number;
  readonly speed: Speed;
  readonly scale: LossScale;
  /** The measured step that is shown; `undefined` for the last one, whichever that is. */
  readonly at: number | undefined;
  /** A run whose curve is drawn beside this one's. */
  readonly pinned: Pinned | undefined;
  /** The head whose map is enlarged; one that the model has not is none. */
  readonly head: Head | undefined;
  /** The token whose composition is shown, counted from 1; 0 for the last one. */
  readonly query: number;
}

/** A run as it was after a step. */
export interface Pinned {
  readonly options: RunOptions;
  readonly step: number;
}

export const layerCounts = [1, 2, 3] as const;
export const trainHeadCounts = [1, 2, 4] as const;
export const learningRates = [0.001, 0.002, 0.005, 0.01, 0.02] as const;

/** Steps a second, or as many as there can be. */
export const speeds = ['1', '10', '60', 'full'] as const;
export type Speed = (typeof speeds)[number];

export const lossScales = ['log', 'linear'] as const;
export type LossScale = (typeof lossScales)[number];

const present = 'now';
const stepField = numberField('train-at', { min: 0, max: lastStep, step: 1 }, lastStep);

/** The measured step that a step is, or the one before it. */
export const measuredStep = (step: number): number => step - (step % measureEvery);

/** `now`, or a step: the measured one before it. */
const atField: Field<number | undefined> = {
  name: stepField.name,
  initial: undefined,
  read(written) {
    if (written === present) return { value: undefined };
    const { value, correction } = stepField.read(written);
    return {
      value: measuredStep(value),
      ...(correction === undefined ? {} : { correction }),
    };
  },
  write: (value) => value?.toString() ?? present,
};

const none = 'none';
const headName = 'train-head';

/** `none`, or a head: `2.1`. */
const headField: Field<Head | undefined> = {
  name: headName,
  initial: undefined,
  read(written) {
    if (written === none) return { value: undefined };
    const found = /^([1-3])\.([1-4])$/.exec(written);
    if (found !== null) {
      return { value: { layer: Number(found[1]) - 1, head: Number(found[2]) - 1 } };
    }
    return { value: undefined, correction: addressWords.list(headName, written, none) };
  },
  write: (head) => (head === undefined ? none : nameOfHead(head)),
};

const task = choiceField('train-task', taskNames, 'induction');
const layers = choiceField<number>('train-layers', layerCounts, 2);
const heads = choiceField<number>('train-heads', trainHeadCounts, 2);
const rate = choiceField<number>('train-rate', learningRates, 0.005);
const seed = numberField('train-seed', seedRange, 1);
const runFields = [task, layers, heads, rate, seed] as const;

const pinnedName = 'train-pinned';

/** Options and step in this order, or `none`: `induction,2,2,0.005,1,240`. */
export const pinnedField: Field<Pinned | undefined> = {
  name: pinnedName,
  initial: undefined,
  read(written) {
    if (written === none) return { value: undefined };
    const parts = written.split(',');
    const fields = [...runFields, stepField];
    const readings = fields.map((field, i) => field.read(parts[i] ?? ''));
    if (parts.length !== fields.length || readings.some((reading) => 'correction' in reading)) {
      return { value: undefined, correction: addressWords.list(pinnedName, written, none) };
    }
    const [task, layers, heads, learningRate, seed, step] = readings.map(({ value }) => value) as [
      ...[TaskName, number, number, number, number, number],
    ];
    return { value: { options: { task, layers, heads, learningRate, seed }, step } };
  },
  write(pinned) {
    if (pinned === undefined) return none;
    const { task, layers, heads, learningRate, seed } = pinned.options;
    return [task, layers, heads, learningRate, seed, pinned.step].join();
  },
};

/** Of the task with the most tokens. */
const longest = 20;

export const trainFields: Fields<TrainState> = {
  task,
  layers,
  heads,
  rate,
  seed,
  speed: choiceField('train-speed', speeds, '60'),
  scale: choiceField('train-scale', lossScales, 'log'),
  at: atField,
  pinned: pinnedField,
  head: headField,
  query: numberField('train-query', { min: 0, max: longest, step: 1 }, 0),
};

/** What of the state makes the run; the rest is how it is shown. */
export function runOptionsOf({ task, layers, heads, rate, seed }: TrainState): RunOptions {
  return { task, layers, heads, learningRate: rate, seed };
}

export function isSameRun(a: RunOptions, b: RunOptions): boolean {
  return (Object.keys(a) as (keyof RunOptions)[]).every((name) => a[name] === b[name]);
}
