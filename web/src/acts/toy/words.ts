import { count, inWords, listOf } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';

/** What the act says, beside intro.ts. */
export const words = translatable('toy', {
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
    'The input is random instead of ones; nothing else has changed. Now the keys differ, and each head weights them differently. The shape of the output is the same.',
  question: 'Predict first: what will make the five heads differ?',
  causes: { parameters: 'New parameters', keys: 'Different keys', training: 'Training' },
  skip: 'Skip the question',
  panel: 'Input of the layer',
  input: 'Input',
  inputs: { ones: 'Ones', random: 'Random' },
  steps: 'Training steps',
  taught: (steps: number, first: string, now: string) =>
    `The layer was trained for ${count(steps, 'step', 'steps')} to output the value at key 1 for query 1, the value at key 2 for query 2, and so on, starting over after the last valid key. The loss fell from ${first} to ${now}.`,
  outcome: {
    ones: 'The maps have not changed: if all keys are equal, no training can tell them apart.',
    random:
      'No head was told where to attend. Each settles on keys of its own, which are not always those of the targets: W_o combines the outputs of all heads into the answer.',
  },
  goal: {
    task: 'Make the five heads differ by changing a single setting.',
    reached: 'The parameters of the heads differed all along; only different keys make it visible.',
  },
  conclusion: (heads: number) =>
    `${inWords(heads, 'sentence')} heads, ${inWords(heads)} identical maps.`,
  reason: (shares: readonly string[]) =>
    `All keys are equal, so every head, whatever its projections, gives them equal scores and spreads its weight uniformly over the valid ones: ${listOf(shares)}.`,
  share: (fraction: string, sample: number) => `${fraction}\u00a0each in sample ${sample}`,
});
