// A model that several tests use, and what it is asked.

/** Numbers that mean nothing, from `first` to below `end`, nested (batch, length). */
function anyTokens(batch, length, first, end, seed) {
  let number = seed;
  const next = () => {
    number = (number * 31 + 17) % 1009;
    return first + (number % (end - first));
  };
  return Array.from({ length: batch }, () => Array.from({ length }, next));
}

export const options = {
  ...{ vocabularySize: 5, maxLength: 7, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ positions: 'learned', causal: false, layerNorm: true, bias: true, seed: 1 },
};
export const tokens = anyTokens(2, 5, 0, options.vocabularySize, 3);
/** Some of which ask nothing. */
export const targets = anyTokens(2, 5, -1, options.vocabularySize, 5);
targets[0][0] = 0;
