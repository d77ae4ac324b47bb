import { translatable } from '../../format/translation.js';
import { count } from '../../format/sentences.js';
import type { Pass } from './pass.js';
import type { InsideState } from './state.js';
import type { Guess, Part, StepNumber } from './steps.js';

/** What the act says, beside intro.ts. */
export const words = translatable('inside', {
  goal: {
    task: 'From step 2 on, each head works by itself. Predict: which step is the first to add numbers of different heads?',
    answer: 'Your prediction',
    answers: {
      6: () => 'Not yet: softmax works on the scores of one head. Look at a later step.',
      7: () => 'Not yet: pooling averages the values of one head. Look at a later step.',
      8: () => 'Not yet: concatenation puts the heads side by side. It changes no number.',
      9: (heads: number) =>
        `Each number of the output is a sum over all ${heads} heads. Before W_o, no head depends on another.`,
    } satisfies Record<Guess, (heads: number) => string>,
  },
  previous: 'Previous',
  next: 'Next',
  step: 'Step',
  steps: {
    1: 'Project',
    2: 'Split',
    3: 'Dot product',
    4: 'Scale',
    5: 'Mask',
    6: 'Softmax',
    7: 'Pool',
    8: 'Concatenate',
    9: 'W_o',
  } satisfies Record<StepNumber, string>,
  stepOf: (step: number, name: string) => `Step ${step} of 9: ${name}`,
  layer: 'Layer',
  head: 'Head',
  headOf: (head: number, heads: number) => `Head ${head} of ${heads}`,

  input: 'Numbers of',
  inputs: { small: 'A small layer', sentence: 'Your sentence' },
  small: (size: string) =>
    `An untrained layer with random numbers, few enough to read. “Your sentence” loads a trained model (${size}).`,
  reads: (tokens: number, width: number) =>
    `The model’s own numbers for your sentence: ${count(tokens, 'token', 'tokens')}, each a vector of ${width} numbers.`,
  empty: 'There is no sentence yet. Write one at the top of the page.',
  unknown: 'The page cannot compute the input of this model’s layers.',

  sentences: {
    1: ({ isModel, biases }: Pass) =>
      `${isModel ? 'The rows of X are the normalized token vectors that this layer receives. ' : ''}Three linear layers, the [projections|projection], turn each row of X into a *query* (what the token looks for), a *key* (what queries are compared with) and a *value* (what is averaged)${biases.qkv ? '. Each adds a bias' : ''}.`,
    2: ({ numHeads, numKvHeads, headSize, isRotated }: Pass) =>
      `The columns of the queries are split into ${numHeads} groups of d = ${headSize}. Each group is a [head], which attends independently of the others.${numKvHeads < numHeads ? ` This model has ${count(numKvHeads, 'group', 'groups')} of keys and values, which its heads share.` : ''}${isRotated ? ' This model then rotates q and k by the position of their token (rotary positions). The numbers here are the rotated ones.' : ''}`,
    3: ({ headSize }: Pass) =>
      `The [dot product] of a query and a key multiplies them column by column and adds up the ${headSize} products. Choose a key to see which products raise its dot product and which lower it.`,
    4: ({ headSize }: Pass) =>
      `The [score] is the dot product divided by √d. Without the division, sums of many products (here d = ${headSize}) are large, and softmax gives one key almost all the weight. Try other divisors.`,
    5: ({ hasMask }: Pass) =>
      hasMask
        ? 'A [causal mask]: a token may attend to itself and to earlier tokens. The scores of later keys are replaced by −10⁶ in d2l and by −∞ in headwise.'
        : 'This model has no [mask]: each token may attend to all others, so the scores stay as they are.',
    6: ({ hasMask }: Pass) =>
      `[Softmax] turns each row of scores into [attention weights|attention weight], which sum to 1.${hasMask ? ' Masked keys get weight 0.' : ''}`,
    7: (_pass: Pass, head: number) =>
      `Attention [pooling]: for each query, head ${head} averages the values. The attention weights say how much each value counts.`,
    8: ({ numHeads, headSize }: Pass) =>
      `The outputs of all heads are put side by side: ${numHeads} × ${headSize} = ${numHeads * headSize} columns. No number changes.`,
    9: ({ numHeads, biases }: Pass) =>
      `A last linear layer, W_o, combines the ${numHeads} heads: each number of the output is a sum over the columns of all of them${biases.output ? ', plus a bias' : ''}.`,
  } satisfies Record<StepNumber, (pass: Pass, head: number) => string>,
  code: 'The chapter’s code',
  shapes: 'Shapes',

  figure: (step: string, heads: number) =>
    `Multi-head attention with ${heads} heads, from the input X to the output. ${step}`,
  names: {
    ...{ X: 'X', W_q: 'W_q', W_k: 'W_k', W_v: 'W_v' },
    ...{ queries: 'queries', keys: 'keys', values: 'values', q: 'q', k: 'k', v: 'v' },
    ...{ dots: 'q kᵀ', scores: 'q kᵀ / √d', masked: 'masked', weights: 'weights' },
    ...{ pooled: 'weights · v', concat: 'concat', W_o: 'W_o', output: 'output' },
  } satisfies Record<Part, string>,
  timesTransposed: '× transposed',
  /** Parts that have a longer name when it is read out. */
  spoken: {
    dots: 'dot products q kᵀ',
    scores: 'scores q kᵀ / √d',
    masked: 'masked scores',
    weights: 'attention weights',
    pooled: 'output of the head',
  },
  rowsOfHead: (name: string, head: number) => `${name}, rows of head ${head}`,
  matrix: (name: string, shape: string) => `${name} ${shape}. Arrow keys read its numbers.`,
  hint: 'Point at a number, or press Tab and then the arrow keys.',
  tokenCell: (name: string, token: string, column: number, value: string) =>
    `${name}, “${token}”, column ${column}: ${value}`,
  parameterCell: (name: string, row: number, column: number, value: string) =>
    `${name}, row ${row}, column ${column}: ${value}`,
  pairCell: (name: string, query: string, key: string, value: string, isMasked: boolean) =>
    `${name}, query “${query}”, key “${key}”: ${value}${isMasked ? ', masked' : ''}`,
  legend: ['−max', '0', '+max'],
  legendLabel: 'Colours of signed numbers: violet is negative, green is positive',

  query: 'Query of',
  keys: 'Keys that the query may attend to',
  columns: ['score', 'weight'],
  productsTitle: (query: string, key: string) => `Query “${query}” · key “${key}”`,
  strips: { q: 'q', k: 'k', product: 'q × k', sum: 'sum' },
  order: 'Order of the products',
  orders: { column: 'By column', product: 'Largest first' } satisfies Record<
    InsideState['order'],
    string
  >,
  productOf: (column: number, q: string, k: string, product: string, isNegative: boolean) =>
    `Column ${column}: q ${q} × k ${k} = ${product} ${isNegative ? 'lowers' : 'raises'} the dot product.`,
  summary: (
    query: string,
    key: string,
    raising: number,
    raised: string,
    lowering: number,
    lowered: string,
    dot: string,
  ) =>
    `“${query}” · “${key}”: ${count(raising, 'product raises', 'products raise')} the sum by ${raised}, ${count(lowering, 'lowers', 'lower')} it by ${lowered}. The dot product is ${dot}.`,

  divisor: 'Divide q · k by',
  divisorValue: (divisor: string, weight: string, entropy: string) =>
    `${divisor}: largest weight ${weight}, entropy ${entropy}`,
  largest: 'Largest weight',
  entropy: 'Entropy of the weights',
  ofAtMost: (entropy: string, most: string) => `${entropy} of ${most}`,
  deviation: 'Std. deviation of the scores',
  chartTitle: 'Why √d: random queries and keys',
  chart: 'Entropy of the weights against d, with and without division by √d',
  equalWeights: 'equal weights: ln 8',
  measuring: 'Measuring.',
  seen: (d: number, entropy: string, divided: string, gradient: string, dividedGradient: string) =>
    `At d = ${d} the mean entropy is ${entropy} without the division and ${divided} with it; the mean gradient p(1 − p) of a weight p is ${gradient} and ${dividedGradient}. Without the division, one of the 8 keys takes all the weight as d grows.`,

  exports: { products: 'the products of query and key', chart: 'entropy against d' },
});

/** The name of a part for those who hear it. */
export function spokenOf(part: Part): string {
  const spoken: Partial<Record<Part, string>> = words.spoken;
  return spoken[part] ?? words.names[part];
}

export const sayStep = (step: StepNumber): string => words.stepOf(step, words.steps[step]);
