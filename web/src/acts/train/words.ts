import { inWords } from '../../format/sentences.js';
import { copyOffset, type TaskName } from '../../worker/tasks.js';
import type { ScoreName } from '../../worker/training.js';

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
    'A random sequence repeats. From the second time on, each position is to say what comes next.',
  recall: 'Names, each followed by its value. Then names alone, whose values are to be said.',
  sort: 'Items, a bar, then the same items in order: each position is to say the next one.',
  reverse: 'Items, a bar, then the same items from the last to the first.',
  copy: `Each position is to say the token ${copyOffset} places back.`,
  previous: 'Each position is to say the token before it.',
};

/** What a head looks at whose weight is where the task's answer stands. */
const rightKeys: Readonly<Record<TaskName, string>> = {
  induction: 'what followed this token last time',
  recall: 'the value beside the name',
  sort: 'the item that comes next in order',
  reverse: 'the item whose turn it is',
  copy: `the token ${copyOffset} places back`,
  previous: 'the token before',
};

const lookingAt = (score: ScoreName, task: TaskName): string =>
  ({
    rightKey: rightKeys[task],
    previousToken: 'the token before',
    induction: rightKeys.induction,
    firstToken: 'the first token',
  })[score];

/** The third act. */
export const words = {
  title: 'Train it',
  paragraphs: [
    'Here heads learn, while you watch. The model is attention and nothing else, and its tasks are such that everybody knows where a query should look. A line below each head rises when the head takes a role.',
    'Induction takes two heads, one above the other: the lower looks at the token before, the upper then finds what followed the same token last time.',
  ],
  goalTask:
    'Have 99\u00a0% of the answers right. Then try it with a single layer: can one do the work of two?',
  goalReached: (step: number, layers: number, seed: number) =>
    `It took ${step} steps with ${layers === 1 ? 'one layer' : `${inWords(layers)} layers`} and seed ${seed}, and always will.`,
  panel: 'What is trained',
  task: 'Task',
  tasks,
  explanations,
  layers: 'Layers',
  heads: 'Heads a layer',
  rate: 'Learning rate',
  speed: 'Speed',
  speeds: { '1': '1 step a second', '10': '10', '60': '60', full: 'Full' },
  start: 'Start',
  goOn: 'Go on',
  pause: 'Pause',
  step: 'One step',
  again: 'Begin again',
  buttons: 'Training',
  waiting: 'The model is being made.',
  status: (step: number, loss: string, accuracy: string) =>
    `Step ${step}: loss ${loss}, ${accuracy} of the answers right on sequences never trained on.`,
  ended: (step: number) => `This run ends at step ${step}.`,
  goal: (step: number) => `Step ${step}: 99\u00a0% of the answers are right.`,
  took: (step: number, where: Place, score: ScoreName, task: TaskName) =>
    `Step ${step}: ${place(where)} looks at ${lookingAt(score, task)}.`,
  left: (step: number, where: Place, score: ScoreName, task: TaskName) =>
    `Step ${step}: ${place(where)} looks away from ${lookingAt(score, task)}.`,
  log: 'What happened',
  nothingYet: 'No head has taken a role yet.',
  events: 'heads that took a role',
  sequence: 'The sequence in the maps',
  answer: (symbol: string) => `asks for ${symbol}`,
  layer: (layer: number) => `Layer ${layer}`,
  head: (head: number) => `Head ${head}`,
  card: (where: Place, role: string, scores: string) =>
    `Head ${where.head}: ${role}. Layer ${where.layer}, ${scores}`,
  noRole: 'no role yet',
  role: (score: ScoreName, task: TaskName) => `looks at ${lookingAt(score, task)}`,
  scores: 'Share of a head’s weight on',
  score: lookingAt,
  lossCurve: 'Loss against steps of training',
  steps: 'steps',
  loss: 'Loss',
  lossTraining: 'trained on',
  lossUnseen: 'never trained on',
  guessing: 'guessing',
  scale: 'Loss axis',
  scales: { log: 'Logarithmic', linear: 'Linear' },
  exportName: 'the training run',
  maps: 'Weights of every head for one sequence that is never trained on',
  enlarged: (where: Place) => `Layer ${where.layer}, head ${where.head}`,
  enlargedLabel: (where: Place) =>
    `Layer ${where.layer}, head ${where.head}: weights of all queries (rows) for all keys (columns)`,
  enlargedHint: 'Choose a head above to see it here, cell by cell.',
  cell: (query: number, querySymbol: string, key: number, keySymbol: string, weight: string) =>
    `Query ${query} (${querySymbol}) gives key ${key} (${keySymbol}) the weight ${weight}.`,
  later: (query: number, querySymbol: string, key: number, keySymbol: string) =>
    `Query ${query} (${querySymbol}) may not see key ${key} (${keySymbol}), which comes later.`,
} as const;
