import { words as mapWords } from '../../attention/words.js';
import { translatable } from '../../format/translation.js';
import type { HeadPattern } from './pass.js';
import type { Cause, Question, Share } from './state.js';

/** What the act says, beside intro.ts. */
export const words = translatable('keys', {
  predict: {
    label: 'Question',
    names: { keys: 'Keys', mask: 'Mask', patterns: 'Patterns' } satisfies Record<Question, string>,
    questions: {
      keys: 'All keys are equal. What will make the heads differ?',
      mask: 'How much weight does the only valid key get?',
      patterns: 'Which head looks three tokens back?',
    } satisfies Record<Question, string>,
    causes: {
      parameters: 'New parameters',
      keys: 'Different keys',
      training: 'Training',
    } satisfies Record<Cause, string>,
    shares: {
      same: 'As much as now',
      heads: 'Different in each head',
      one: '1 in every head',
    } satisfies Record<Share, string>,
    head: (head: number) => `Head ${head} looks three back`,
    open: {
      keys: 'Predict, then test it below: change the seed, the training steps or the input.',
      mask: 'Predict, then move the valid length to 1.',
      patterns: 'Compare the maps, then mark a head.',
    } satisfies Record<Question, string>,
    difference: (value: string) => `differ by ${value}`,
    verdict: (guess: string, isRight: boolean) =>
      `You predicted “${guess}”: ${isRight ? 'right' : 'wrong'}.`,
    reached: {
      keys: 'Equal keys get equal scores, whatever the parameters.',
      mask: 'Softmax of one score is 1. Without a valid key, all weights are 0.',
    },
    /** Mean weights on the key three back: of the marked head, and the largest of the others. */
    found: (onCopy: string, elsewhere: string) =>
      `Right: a mean weight of ${onCopy} on the key three back. Other heads: at most ${elsewhere}.`,
    /** `instead`: the pattern of the head, with its mean weight. */
    missed: (onCopy: string, instead: string) =>
      `No: a mean weight of only ${onCopy} on the key three back. Pattern of this head: ${instead}.`,
  },

  controls: {
    input: 'Input',
    inputs: { ones: 'Ones', random: 'Random', patterns: 'Patterns', own: 'Custom' },
    validLen: 'Valid length',
    causal: 'Causal mask',
    steps: 'Training steps',
    names: 'Show names',
  },

  /** What is drawn, for each input. */
  about: {
    ones: 'All queries, keys and values are 1.',
    random: 'Queries and keys are random, and values are the keys.',
    patterns:
      'A token is its one-hot position and random content. The parameters were chosen so that each head follows a pattern.',
    own: 'Queries, keys and values are your numbers.',
    parameters: (seed: number) => `The parameters are random, from seed ${seed}.`,
    trained: (steps: number, first: string, now: string) =>
      `In ${steps} training steps towards “query 1 outputs the value at key 1, and so on”, the loss fell from ${first} to ${now}.`,
    difference: (value: string) => `The heads differ by up to ${value}.`,
    shapes: (queries: string, keys: string, headSize: number, output: string) =>
      `Queries ${queries}, keys and values ${keys}, ${headSize} hidden units per head, output ${output}.`,
  },

  maps: 'the maps of all heads',
  enlarged: 'the enlarged map',
  enlargedLabel: (head: number) =>
    `Head ${head}, enlarged: weights with the sums of rows and columns`,
  hint: 'Point at a cell, or choose a head.',
  pattern: {
    diagonal: 'itself',
    copy: 'three back',
    even: 'uniform',
    single: 'only one key',
    mixed: 'mixed',
  },
  unnamed: 'pattern: ?',
  noKey: 'no valid key',
  measures: (largest: string, entropy: string) => `max\u00a0${largest}, H\u00a0${entropy}`,
  caption:
    'Rows are queries, columns are keys. Below a head’s name: its pattern, its largest weight, and H, the mean entropy of its rows in nats. A pattern is named if it gets more than half of the weight, and 0.2 more than any other. At the edges of the enlarged map: the sums of rows and columns.',

  own: {
    pasted: 'Numbers, one token per row',
    hint: (length: number) =>
      `CSV, or JSON of shape (tokens, size), or an object with such arrays named queries, keys and values. Up to ${length} tokens.`,
    file: 'Or choose or drop a file',
    fileHint:
      'CSV, JSON, .npy or .safetensors with queries, keys and values. The file stays on your machine.',
    tooLong: (length: number, longest: number) =>
      `Expected at most ${longest} characters; got ${length}. Use a file for more. The maps still show the last numbers.`,
    held: (name: string) => `Showing ${name}.`,
    failed: (name: string, reason: string) => `${name} was not loaded. ${reason}`,
  },

  arithmetic: {
    title: 'How this weight is computed',
    caption: (head: number, query: string, key: string) =>
      `Head ${head}: query ${query}, key ${key}`,
    columns: ['Step', 'Numbers', 'Result'],
    mask: 'Mask',
    sum: '÷ sum',
    more: (count: number) => `… ${count} more`,
    seen: 'visible: the score is kept',
    hidden: 'masked: the score becomes −∞',
    fromLargest: (score: string, largest: string) =>
      `e to the power of ${score} − ${largest}, the row’s largest`,
    nothing: 'no key of the row is visible',
    weighed: 'added to the head’s output',
    sums: (row: string, column: string) => `The row sums to ${row}, the column to ${column}.`,
  },
});

export function nameOfPattern(pattern: HeadPattern): string {
  const names = { ...mapWords.patterns, ...words.pattern };
  return names[pattern];
}
