import type { HeadMeasure } from 'headwise/models';

import { count, inWords } from '../../format/sentences.js';
import type { OrderName } from '../../worker/study.js';
import { translatable } from '../../format/translation.js';

/** What the act says, beside intro.ts. */
export const words = translatable('prune', {
  guess: 'Find the planted heads',
  guessTask: (planted: number) =>
    `Find the ${inWords(planted)} heads that do the work, by their maps alone.`,
  guessed: (found: number, planted: number) => `You found ${found} of ${planted}.`,
  shown: 'The roles of all heads are shown.',
  otherSeed: 'Another seed',
  plant: 'Plant and train',
  stop: 'Stop',
  progress: (seed: number, number: number, total: number) =>
    `Seed ${seed}, ${number} of ${total}: training, measuring, pruning.`,
  notYet: 'This seed is not trained yet.',
  notTrained: (seeds: number) =>
    `Training this seed and the next ${seeds - 1} takes a few seconds.`,
  builtIn: (seeds: number) => `The results of seeds 1 to ${seeds} come with the page.`,
  results: (seeds: number, isDone: boolean) =>
    `${isDone ? 'Done' : 'Stopped'}. Results are from ${count(seeds, 'seed', 'seeds')}.`,

  task: 'The model reads these letters and, once they repeat, predicts the next one: the letter below each.',
  maps: 'The weights of each head on these letters: queries down, keys across. Heads are numbered by layer and head.',
  unmarked: (planted: number) => `Mark ${inWords(planted)} heads, then check.`,
  marked: (marks: number, planted: number) =>
    `${marks} of ${planted} marked.` + (marks === planted ? ' Check them, or unmark one.' : ''),
  check: 'Check',
  skip: 'Show the roles',
  again: 'Guess again',
  roles: {
    sharp: 'sharp',
    quiet: 'quiet',
  },
  toMark: 'mark',
  isMarked: 'marked',
  you: 'You',
  scores: (planted: number) => `Of the ${inWords(planted)} heads that each chose`,
  scoreRows: { found: 'planted', without: 'accuracy without them' },
  loudTitle: 'Loud is not useful.',
  loud: (least: string, without: string, whole: string, ablated: string) =>
    `Confidence chooses heads whose largest weights are at least ${least} on average. Yet accuracy is ${without} without these heads and ${whole} with all heads. Without the heads that ablation chooses, it is ${ablated}.`,

  importance: 'Judge the measures',
  measureNotes: {
    ablation: 'increase of the loss without the head',
    gradient: 'slope of the loss at the head’s gate',
    confidence: 'mean of the largest weights',
    entropy: 'low if the weights are concentrated',
  } satisfies Record<HeadMeasure, string>,
  verdict: (found: number, planted: number, seed: number) =>
    `Seed\u00a0${seed}: ${found} of its first ${planted} were planted.`,
  overSeeds: (found: number, planted: number, seeds: number) =>
    `Over ${seeds} seeds: ${found} of ${planted}.`,
  chart: (measure: string, verdict: string) => `${measure} of each head. ${verdict}`,
  truth: 'The head is',
  truths: {
    planted: 'planted: the model needs it',
    sharp: 'sharp: it puts nearly all weight on one key, to no effect',
    quiet: 'quiet: it keeps its random initial parameters',
  },
  bars: (seed: number) =>
    `Bars are the heads of seed\u00a0${seed}. In other seeds the planted heads have other numbers.`,

  curves: 'Prune the least important heads first',
  accuracy: 'Accuracy',
  orders: {
    ablation: 'Ablation',
    gradient: 'Gradient',
    confidence: 'Confidence',
    entropy: 'Entropy',
    random: 'Random order',
  } satisfies Record<OrderName, string>,
  heads: 'heads left',
  band: 'Means over seeds; the grey area is the range of all random orders. A layer keeps its last head.',

  model: 'Prune the language model',
  modelGoal: 'Prune as many heads as you can. The held-out loss may increase by at most 5\u00a0%.',
  modelReached: (pruned: number, all: number, more: string) =>
    `${pruned} of ${all} heads pruned for ${more} more loss. No order allows more.`,
  cut: 'Heads to prune',
  order: 'Rank heads by (best first)',
  cutStatus: (pruned: number, all: number, loss: string, more: string, isWithin: boolean) =>
    pruned === 0
      ? `All ${all} heads: held-out loss ${loss}.`
      : `${pruned} of ${all} heads pruned: held-out loss ${loss}, ${more} more${isWithin ? '' : ', which is too much'}.`,
  modelCurves: 'Held-out loss against heads left',
  heldOutLoss: 'held-out loss, nats per token',
  heldOut:
    'Held-out text was not used in training. One half ranks the heads, the other gives the loss.',
  which: 'Heads of the language model',
  rankOrigin: 'Where the ranking comes from',
  rank: 'Rank the heads here',
  notRanked: 'Ranking runs the model some hundred times, so it takes a minute or more.',
  ranked: 'This ranking comes with the page. Repeating it here takes about a minute.',
  ranking: (share: string) => `Ranking: ${share} done.`,
  rankedHere: 'Done. This ranking was made here.',
  rankingStopped: (orders: number) =>
    `Stopped. The chart shows ${count(orders, 'order', 'orders')}.`,
  rankingFailed: (reason: string) => `The ranking failed: ${reason}`,

  nextToken: 'The next token of your sentence',
  changeSentence: 'Change it',
  top: (before: string, after: string, isSame: boolean) =>
    isSame
      ? `The top prediction stays “${before}”.`
      : `The top prediction changes from “${before}” to “${after}”.`,
  token: 'Token',
  whole: 'All heads',
  left: 'Pruned',
  notRead: 'Prune a head: the model then loads and reads your sentence.',
  notCausal: 'This model does not predict next tokens, so it has no held-out loss.',
  exportNames: {
    maps: 'the maps of the planted model',
    importance: 'the importance of heads',
    curves: 'the pruning curves',
    model: 'the pruning curves of the language model',
  },
});
