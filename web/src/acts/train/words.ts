import { inWords } from '../../format/sentences.js';
import { copyOffset, type TaskName } from '../../worker/tasks.js';
import type { ScoreName } from '../../worker/training.js';
import { translatable } from '../../format/translation.js';

interface Place {
  readonly layer: number;
  readonly head: number;
}

const place = ({ layer, head }: Place): string => `head ${head} of layer ${layer}`;

const tasks: Readonly<Record<TaskName, string>> = {
  induction: 'Induction',
  recall: 'Recall',
  sort: 'Sort',
  reverse: 'Reverse',
  copy: 'Copy',
  previous: 'Previous token',
};

const explanations: Readonly<Record<TaskName, string>> = {
  induction:
    'A random sequence repeats. From its second occurrence on, each position must predict the next token.',
  recall: 'Names, each followed by its value; then names alone, whose values must be predicted.',
  sort: 'Items, a separator, then the same items in sorted order: each position must predict the next item.',
  reverse: 'Items, a separator, then the same items in reverse order, from the last to the first.',
  copy: `Each position must predict the token ${copyOffset} positions back.`,
  previous: 'Each position must predict the previous token.',
};

/** The keys that hold the answers of a task. */
const rightKeys: Readonly<Record<TaskName, string>> = {
  induction: 'the token that followed the same token before',
  recall: 'the value of the name',
  sort: 'the item that comes next in order',
  reverse: 'the next item in reverse order',
  copy: `the token ${copyOffset} positions back`,
  previous: 'the previous token',
};

const lookingAt = (score: ScoreName, task: TaskName): string =>
  ({
    rightKey: rightKeys[task],
    previousToken: 'the previous token',
    induction: rightKeys.induction,
    firstToken: 'the first token',
  })[score];

/** What the act says, beside intro.ts. */
export const words = translatable('train', {
  goalTask: 'Reach 99\u00a0% accuracy. Then try a single layer: can it do the work of two?',
  goalReached: (step: number, layers: number, seed: number) =>
    `It took ${step} steps with ${layers === 1 ? 'one layer' : `${inWords(layers)} layers`} and seed ${seed}; the same settings always give the same run.`,
  panel: 'Task and model',
  more: 'Learning rate and seed',
  task: 'Task',
  tasks,
  explanations,
  layers: 'Layers',
  heads: 'Heads per layer',
  rate: 'Learning rate',
  speed: 'Speed',
  speeds: { '1': '1 step per second', '10': '10', '60': '60', full: 'Full' },
  start: 'Start',
  goOn: 'Resume',
  pause: 'Pause',
  step: 'One step',
  again: 'Restart',
  buttons: 'Training',
  waiting: 'Creating the model.',
  status: (step: number, loss: string, accuracy: string) =>
    `Step ${step}: loss ${loss}, accuracy ${accuracy} on unseen sequences.`,
  ended: (step: number) => `The run ended at step ${step}.`,
  goal: (step: number) => `Step ${step}: accuracy reached 99\u00a0%.`,
  took: (step: number, where: Place, score: ScoreName, task: TaskName) =>
    `Step ${step}: ${place(where)} now attends to ${lookingAt(score, task)}.`,
  left: (step: number, where: Place, score: ScoreName, task: TaskName) =>
    `Step ${step}: ${place(where)} no longer attends to ${lookingAt(score, task)}.`,
  log: 'Events',
  nothingYet: 'No head has taken a role yet.',
  sequence: 'Sequence shown in the maps',
  answer: (symbol: string) => `target: ${symbol}`,
  layer: (layer: number) => `Layer ${layer}`,
  head: (head: number) => `Head ${head}`,
  card: (where: Place, role: string, scores: string) =>
    `Head ${where.head}: ${role}. Layer ${where.layer}, ${scores}`,
  noRole: 'no role yet',
  role: (score: ScoreName, task: TaskName) => `attends to ${lookingAt(score, task)}`,
  scores: 'Share of a head’s attention weight on',
  score: lookingAt,
  lossCurve: 'Loss by training step',
  steps: 'steps',
  loss: 'Loss',
  lossTraining: 'training sequences',
  lossUnseen: 'unseen sequences',
  guessing: 'uniform guessing',
  scale: 'Loss axis',
  scales: { log: 'Logarithmic', linear: 'Linear' },
  exportName: 'the training run',
  maps: 'Weights of every head for one unseen sequence',
  enlarged: (where: Place) => `Layer ${where.layer}, head ${where.head}`,
  enlargedLabel: (where: Place) =>
    `Layer ${where.layer}, head ${where.head}: weights of all queries (rows) for all keys (columns)`,
  enlargedHint: 'Choose a head above to see its map enlarged.',
  cell: (query: number, querySymbol: string, key: number, keySymbol: string, weight: string) =>
    `Query ${query} (${querySymbol}) gives key ${key} (${keySymbol}) the weight ${weight}.`,
  later: (query: number, querySymbol: string, key: number, keySymbol: string) =>
    `Query ${query} (${querySymbol}) cannot attend to key ${key} (${keySymbol}), which comes later.`,
});
