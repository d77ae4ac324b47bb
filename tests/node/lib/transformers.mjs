// A model that several tests use, and what it is asked.

export const options = {
  ...{ vocabularySize: 5, maxLength: 7, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ positions: 'learned', causal: false, layerNorm: true, bias: true, seed: 1 },
};
export const tokens = [
  [0, 2, 4, 1, 3],
  [3, 3, 0, 4, 2],
];
/** −1 asks nothing. */
export const targets = [
  [0, -1, 3, 2, 4],
  [-1, 1, 2, -1, 0],
];
