import { translatable } from '../../format/translation.js';
import type { MeasureName, WhyState } from './state.js';

/** What the act says, beside intro.ts. */
export const words = translatable('why', {
  rail: 'Divisor of the scores, and which query is shown',
  more: 'Seed',
  goal: {
    task: 'Find the divisor by which scores have a standard deviation of 1 (±0.1), for two values of d.',
    first: (d: number, divisor: string) => `d = ${d}: ${divisor}. Now choose another d.`,
    reached: (d: number, divisor: string, otherD: number, other: string) =>
      `${divisor} for d = ${d}, ${other} for d = ${otherD}. The standard deviation of q · k grows as √d: divided by √d, it is 1 for every d.`,
  },

  divisor: 'Divide the scores by',
  divisorValue: (divisor: string, weight: string, entropy: string) =>
    `${divisor}: largest weight ${weight}, entropy ${entropy}`,
  marks: 'Divisors to compare',
  mark: {
    none: (value: string) => value,
    root: (value: string) => `√d = ${value}`,
    size: (value: string) => `d = ${value}`,
  },
  largest: 'Largest weight',
  entropy: 'Entropy',
  ofAtMost: (most: string) => `of ${most}`,
  deviation: 'Std. deviation',

  d: 'd, columns of a head',
  head: 'Head',
  query: 'Query',
  queryName: (number: number, token: string) => `${number} ${token}`,
  tokens: ['a', 'small', 'cat', 'sleeps', 'on', 'my', 'warm', 'bed'],

  keysTitle: (query: string) => `How the query “${query}” weighs its keys`,
  keys: 'Scores and weights of the keys: choose a key',
  keyColumn: 'key',
  scoreColumn: (divisor: string) => `q · k / ${divisor}`,
  weightColumn: 'weight (softmax)',
  key: (number: number, token: string, score: string, weight: string) =>
    `Key ${number}, ${token}: score ${score}, weight ${weight}`,
  keysNote: 'Outlined: before the division. Dotted line: 1/8, equal weights.',

  productsTitle: (query: string, key: string) =>
    `Why “${key}”: its score for the query “${query}”, product by product`,
  products: 'Components of the query and of the key, their products, and the sum of the products',
  unit: 'Product',
  strips: { q: 'q', k: 'k', product: 'q × k', sum: 'sum' },
  order: 'Order of the products',
  orders: { unit: 'By column', product: 'Largest first' } satisfies Record<
    WhyState['order'],
    string
  >,
  raises: (column: number, q: string, k: string, product: string) =>
    `Column ${column}: q ${q} × k ${k} = ${product} raises the score.`,
  lowers: (column: number, q: string, k: string, product: string) =>
    `Column ${column}: q ${q} × k ${k} = ${product} lowers the score.`,
  summary: (
    query: string,
    key: string,
    raising: number,
    raised: string,
    lowering: number,
    lowered: string,
    score: string,
  ) =>
    `${query} · ${key}: ${raising} products raise the score by ${raised}, ${lowering} lower it by ${lowered}. Their sum is the score, q · k = ${score}.`,
  legend: ['−max', '0', '+max'],
  legendLabel:
    'Colours of signed numbers from violet, negative, through pale, 0, to green, positive',
  note: 'An untrained head: embeddings and parameters are random, with variances by which each component of q and k has variance 1. Components share a scale of colours, products have their own; each ends at its largest magnitude, max. The standard deviation is that of all scores: of 8 queries and 8 keys, in 4 heads. The curves: 512 random queries of 8 keys each, for each d.',

  chartTitle: 'Random queries and keys, by d',
  chart:
    'Entropy of the weights, or gradient of softmax, against d, with and without division by √d',
  measure: 'What is measured',
  measures: { entropy: 'Entropy', gradient: 'Gradient p(1 − p)' } satisfies Record<
    MeasureName,
    string
  >,
  dimension: 'd',
  here: (d: number) => `d = ${d}`,
  variants: { undivided: 'scores not divided', divided: 'scores divided by √d' },
  uniform: {
    entropy: 'uniform weights: ln 8',
    gradient: 'uniform weights: 7/64',
  } satisfies Record<MeasureName, string>,
  measuring: 'Measuring.',
  seen: {
    entropy: (d: number, undivided: string, divided: string, most: string) =>
      `At d = ${d}, mean entropy is ${undivided} without the division, ${divided} with it, and at most ${most}. Without it, entropy falls towards 0 as d grows: one key takes all the weight.`,
    gradient: (d: number, undivided: string, divided: string) =>
      `At d = ${d}, the mean of p(1 − p), the derivative of a weight p by its score, is ${undivided} without the division and ${divided} with it. Without it, the gradient vanishes as d grows.`,
  } satisfies Record<
    MeasureName,
    (d: number, undivided: string, divided: string, most: string) => string
  >,
  reason:
    'If the components of q and k are independent with mean 0 and variance 1, each product has variance 1, and q · k, the sum of d products, has variance *d*. Divided by *√d*, a score has variance 1 for every d.',

  exports: {
    keys: 'the weights of the keys',
    products: 'the products of a score',
    chart: 'entropy against d',
  },
});
