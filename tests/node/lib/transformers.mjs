// Models that several tests use, and what they are asked.

/** Numbers that mean nothing, from `first` to below `end`, nested (batch, length). */
export function anyTokens(batch, length, first, end, seed = 3) {
  let number = seed;
  const next = () => {
    number = (number * 31 + 17) % 1009;
    return first + (number % (end - first));
  };
  return Array.from({ length: batch }, () => Array.from({ length }, next));
}

const plain = {
  ...{ vocabularySize: 5, maxLength: 7, numHiddens: 6, numHeads: 3, numLayers: 2 },
  seed: 1,
};

const ones = { vocabularySize: 1, maxLength: 1, numHiddens: 1, numHeads: 1, seed: 2 };

/** Every option at least once, and sizes of 1. A gate of undefined is none. */
const problems = [
  { name: 'plain', options: plain, batch: 2, length: 7 },
  { name: 'one token', options: plain, batch: 1, length: 1 },
  { name: 'norms', options: { ...plain, layerNorm: true }, batch: 3, length: 4 },
  { name: 'all of size 1', options: { ...ones, layerNorm: true }, batch: 1, length: 1 },
  {
    ...{ name: 'no square, heads gone', batch: 1, length: 9, pruned: { 0: [1], 2: [0] } },
    options: {
      ...plain,
      vocabularySize: 9,
      maxLength: 9,
      numHiddens: 10,
      numHeads: 2,
      numLayers: 3,
    },
  },
  { name: 'gates', options: plain, batch: 2, length: 3, gates: [[0.5, 0, 2], undefined] },
  {
    ...{ name: 'all options, gates by sample', batch: 2, length: 5 },
    options: { ...plain, positions: 'learned', causal: false, layerNorm: true, bias: true },
    gates: [
      [
        [0.5, -1, 2],
        [1, 0, 3],
      ],
      [
        [2, 1, 0.25],
        [0, 1, 1],
      ],
    ],
  },
];

/** Each with tokens and targets, some of which ask nothing. */
export const transformerProblems = problems.map(({ gates = [], pruned = {}, ...problem }) => {
  const { batch, length, options } = problem;
  const tokens = anyTokens(batch, length, 0, options.vocabularySize);
  const targets = anyTokens(batch, length, -1, options.vocabularySize, 5);
  targets[0][0] = 0;
  return { ...problem, gates, pruned, tokens, targets };
});
