import type { HeadMeasure } from 'headwise/models';

import { count, inWords } from '../../format/sentences.js';
import type { Role } from '../../worker/heads.js';
import { translatable } from '../../format/translation.js';

interface Place {
  readonly layer: number;
  readonly head: number;
}

/** What a pruned head did. */
const past: Readonly<Record<Role, string>> = {
  previousToken: 'attended to the previous token',
  induction: 'found the token that followed before',
  sharp: 'was sharp and had no role',
  quiet: 'was quiet and had no role',
};

const roles: Readonly<Record<Role, string>> = {
  previousToken: 'previous token',
  induction: 'induction',
  sharp: 'sharp',
  quiet: 'quiet',
};

const measures: Readonly<Record<HeadMeasure, string>> = {
  ablation: 'Ablation',
  gradient: 'Gradient',
  confidence: 'Confidence',
  entropy: 'Entropy',
};

/** What the act says, beside intro.ts. */
export const words = translatable('prune', {
  panel: 'Plant a model and guess',
  guess: 'Plant, then guess',
  guessTask: (planted: number) =>
    `Find the ${inWords(planted)} heads that do the work, by their maps alone.`,
  guessReached: (planted: number) => `You found all ${inWords(planted)}.`,
  guessMissed: (found: number, planted: number) => `You found ${found} of ${planted}.`,
  plant: 'Plant and train',
  stop: 'Stop',
  progress: (seed: number, number: number, total: number) =>
    `Seed ${seed}, ${number} of ${total}: training, measuring, pruning.`,
  notYet: 'No model has been trained yet. It takes a few seconds.',
  stopped: (seeds: number) => `Stopped. Results are from ${count(seeds, 'seed', 'seeds')}.`,
  done: (seeds: number) => `Done. Results are from ${count(seeds, 'seed', 'seeds')}.`,

  tiles: 'Maps of all heads',
  maps: 'Queries down, keys across, on one test sequence; masked keys come later. Heads are numbered by layer and head.',
  unmarked: (planted: number) => `Mark ${inWords(planted)} heads, then check.`,
  marked: (marks: number, planted: number) =>
    `${marks} of ${planted} marked.` + (marks === planted ? ' Check them, or unmark one.' : ''),
  check: 'Check',
  skip: 'Show without guessing',
  roles,
  toMark: 'mark',
  isMarked: 'marked',
  you: 'You',
  scores: (planted: number) => `Of the ${inWords(planted)} heads that each chose`,
  scoreRows: { found: 'planted', without: 'accuracy without them' },
  found: (found: number, planted: number) => `${found} of ${planted}`,
  loudTitle: 'Loud is not useful.',
  loud: (least: string, without: string, whole: string, ablated: string) =>
    `The heads that confidence chooses have mean largest weights of at least ${least}, but accuracy is ${without} without them and ${whole} with all heads. Without the heads that ablation chooses it is ${ablated}.`,

  importance: 'Importance by four measures',
  importancePanel: 'What the bars are',
  measures,
  measureNotes: {
    ablation: 'increase of the loss without the head',
    gradient: 'slope of the loss at the head’s gate',
    confidence: 'mean over queries of the largest weight',
    entropy: 'mean entropy of the weights: low if they are concentrated',
  } satisfies Readonly<Record<HeadMeasure, string>>,
  verdict: (found: number, planted: number, seed: number) =>
    found === planted
      ? `The ${inWords(planted)} heads it ranks highest are the ${inWords(planted)} planted ones (seed\u00a0${seed}).`
      : `${found === 0 ? 'None' : inWords(found, 'sentence')} of the ${inWords(planted)} heads it ranks highest ${found < 2 ? 'was' : 'were'} planted (seed\u00a0${seed}).`,
  overSeeds: (found: number, planted: number, seeds: number) =>
    `Over ${seeds} seeds: ${found} of ${planted}.`,
  chart: (measure: HeadMeasure, verdict: string) => `${measures[measure]} of each head. ${verdict}`,
  truth: 'Planted as',
  truths: { planted: 'planted role', sharp: 'sharp', quiet: 'quiet' },
  bars: (seed: number) =>
    `Bars are the heads of seed\u00a0${seed}, numbered by layer and head. Other seeds plant elsewhere.`,
  place: ({ layer, head }: Place) => `${layer}.${head}`,

  curves: 'Pruning curves, least important heads first',
  curvesPanel: 'What the curves show',
  metric: 'Show',
  metrics: { accuracy: 'Accuracy', loss: 'Loss' },
  orders: { ...measures, random: 'random order' },
  heads: 'heads left',
  band: 'Lines are means over seeds; the grey area is the range of all random orders. A layer keeps its last head.',

  session: 'Prune it yourself',
  sessionPanel: 'What is left of the model',
  goalTask: 'Prune until four heads are left and accuracy is still at least 95\u00a0%.',
  sessionHint: 'Prune a head, or drag its gate: released at 0, the head is pruned.',
  answersHint:
    'The test sequence that the full model predicts best. Below each token is the predicted next token with its probability; a cross marks a wrong one.',
  answered: (right: number, asked: number) =>
    `${right} of ${asked} predictions for this sequence are correct.`,
  answer: (symbol: string, probability: string, isRight: boolean) =>
    `predicts ${symbol}, ${probability}, ${isRight ? 'correct' : 'wrong'}`,
  wrong: '×',
  layer: (layer: number) => `Layer ${layer}`,
  head: (head: number) => `Head ${head}`,
  gate: ({ layer, head }: Place) => `Gate of head ${head} of layer ${layer}`,
  gateValue: (percent: number) => `${percent}\u00a0%`,
  pruneHead: 'Prune',
  pruneLabel: ({ layer, head }: Place) => `Prune head ${head} of layer ${layer}`,
  lastOne: 'last of its layer',
  pruned: (role: Role) => `Pruned. It ${past[role]}.`,
  undo: 'Undo',
  reset: 'Restore all',
  table: 'Full and pruned model',
  whole: 'Full',
  left: 'Pruned',
  rows: { heads: 'Heads', loss: 'Loss', accuracy: 'Accuracy', time: 'Forward pass' },
  milliseconds: (time: string) => `${time} ms`,
  notTimed: '–',
  measuring: '…',
  ratio: (ratio: string, lower: string, upper: string, pairs: number) =>
    `Pruned ÷ full: ${ratio}, 95\u00a0% interval ${lower} to ${upper}; medians of ${pairs} pairs timed in turn.`,
  tried: (loss: string, accuracy: string) =>
    `With these gates: loss ${loss}, accuracy ${accuracy}.`,
  status: (heads: number, loss: string, accuracy: string) =>
    `${inWords(heads, 'sentence')} heads left: loss ${loss}, accuracy ${accuracy}.`,
  reached: (heads: number, accuracy: string) =>
    `${inWords(heads, 'sentence')} heads reach ${accuracy} accuracy.`,
  reachedIn: (heads: number, accuracy: string, ratio: string) =>
    `${inWords(heads, 'sentence')} heads reach ${accuracy} accuracy in ${ratio} of the time.`,
  exportNames: {
    maps: 'the maps of the planted model',
    importance: 'the importance of heads',
    curves: 'the pruning curves',
  },
});
