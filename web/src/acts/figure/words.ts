import type { MaskName } from './state.js';
import type { Part, StepNumber } from './steps.js';
import { translatable } from '../../format/translation.js';

interface Sizes {
  readonly heads: number;
  readonly headSize: number;
  readonly hiddens: number;
  readonly head: number;
  readonly validLen: number;
  readonly mask: MaskName;
}

const masks: Readonly<Record<MaskName, (sizes: Sizes) => string>> = {
  length: ({ validLen }) =>
    `The [valid length] is ${validLen}: only the first ${validLen} keys may be attended to. The scores of the others are replaced, in d2l by −10⁶, in headwise by −∞.`,
  causal: () =>
    'A [causal mask]: query i may attend to keys 1 to i. The scores of later keys are replaced, in d2l by −10⁶, in headwise by −∞. The valid length of query i is then i.',
  none: () => 'There is no [mask]: valid_lens is None, and the scores stay as they are.',
};

const names = {
  X: 'X',
  W_q: 'W_q',
  W_k: 'W_k',
  W_v: 'W_v',
  queries: 'queries',
  keys: 'keys',
  values: 'values',
  q: 'q',
  k: 'k',
  v: 'v',
  scores: 'q kᵀ',
  scaled: 'q kᵀ / √d',
  masked: 'masked',
  weights: 'weights',
  pooled: 'weights · v',
  concat: 'concat',
  W_o: 'W_o',
  output: 'output',
} satisfies Record<Part, string>;

/** What the act says, beside intro.ts. */
export const words = translatable('figure', {
  rail: 'Steps of multi-head attention',
  numbersRail: 'Step and head of the numbers',
  more: 'Heads and seed',
  goal: {
    task: 'After the split, which is the first step that combines numbers of different heads?',
    reached: (heads: number) =>
      `The last one, W_o: each number of the output is a sum over all ${heads} heads. Before it, no number of a head depends on another head.`,
  },
  buttons: 'One step back or on',
  previous: 'Previous',
  next: 'Next',
  step: 'Step',
  steps: {
    1: 'Project',
    2: 'Split',
    3: 'Score',
    4: 'Scale',
    5: 'Mask',
    6: 'Softmax',
    7: 'Pool',
    8: 'Concatenate',
    9: 'W_o',
  } satisfies Record<StepNumber, string>,
  stepName: (step: StepNumber) => `${step} ${words.steps[step]}`,
  stepOf: (step: StepNumber) => `Step ${step} of 9: ${words.steps[step]}`,
  head: 'Head in front',
  heads: 'Heads',
  mask: 'Mask',
  masks: { length: 'Valid length 3', causal: 'Causal', none: 'None' } satisfies Record<
    MaskName,
    string
  >,

  sentences: {
    1: () =>
      'Linear layers project each row of X, a token, to a *query* (what the token looks for), a *key* (what queries are compared with) and a *value* (what is averaged). Such a linear layer is called a [projection].',
    2: ({ heads, headSize, hiddens }) =>
      `The ${hiddens} columns of queries, keys and values are split into ${heads} groups of ${headSize}. Each group is a [head]: from here on it attends with its own queries, keys and values, independently of the others.`,
    3: ({ head }) =>
      `The [score] of query i for key j is their dot product, in row i and column j. These are the scores of head ${head}.`,
    4: ({ headSize }) =>
      `Each score is divided by √d, where d = ${headSize} is the number of columns of a head, so that the variance of the scores does not grow with d.`,
    5: (sizes) => masks[sizes.mask](sizes),
    6: ({ mask }) =>
      `[Softmax] turns each row of scores into the [attention weights|attention weight] of a query, which sum to 1${mask === 'none' ? '' : '; masked keys get weight 0'}.`,
    7: ({ head }) =>
      `Attention [pooling]: the output of head ${head} for a query is the average of the values, weighted by the attention weights of the query.`,
    8: ({ heads, headSize, hiddens }) =>
      `The outputs of all heads are concatenated: ${heads} × ${headSize} = ${hiddens} columns. No number changes.`,
    9: ({ heads }) =>
      `A last linear layer combines the ${heads} heads: its columns are grouped by head, and each number of the output is a sum over all of them.`,
  } satisfies Record<StepNumber, (sizes: Sizes) => string>,

  code: 'Code of the chapter',
  shapes: 'Shapes',
  enlarged: (head: number) => `Numbers of this step, head ${head}`,

  figure: 'Multi-head attention, from the input X to the output',
  exportName: 'the figure of the steps',
  headTab: (head: number) => `Head ${head}`,
  headFront: (head: number) => `Head ${head}: bring to the front`,
  names,
  /** As screen readers tell them. */
  /** Between a matrix and another one whose rows are its columns. */
  timesTransposed: '× transposed',
  spoken: (part: Part, head: number) => {
    const name = {
      scores: 'scores q kᵀ',
      scaled: 'scaled scores q kᵀ / √d',
      masked: 'masked scores',
      weights: 'attention weights',
    };
    const plain = (name as Partial<Record<Part, string>>)[part] ?? names[part].replace('_', '');
    return isOfHead(part) ? `${plain} of head ${head}` : plain;
  },
  box: (name: string, shape: string, step: StepNumber) => `${name}, ${shape}: go to step ${step}`,
  empty: (name: string, step: StepNumber) => `${name}, computed in step ${step}: go there`,
  cell: (name: string, row: string, column: string, value: string) =>
    `${name}, ${row}, ${column}: ${value}`,
  row: (number: number) => `row ${number}`,
  column: (number: number) => `column ${number}`,
  query: (number: number) => `query ${number}`,
  key: (number: number) => `key ${number}`,
  maskedValue: 'masked',
  rowsCaption: (name: string, head: number) => `${name}, rows of head ${head}`,
  mapCaption: (name: string) => `${name}: queries down, keys across`,
  hint: 'Point at a number, or go to a box with Tab and through it with the arrow keys; press a box to go to its step.',
  legend: ['−max', '0', '+max'],
  legendLabel:
    'Colours of signed numbers from violet, negative, through pale, 0, to green, positive',
  note: 'Input: five tokens, random, with standard deviation 2; the parameters are untrained. Coloured bars mark the rows or columns of each head. Colours of X, of the parameters, of all projections, of the scores and of the output each have a scale of their own, which ends at the largest magnitude, max.',
});

/** What each head has a copy of. */
export function isOfHead(part: Part): boolean {
  return ['q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'pooled'].includes(part);
}
