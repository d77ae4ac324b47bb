import { words as mapWords } from '../../attention/words.js';
import { count, inWords } from '../../format/sentences.js';
import type { Head } from '../../worker/heads.js';
import {
  copyOffset,
  type RunOptions,
  type ScoreName,
  type TaskName,
} from '../../worker/training.js';
import { translatable } from '../../format/translation.js';

const place = ({ layer, head }: Head): string => `head ${head + 1} of layer ${layer + 1}`;

const layersOf = (layers: number, at?: 'sentence'): string =>
  layers === 1 ? `${inWords(1, at)} layer` : `${inWords(layers, at)} layers`;

/** How a run went, in the words of a sentence. */
export interface Ran {
  readonly layers: number;
  readonly step: number;
  readonly accuracy: string;
  readonly goalStep: number | undefined;
}

const cameTo = ({ step, accuracy, goalStep }: Ran): string =>
  goalStep === undefined ? `${accuracy} after ${step} steps` : `99\u00a0% at step ${goalStep}`;

/** One key that a query of a head attends to, in the words of a sentence; positions from 0. */
export interface Look extends Head {
  readonly key: number;
  readonly symbol: string;
  readonly weight: string;
}

const looks = ({ layer, head, key, symbol, weight }: Look): string =>
  `to position ${key + 1} (${symbol}) in layer ${layer + 1}, head ${head + 1}, with weight ${weight}`;

