import type { AttentionHeadsWords } from 'headwise/view';

import { count } from '../format/sentences.js';
import { translatable } from '../format/translation.js';

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
export const words = translatable('attention', {
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
    hint: 'Point at a cell, tap it, or move through the maps with Tab and the arrow keys.',
    cell: (sample: number, words: CellWords) => `Sample ${sample}. ${cell(words)}`,
  },

  legend: {
    name: 'Weight',
    label: 'Colours of the weights, from 0 (background) to 1 (the full colour of the head)',
    contrastName: 'Share of the head’s largest weight',
    contrastLabel:
      'Colours of the weights, from 0 (background) to the largest weight of each head (its full colour)',
    masked: 'masked',
  },

  figureCaption:
    'Rows are queries (q), columns are keys (k). Each row sums to 1 unless all its keys are masked. The stronger the head’s colour, the larger the weight. All heads share one scale unless noted otherwise.',
});

/** What `<attention-heads>` says; the names of heads come from whoever shows it. */
export const elementWords: Partial<AttentionHeadsWords> = translatable('attentionElement', {
  heads: 'Heads',
  queries: 'Words: each attends as a query',
  keys: 'Keys',
  layers: 'Layer',
  previousLayer: 'Previous layer',
  nextLayer: 'Next layer',
  allLayers: 'All layers',
  layer: (layer: number, layers: number) => `Layer ${layer} of ${layers}`,
  map: (layer: number, head: number) =>
    `Attention weights of layer ${layer}, head ${head}: queries down, keys across`,
  model: (layers: number) => `Attention weights of every head in ${layers} layers`,
});
