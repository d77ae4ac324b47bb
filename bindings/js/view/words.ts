/** The texts of `<attention-heads>`. Heads and layers are numbered from 0, as in the properties. */
export interface AttentionHeadsWords {
  /** Labels of the chips, the words and the keys, for screen readers. */
  readonly heads: string;
  readonly queries: string;
  readonly keys: string;
  readonly layers: string;
  readonly previousLayer: string;
  readonly nextLayer: string;
  /** The button from one head back to the model view. */
  readonly allLayers: string;
  readonly head: (head: number) => string;
  readonly mean: (heads: number) => string;
  readonly layer: (layer: number, layers: number) => string;
  readonly map: (layer: number, head: number) => string;
  readonly model: (layers: number) => string;
}

export const english: AttentionHeadsWords = {
  heads: 'Heads',
  queries: 'Words: each attends as a query',
  keys: 'Keys',
  layers: 'Layer',
  previousLayer: 'Previous layer',
  nextLayer: 'Next layer',
  allLayers: 'All layers',
  head: (head) => `Head ${head}`,
  mean: (heads) => `Mean of ${heads} heads`,
  layer: (layer, layers) => `Layer ${layer} (of ${layers})`,
  map: (layer, head) =>
    `Attention weights of layer ${layer}, head ${head}: queries down, keys across`,
  model: (layers) => `Attention weights of every head in ${layers} layers`,
};

/** The texts of `<head-scores>`. */
export interface HeadScoresWords {
  /** The titles of the axes. */
  readonly layer: string;
  readonly head: string;
  /** What a cell without a head says in place of its score. */
  readonly none: string;
  /** The map's name, for screen readers. */
  readonly map: (layers: number, heads: number) => string;
}

export const englishScores: HeadScoresWords = {
  layer: 'Layer',
  head: 'Head',
  none: 'no such head',
  map: (layers, heads) => `Scores of the heads: ${layers} layers down, ${heads} heads across`,
};

/** The texts of `<logit-lens>`. */
export interface LogitLensWords {
  /** The title of the rows. */
  readonly layer: string;
  /** The label of the last row, after all layers, and what its cells say. */
  readonly out: string;
  readonly output: string;
  readonly before: (layer: number) => string;
  /** The table's name, for screen readers. */
  readonly table: (layers: number, positions: number) => string;
}

export const englishLens: LogitLensWords = {
  layer: 'Layer',
  out: 'out',
  output: 'Output',
  before: (layer) => `Before layer ${layer}`,
  table: (layers, positions) =>
    `Tokens that each of ${layers} layers would predict: layers down, ${positions} positions across`,
};
