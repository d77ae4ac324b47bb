/** The element's texts. Heads and layers are numbered from 0, as in the properties. */
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
