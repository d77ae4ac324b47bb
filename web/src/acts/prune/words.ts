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

const measures: Readonly<Record<HeadMeasure, string>> = {
  ablation: 'Ablation',
  gradient: 'Gradient',
  confidence: 'Confidence',
  entropy: 'Entropy',
};

/** What the act says, beside intro.ts. */
export const words = translatable('prune', {
  goalTask: 'Prune until four heads are left and accuracy is still at least 95\u00a0%.',
  panel: 'Planted model',
  plant: 'Plant and train',
  stop: 'Stop',
  progress: (seed: number, number: number, total: number) =>
    `Seed ${seed}, ${number} of ${total}: training, measuring, pruning.`,
  notYet: 'No model has been trained yet. It takes a few seconds.',
  preview:
    'Once a model is trained, this place shows the importance of each head by four measures, and how the model does as heads are pruned. Then you can prune it yourself.',
  stopped: (seeds: number) => `Stopped. Results are from ${count(seeds, 'seed', 'seeds')}.`,
  done: (seeds: number) => `Done. Results are from ${count(seeds, 'seed', 'seeds')}.`,

  importance: 'Importance by four measures',
  measures,
  measureNotes: {
    ablation: 'increase of the loss without the head',
    gradient: 'slope of the loss at the head’s gate',
    confidence: 'mean over queries of the largest weight',
    entropy: 'mean entropy of the weights: low if they are concentrated',
  } satisfies Readonly<Record<HeadMeasure, string>>,
  verdict: (found: number, planted: number, seed: number) =>
    found === planted
      ? `The ${inWords(planted)} heads it ranks highest are the ${inWords(planted)} planted ones (seed ${seed}).`
      : `${found === 0 ? 'None' : inWords(found, 'sentence')} of the ${inWords(planted)} heads it ranks highest ${found < 2 ? 'was' : 'were'} planted (seed ${seed}).`,
  chart: (measure: HeadMeasure, verdict: string) => `${measures[measure]} of each head. ${verdict}`,
  truth: 'Planted as',
  truths: { planted: 'planted role', sharp: 'sharp', quiet: 'quiet' },
  bars: 'Bars are means over seeds; thin lines show the range. Heads are numbered by layer and head.',
  place: ({ layer, head }: Place) => `${layer}.${head}`,

  curves: 'Pruning curves, least important heads first',
  metric: 'Show',
  metrics: { accuracy: 'Accuracy', loss: 'Loss' },
  orders: { ...measures, random: 'random order' },
  heads: 'heads left',
  band: 'Lines are means over seeds; the grey area is the range of all random orders. A layer keeps its last head.',

  session: 'Prune it yourself',
  sessionHints: [
    'Prune a head, or drag its gate: released at 0, the head is pruned. Everything can be undone.',
    'The tokens are the test sequence that the full model predicts best. Below each token is the predicted next token with its probability; a wrong prediction is marked with a cross.',
  ],
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
  columns: ['Model', 'Heads', 'Loss', 'Accuracy', 'Forward pass'],
  whole: 'Full',
  left: 'Pruned',
  milliseconds: (time: string) => `${time} ms`,
  tried: (loss: string, accuracy: string) =>
    `With these gates: loss ${loss}, accuracy ${accuracy}.`,
  status: (heads: number, loss: string, accuracy: string) =>
    `${inWords(heads, 'sentence')} heads left: loss ${loss}, accuracy ${accuracy}.`,
  reached: (heads: number, accuracy: string, ratio: string) =>
    `${inWords(heads, 'sentence')} heads reach ${accuracy} accuracy in ${ratio} of the time.`,
  exportNames: { importance: 'the importance of heads', curves: 'the pruning curves' },
});
