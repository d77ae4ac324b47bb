import type { HeadMeasure } from 'headwise';

import { count, inWords } from '../../format/sentences.js';
import type { Role } from '../../worker/heads.js';

interface Place {
  readonly layer: number;
  readonly head: number;
}

/** What a head that is gone was. */
const past: Readonly<Record<Role, string>> = {
  previousToken: 'looked at the token before',
  induction: 'found what followed last time',
  sharp: 'was sharp, without a role',
  quiet: 'was quiet, without a role',
};

const measures: Readonly<Record<HeadMeasure, string>> = {
  ablation: 'Ablation',
  gradient: 'Gradient',
  confidence: 'Confidence',
  entropy: 'Entropy',
};

/** The fourth act. */
export const words = {
  title: 'Which heads matter, and which can go',
  paragraphs: [
    'To tell whether a measure of importance is right one must know the truth, so here it is planted. While the model learns, only four of its twelve heads are open: two that look at the token before, two that find what followed it last time. Then the others are opened. Some are *sharp*: they look hard at one key, for nothing. Some are *quiet*, as they were drawn.',
    'Ablation asks how much the loss grows without a head, the gradient how it would begin to. Confidence and entropy only ask how hard a head looks. Which of them are fooled?',
  ],
  goalTask: 'Prune until four heads are left and still 95\u00a0% of the answers are right.',
  panel: 'What is planted',
  plant: 'Plant and train',
  stop: 'Stop',
  progress: (seed: number, number: number, total: number) =>
    `Seed ${seed}, ${number} of ${total}: planting, training, measuring, pruning.`,
  notYet: 'Nothing is planted yet. It takes a few seconds.',
  preview:
    'Once it is planted, here stands how important each head is by four measures, and what is left as heads go. Then you prune it yourself.',
  stopped: (seeds: number) => `Stopped. What follows is from ${count(seeds, 'seed', 'seeds')}.`,
  done: (seeds: number) => `Done: what follows is from ${count(seeds, 'seed', 'seeds')}.`,

  importance: 'Importance by four measures',
  measures,
  measureNotes: {
    ablation: 'loss without the head, minus loss',
    gradient: 'slope of the loss at its gate',
    confidence: 'mean of its largest weights',
    entropy: 'mean entropy of its weights: low for a head that looks hard',
  } satisfies Readonly<Record<HeadMeasure, string>>,
  verdict: (found: number, planted: number, seed: number) =>
    found === planted
      ? `The ${inWords(planted)} heads it puts first are the ${inWords(planted)} planted ones (seed ${seed}).`
      : `${found === 0 ? 'None' : inWords(found, 'sentence')} of the ${inWords(planted)} heads it puts first ${found < 2 ? 'was' : 'were'} planted (seed ${seed}).`,
  chart: (measure: HeadMeasure, verdict: string) => `${measures[measure]} of each head. ${verdict}`,
  truth: 'What was planted',
  truths: { planted: 'planted: does the work', sharp: 'sharp', quiet: 'quiet' },
  bars: 'Bars are means over seeds, downsample lines reach from the least to the most of them. Heads are numbered by layer and place.',
  place: ({ layer, head }: Place) => `${layer}.${head}`,

  curves: 'What is left as heads go, the least important first',
  metric: 'Show',
  metrics: { accuracy: 'Right answers', loss: 'Loss' },
  orders: { ...measures, random: 'by lot' },
  heads: 'heads left',
  band: 'Lines are means over seeds; the grey area holds all orders drawn by lot. A layer keeps its last head.',

  session: 'Prune it yourself',
  sessionHints: [
    'Prune a head for good, or drag its gate: at 0 it goes when you let go. Everything can be undone.',
    'The tokens are the test sequence that the whole model answers best. Below a token stands what the model says comes next, and how likely; a wrong answer has a cross.',
  ],
  answered: (right: number, asked: number) =>
    `${right} of ${asked} answers to this sequence are right.`,
  answer: (symbol: string, probability: string, isRight: boolean) =>
    `answers ${symbol}, ${probability}, ${isRight ? 'right' : 'wrong'}`,
  wrong: '×',
  layer: (layer: number) => `Layer ${layer}`,
  head: (head: number) => `Head ${head}`,
  gate: ({ layer, head }: Place) => `Gate of head ${head} of layer ${layer}`,
  gateValue: (percent: number) => `${percent}\u00a0%`,
  pruneHead: 'Prune',
  pruneLabel: ({ layer, head }: Place) => `Prune head ${head} of layer ${layer}`,
  lastOne: 'last of its layer',
  pruned: (role: Role) => `Gone. It ${past[role]}.`,
  undo: 'Undo',
  reset: 'Put all back',
  table: 'The whole model and what is left of it',
  columns: ['Model', 'Heads', 'Loss', 'Right answers', 'One forward'],
  whole: 'Whole',
  left: 'Left',
  milliseconds: (time: string) => `${time} ms`,
  tried: (loss: string, accuracy: string) =>
    `With these gates: loss ${loss}, ${accuracy} of the answers right.`,
  status: (heads: number, loss: string, accuracy: string) =>
    `${inWords(heads, 'sentence')} heads left: loss ${loss}, ${accuracy} of the answers right.`,
  reached: (heads: number, accuracy: string, ratio: string) =>
    `${inWords(heads, 'sentence')} heads get ${accuracy} of the answers right, in ${ratio} of the time.`,
  exportNames: { importance: 'the importance of heads', curves: 'the pruning curves' },
} as const;
