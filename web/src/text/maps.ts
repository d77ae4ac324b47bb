import { count } from './words.js';

interface CellWords {
  readonly head: number;
  readonly query: number;
  readonly key: number;
  readonly weight: string;
  readonly masked: boolean;
  readonly dropped?: boolean;
}

const cell = ({ head, query, key, weight, masked, dropped = false }: CellWords): string =>
  `Head ${head}, query ${query}, key ${key}: weight ${weight}${masked ? ', masked' : ''}${dropped ? ', dropped' : ''}`;

/** The maps of weights, in whatever act they stand. */
export const maps = {
  sample: {
    name: (sample: number) => `Sample ${sample}`,
    validLen: (length: number, keys: number) => `${length} of ${keys} keys valid`,
  },

  map: {
    title: (head: number) => `Head ${head}`,
    label: (head: number, sample: number, queries: number, keys: number) =>
      `Head ${head}, sample ${sample}: weights of ${count(queries, 'query', 'queries')} (rows) for ${count(keys, 'key', 'keys')} (columns)`,
    titleIn: (head: number, sample: number) => `Head ${head}, sample ${sample}`,
    row: (query: number) => `Query ${query}`,
    query: (query: number) => `q${query}`,
    key: (key: number) => `k${key}`,
  },

  cell,

  readOut: {
    hint: 'Point at a cell, tap it, or walk the maps with Tab and the arrow keys.',
    cell: (sample: number, words: CellWords) => `Sample ${sample}. ${cell(words)}`,
  },

  legend: {
    name: 'Weight',
    label: 'Colours of the weights from 0 (dark violet) to 1 (yellow)',
    contrastName: 'Share of the head’s largest weight',
    contrastLabel: 'Colours from 0 (dark violet) to the largest weight of each head (yellow)',
    masked: 'masked',
  },

  figureCaption:
    'Rows are queries (q), columns are keys (k); each row sums to 1 unless all its keys are masked. The scale is the same in every map, unless a map says otherwise.',

  /** The one map that is enlarged. */
  closeUp: {
    title: 'Close up',
    name: 'the enlarged map',
    label: (head: number, sample: number) =>
      `Head ${head}, sample ${sample}, enlarged: weights with the sums of rows and columns`,
    sums: 'At the right edge the sum of each row, at the bottom how much weight each key gets in all.',
  },

  arithmetic: {
    title: 'How this weight comes about',
    hint: 'Choose a cell of any map, and its arithmetic stands here. For example:',
    caption: (head: number, sample: number, query: string, key: string) =>
      `Head ${head}, sample ${sample}: query ${query}, key ${key}`,
    columns: ['Step', 'Numbers', 'Result'],
    dot: 'q · k',
    scale: (size: number, factor: string) =>
      factor === '1' ? `÷ √${size}` : `÷ √${size} × ${factor}`,
    mask: 'Mask',
    exp: 'exp',
    sum: '÷ sum',
    dropout: 'Dropout',
    value: '× v',
    more: (count: number) => `… ${count} more`,
    seen: 'the key may be seen, the score stays',
    hidden: 'the key is masked, whatever its score',
    fromLargest: (score: string, largest: string) =>
      `e to the power of ${score} − ${largest.startsWith('−') ? `(${largest})` : largest}, the largest score of the row`,
    nothing: 'no key of the row may be seen',
    kept: (rate: string) => `kept, ÷ (1 − ${rate})`,
    dropped: 'dropped in this draw',
    weighed: 'the value’s part in what the head pools',
    sums: (row: string, column: string) => `The row sums to ${row}, the column to ${column}.`,
  },

  compare: {
    title: 'Compare two heads',
    control: 'Head to compare with',
    none: 'none',
    head: (head: number) => `Head ${head}`,
    name: 'the difference of two heads',
    label: (head: number, other: number, sample: number) =>
      `Weights of head ${head} less those of head ${other}, sample ${sample}`,
    legend: (head: number, other: number) =>
      `orange: head ${head} weighs more; violet: head ${other} does`,
    ends: (largest: string) => [`−${largest}`, '0', `+${largest}`],
    legendLabel: (largest: string) =>
      `Colours of differences from −${largest} (violet) by 0 (pale) to ${largest} (orange)`,
    same: 'Both heads weigh every key alike.',
    largest: (value: string) => `The largest difference is ${value}.`,
    cell: (words: {
      readonly query: number;
      readonly key: number;
      readonly value: string;
      readonly masked: boolean;
    }) =>
      `Query ${words.query}, key ${words.key}: difference ${words.value}${words.masked ? ', masked' : ''}`,
  },
} as const;
