import type { ActLink } from '../../address/history.js';
import type { QuestionName } from './state.js';

/** An encoder's output that is wider than the decoder's queries, as pasted numbers. */
const twoSizes = JSON.stringify({
  queries: [
    [1, 0],
    [0, 1],
  ],
  keys: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
});

/** Views that answers name: an act, and its parameters that are not at their defaults. */
const views = {
  project: { act: 'figure', query: '' },
  split: { act: 'figure', query: 'figure-step=2' },
  scale: { act: 'figure', query: 'figure-step=4' },
  concatenate: { act: 'figure', query: 'figure-step=8' },
  combine: { act: 'figure', query: 'figure-step=9' },
  pool: { act: 'figure', query: 'figure-step=7&figure-head=2&figure-mask=none' },
  rowsOfHead: { act: 'heads', query: 'part=W_q' },
  fiveHeads: { act: 'heads', query: 'input=patterns' },
  oneHead: { act: 'heads', query: 'input=patterns&heads=1' },
  manyHeads: { act: 'heads', query: 'heads=20' },
  sizes: {
    act: 'heads',
    query: new URLSearchParams({ input: 'own', part: 'W_k', numbers: twoSizes }).toString(),
  },
  undivided: { act: 'why', query: '' },
  divided: { act: 'why', query: 'why-divisor=8' },
  padding: { act: 'heads', query: 'input=text&sample=2' },
  ones: { act: 'heads', query: 'input=ones' },
  random: { act: 'heads', query: '' },
  untrained: { act: 'heads', query: 'gates=0,1,1,1,1' },
  halfOpen: { act: 'heads', query: 'input=patterns&gates=1,1,0.5,1,1' },
  induction: { act: 'train', query: '' },
  measures: { act: 'prune', query: '' },
  shut: { act: 'words', query: 'words-shut=2.2' },
  cross: { act: 'align', query: '' },
} as const satisfies Readonly<Record<string, ActLink>>;

export type ViewName = keyof typeof views;

export const viewOf = (name: ViewName): ActLink => views[name];

/** Where each answer is to be seen. */
export const viewsOf: Readonly<Record<QuestionName, readonly ViewName[]>> = {
  'h-projections': ['split'],
  'input-slice': ['rowsOfHead'],
  'giant-head': ['oneHead', 'fiveHeads'],
  'two-transposes': ['split', 'concatenate'],
  'output-projection': ['combine'],
  'query-size': ['sizes'],
  'same-input': ['project', 'cross'],
  'why-sqrt-d': ['scale', 'undivided', 'divided'],
  'masked-queries': ['padding'],
  'why-heads-differ': ['random', 'ones'],
  ensemble: ['induction'],
  'weight-importance': ['pool'],
  'untrained-gate': ['untrained', 'shut'],
  'softmax-over-outputs': ['halfOpen'],
  'more-heads': ['manyHeads', 'measures'],
};
