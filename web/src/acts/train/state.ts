import {
  choiceField,
  type Field,
  numberField,
  optionalField,
  seedRange,
  type StateOf,
  writtenField,
} from '../../address/field.js';
import { type Head, headNamed, nameOfHead } from '../../worker/heads.js';
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

/** Steps a second, or as many as there can be. */
const speeds = ['1', '10', '60', 'full'] as const;
export type Speed = (typeof speeds)[number];

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

const runFields = {
  task: choiceField('train-task', taskNames, 'induction'),
  layers: choiceField<number>('train-layers', [1, 2, 3], 2),
  heads: choiceField<number>('train-heads', [1, 2, 4], 2),
  rate: choiceField<number>('train-rate', [0.001, 0.002, 0.005, 0.01, 0.02], 0.005),
  seed: numberField('train-seed', seedRange, 1),
};

/** Options and step in this order: `induction,2,2,0.005,1,240`. */
export const pinnedField = optionalField(
  writtenField<Pinned | undefined>(
    'train-pinned',
    undefined,
    (written) => {
      const parts = written.split(',');
      const fields = [...Object.values(runFields), stepField];
      const readings = fields.map((field, i) => field.read(parts[i] ?? ''));
      if (parts.length !== fields.length || readings.some((reading) => 'correction' in reading)) {
        return undefined;
      }
      const [task, layers, heads, learningRate, seed, step] = readings.map(
        ({ value }) => value,
      ) as [...[TaskName, number, number, number, number, number]];
      return { options: { task, layers, heads, learningRate, seed }, step };
    },
    (pinned) => {
      if (pinned === undefined) return '';
      const { task, layers, heads, learningRate, seed } = pinned.options;
      return [task, layers, heads, learningRate, seed, pinned.step].join();
    },
    () => 'none',
  ),
);

/** Of the task with the most tokens. */
const longest = 20;

export const trainFields = {
  ...runFields,
  speed: choiceField('train-speed', speeds, '60'),
  scale: choiceField('train-scale', ['log', 'linear'] as const, 'log'),
  /** The measured step that is shown; `undefined` for the last one, whichever that is. */
  at: optionalField(measuredField, 'now'),
  /** A run whose curve is drawn beside this one's. */
  pinned: pinnedField,
  /** The head whose map is enlarged, by layer and place: `2.1`. Undefined if the model lacks it. */
  head: optionalField(
    writtenField<Head | undefined>(
      'train-head',
      undefined,
      (written) => {
        const head = headNamed(written);
        return head && head.layer < 3 && head.head < 4 ? head : undefined;
      },
      (head) => (head === undefined ? '' : nameOfHead(head)),
      () => 'none',
    ),
  ),
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
