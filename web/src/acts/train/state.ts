import {
  choiceField,
  type Field,
  numberField,
  optionalField,
  seedRange,
  type StateOf,
} from '../../address/field.js';
import { words as addressWords } from '../../address/words.js';
import { type Head, nameOfHead } from '../../worker/heads.js';
import {
  lastStep,
  measureEvery,
  type RunOptions,
  type TaskName,
  taskNames,
} from '../../worker/training.js';

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

/** The measured step that a step is, or the one before it. */
export const measuredStep = (step: number): number => step - (step % measureEvery);

const stepField = numberField('train-at', { min: 0, max: lastStep, step: 1 }, lastStep);
const measuredField: Field<number> = {
  ...stepField,
  read(written) {
    const { value, ...rest } = stepField.read(written);
    return { value: measuredStep(value), ...rest };
  },
};

/** A head by layer and place: `2.1`. */
const headField: Field<Head | undefined> = {
  name: 'train-head',
  initial: undefined,
  read(written) {
    const found = /^([1-3])\.([1-4])$/.exec(written);
    if (found !== null) {
      return { value: { layer: Number(found[1]) - 1, head: Number(found[2]) - 1 } };
    }
    return { value: undefined, correction: addressWords.list(this.name, written, 'none') };
  },
  write: (head) => (head === undefined ? '' : nameOfHead(head)),
};

const runFields = {
  task: choiceField('train-task', taskNames, 'induction'),
  layers: choiceField<number>('train-layers', layerCounts, 2),
  heads: choiceField<number>('train-heads', trainHeadCounts, 2),
  rate: choiceField<number>('train-rate', learningRates, 0.005),
  seed: numberField('train-seed', seedRange, 1),
};

/** Options and step in this order: `induction,2,2,0.005,1,240`. */
export const pinnedField = optionalField<Pinned | undefined>({
  name: 'train-pinned',
  initial: undefined,
  read(written) {
    const parts = written.split(',');
    const fields = [...Object.values(runFields), stepField];
    const readings = fields.map((field, i) => field.read(parts[i] ?? ''));
    if (parts.length !== fields.length || readings.some((reading) => 'correction' in reading)) {
      return { value: undefined, correction: addressWords.list(this.name, written, 'none') };
    }
    const [task, layers, heads, learningRate, seed, step] = readings.map(({ value }) => value) as [
      ...[TaskName, number, number, number, number, number],
    ];
    return { value: { options: { task, layers, heads, learningRate, seed }, step } };
  },
  write(pinned) {
    if (pinned === undefined) return '';
    const { task, layers, heads, learningRate, seed } = pinned.options;
    return [task, layers, heads, learningRate, seed, pinned.step].join();
  },
});

/** Of the task with the most tokens. */
const longest = 20;

export const trainFields = {
  ...runFields,
  speed: choiceField('train-speed', speeds, '60'),
  scale: choiceField('train-scale', lossScales, 'log'),
  /** The measured step that is shown; `undefined` for the last one, whichever that is. */
  at: optionalField(measuredField, 'now'),
  /** A run whose curve is drawn beside this one's. */
  pinned: pinnedField,
  /** The head whose map is enlarged; undefined if the model lacks it. */
  head: optionalField(headField),
  /** The token whose composition is shown, counted from 1; 0 for the last one. */
  query: numberField('train-query', { min: 0, max: longest, step: 1 }, 0),
};

/** What the controls of the act hold. */
export type TrainState = StateOf<typeof trainFields>;

/** What of the state makes the run; the rest is how it is shown. */
export function runOptionsOf({ task, layers, heads, rate, seed }: TrainState): RunOptions {
  return { task, layers, heads, learningRate: rate, seed };
}

export function isSameRun(a: RunOptions, b: RunOptions): boolean {
  return (Object.keys(a) as (keyof RunOptions)[]).every((name) => a[name] === b[name]);
}
