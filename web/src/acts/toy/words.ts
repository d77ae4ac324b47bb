import { count, inWords, listOf } from '../../format/sentences.js';

/** The first act. */
export const words = {
  title: 'The toy example',
  paragraphs: [
    'The chapter tries its layer on the plainest input there is: queries, keys and values that hold nothing but ones. The batch has two samples. What comes out is one vector for each query, as long as the query was.',
    'Valid lengths say how many of its keys a sample may look at. The others are masked: they weigh exactly 0, whatever they hold, and are hatched below, since a weight of 0 and a key that nobody may look at are different things.',
  ],
  flow: {
    label: 'Shapes of the toy example, from input to output',
    queries: 'Queries',
    keys: 'Keys and values',
    validLens: 'Valid lengths',
    heads: 'Heads',
    output: 'Output',
    axes: 'batch, length, hidden units',
    perSample: 'one per sample',
    headSize: (size: number) => `of ${size} hidden units each`,
  },
  figure: 'Weights of every head in the toy example',
  maps: 'the maps of the toy example',
  broken:
    'Random numbers instead of ones, and nothing else has changed: now keys differ, and each head finds differences of its own. The shape of the output is the same.',
  panel: 'What the layer is given',
  input: 'Input',
  inputs: { ones: 'Ones', random: 'Random' },
  steps: 'Steps of training',
  taught: (steps: number, first: string, now: string) =>
    `The layer was trained for ${count(steps, 'step', 'steps')} to answer query 1 with the value at key 1, query 2 with that at key 2, and so on, beginning again after the last valid key. The loss fell from ${first} to ${now}.`,
  outcome: {
    ones: 'The maps are what they were: where all keys are equal, no training tells them apart.',
    random:
      'No head was told where to look, and each settles on keys of its own, not always on those asked for: W_o makes the answer of what all of them bring.',
  },
  goal: {
    task: 'Break the tie. Change the one thing that makes the five heads differ.',
    reached: 'The parameters were different all along; it took different keys to show it.',
  },
  conclusion: (heads: number) =>
    `${inWords(heads, 'sentence')} heads, ${inWords(heads)} identical maps.`,
  reason: (shares: readonly string[]) =>
    `All keys are equal, so every head, whatever its projections, scores them alike and spreads its weight evenly over the valid ones: ${listOf(shares)}.`,
  share: (fraction: string, sample: number) => `${fraction}\u00a0each in sample ${sample}`,
} as const;
