import type { AttentionHeadsWords } from 'headwise/view';

import { translatable } from '../format/translation.js';

interface CellWords {
  readonly head: number;
  readonly query: number;
  readonly key: number;
  readonly weight: string;
  readonly masked: boolean;
}

/** The maps of weights, in whatever act they stand. */
export const words = translatable('attention', {
  map: {
    heads: 'Weights of every head',
    title: (head: number) => `Head ${head}`,
    row: (query: number) => `Query ${query}`,
    layer: (layer: number) => `Layer ${layer}`,
  },

  cell: ({ head, query, key, weight, masked }: CellWords) =>
    `Head ${head}, query ${query}, key ${key}: weight ${weight}${masked ? ', masked' : ''}`,

  /** What heads attend to, in short. */
  patterns: {
    previousToken: 'previous token',
    induction: 'induction',
    firstToken: 'first token',
  },

  hint: 'Point at a cell, tap it, or move through the maps with Tab and the arrow keys.',

  legend: {
    name: 'Weight',
    label: 'Colours of the weights, from 0 (background) to 1 (the full colour of the head)',
    masked: 'masked',
  },
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