/** What the act says, beside intro.ts. */
export const words = translatable('train', {
  goalTask: 'Reach 99\u00a0% accuracy. Then try a single layer: can it do the work of two?',
  goalReached: (step: number, layers: number, seed: number) =>
    `${step} steps with ${layersOf(layers)}, seed ${seed}.`,
  goalAnswered: (more: Ran, one: Ran) =>
    `${layersOf(more.layers, 'sentence')}: ${cameTo(more)}. One layer: ${cameTo(one)}. ${
      one.goalStep === undefined ? 'One is not enough.' : 'On this task one is enough.'
    }`,
  pin: 'Pin this run',
  unpin: 'Unpin run',
  now: 'Now',
  pinnedName: 'pinned',
  pinned: (run: Ran, task: string, { layers, heads, seed }: RunOptions) =>
    `Pinned (${task}, ${layersOf(layers)}, ${count(heads, 'head', 'heads')} per layer, seed\u00a0${seed}): accuracy ${cameTo(run)}.`,
  compared: {
    notReached: 'This run has not reached 99\u00a0%.',
    alone: (step: number) => `This run reached 99\u00a0% at step ${step}; the pinned run had not.`,
    same: 'This run reached 99\u00a0% at the same step.',
    other: (step: number, steps: number, isSooner: boolean) =>
      `This run reached 99\u00a0% at step ${step}, ${steps} steps ${isSooner ? 'sooner' : 'later'}.`,
  },
  handle: 'Step shown',
  more: 'Learning rate, seed and loss axis',
  task: 'Task',
  tasks: {
    induction: 'Induction',
    recall: 'Recall',
    sort: 'Sort',
    reverse: 'Reverse',
    copy: 'Copy',
    previous: 'Previous token',
  } satisfies Record<TaskName, string>,
  explanations: {
    induction:
      'A random sequence repeats. From its second occurrence on, each position must predict the next token.',
    recall: 'Names, each followed by its value; then names alone, whose values must be predicted.',
    sort: 'Items, a separator, then the same items in sorted order: each position must predict the next item.',
    reverse:
      'Items, a separator, then the same items in reverse order, from the last to the first.',
    copy: `Each position must predict the token ${copyOffset} positions back.`,
    previous: 'Each position must predict the previous token.',
  } satisfies Record<TaskName, string>,
  layers: 'Layers',
  heads: 'Heads per layer',
  rate: 'Learning rate',
  speed: 'Steps per second',
  speeds: { '1': '1', '10': '10', '60': '60', full: 'Full' },
  status: (step: number, loss: string, accuracy: string, last?: number) =>
    `Step ${step}${last === undefined ? '' : ` of ${last}`}: loss ${loss}, accuracy ${accuracy}.`,
  ended: (step: number) => `The run ended at step ${step}.`,
  goal: (step: number) => `Step ${step}: accuracy reached 99\u00a0%.`,
  took: (step: number, where: Head, keys: string) =>
    `Step ${step}: ${place(where)} now attends to ${keys}.`,
  left: (step: number, where: Head, keys: string) =>
    `Step ${step}: ${place(where)} no longer attends to ${keys}.`,
  log: 'Events',
  nothingYet: 'No head has taken a role yet.',
  target: 'target',
  composition: 'Tokens of the sequence: what a query attends to',
  token: (position: number, symbol: string, target: string | undefined) =>
    `Position ${position}: ${symbol}${target === undefined ? '' : `, target ${target}`}`,
  arc: ({ layer, head }: Head, weight: string) => `layer ${layer + 1}, head ${head + 1}: ${weight}`,
  /** In a model of one layer. */
  oneLook: (query: number, symbol: string, look: Look) =>
    `Query ${query} (${symbol}) attends most ${looks(look)}. With a single layer, a key knows only its own token, not the one before it.`,
  /** The key a query attends to, and that key's own look-back in a layer before. */
  twoLooks: (query: number, symbol: string, look: Look, back: Look) =>
    `Query ${query} (${symbol}) attends most ${looks(look)}. That position itself attended most ${looks(back)}: ${
      back.symbol === symbol
        ? 'the token that the query holds.'
        : 'not the token that the query holds.'
    }`,
  /** It begins with what is seen in the card: the head, its role, and its share of weight, if there is one. */
  card: ({ layer, head }: Head, seen: string, scores: string) =>
    `Head ${head + 1} ${seen}. Layer ${layer + 1}, ${scores}`,
  noRole: 'no role yet',
  scores: 'Share of weight on',
  /** When a head takes a role, and when it leaves one; shares in words. */
  roleRule: (enough: string, enoughForPrevious: string, tooLittle: string) =>
    `Lines across: a role is taken at ${enough} (previous token: ${enoughForPrevious}) and left below ${tooLittle}.`,
  /** The keys that hold the answers of a task. */
  rightKeys: {
    induction: 'the token that followed the same token before',
    recall: 'the value of the name',
    sort: 'the item that comes next in order',
    reverse: 'the next item in reverse order',
    copy: `the token ${copyOffset} positions back`,
    previous: 'the previous token',
  } satisfies Record<TaskName, string>,
  firstKey: 'the first token',
  rightKey: 'right key',
  /** A line in the legend. */
  scoreName: (name: string, keys: string) => `${name} (${keys})`,
  lossCurve: 'Loss by training step',
  loss: 'Loss',
  lossTraining: 'training',
  lossUnseen: 'unseen',
  guessing: 'uniform guessing',
  scale: 'Loss axis',
  scales: { log: 'Logarithmic', linear: 'Linear' },
  loopStep: (step: number, accuracy: number) => `Step ${step}: ${accuracy}\u00a0% right`,
  exportName: 'the training run',
  enlarged: ({ layer, head }: Head) => `Layer ${layer + 1}, head ${head + 1}`,
  enlargedLabel: ({ layer, head }: Head) =>
    `Layer ${layer + 1}, head ${head + 1}: weights of all queries (rows) for all keys (columns)`,
  enlargedHint: 'Choose a head to see its map enlarged.',
  cell: (query: number, querySymbol: string, key: number, keySymbol: string, weight: string) =>
    `Query ${query} (${querySymbol}) gives key ${key} (${keySymbol}) the weight ${weight}.`,
  later: (query: number, querySymbol: string, key: number, keySymbol: string) =>
    `Query ${query} (${querySymbol}) cannot attend to key ${key} (${keySymbol}), which comes later.`,
});

/** What a head does, where there is little room. */
export const shortNameOf = (score: ScoreName): string =>
  score === 'rightKey' ? words.rightKey : mapWords.patterns[score];

/** The keys that a head attends to, by what it is measured for. */
export function attendedBy(score: ScoreName, task: TaskName): string {
  if (score === 'firstToken') return words.firstKey;
  return words.rightKeys[score === 'rightKey' ? task : score === 'induction' ? score : 'previous'];
}
