import type { LayerPart } from '../state/heads-state.js';

/** The figure of the whole layer. */
export const layer = {
  title: 'The whole layer',
  intro:
    'The figure of the chapter, with the shapes that this input really has. Choose a part to see its numbers; choose a head, and it is shown everywhere.',
  label: 'Multi-head attention, from queries, keys and values to the output',
  name: 'the layer',
  parts: {
    queries: 'queries',
    keys: 'keys',
    values: 'values',
    W_q: 'W_q',
    W_k: 'W_k',
    W_v: 'W_v',
    q: 'q of the head',
    k: 'k of the head',
    v: 'v of the head',
    weights: 'softmax(q kᵀ ÷ √d)',
    pooled: 'weights × v',
    concat: 'Concatenate',
    W_o: 'W_o',
    output: 'output',
  } satisfies Record<LayerPart, string>,
  // The subscript of W_q is told as it is seen.
  partLabel: (name: string, shape: string) => `${name.replace('_', '')}, ${shape}: show numbers`,
  headLabel: (head: number) => `Head ${head}: select`,
  headsTitle: (heads: number) => (heads === 1 ? '1 head' : `${heads} heads`),
  about: {
    queries: (sample: number) => `Queries of sample ${sample}: a row a query.`,
    keys: (sample: number) => `Keys of sample ${sample}: a row a key.`,
    values: (sample: number) => `Values of sample ${sample}: a row a key.`,
    W_q: (_sample: number, head: number) =>
      `The rows of W_q that make the queries of head ${head}.`,
    W_k: (_sample: number, head: number) => `The rows of W_k that make the keys of head ${head}.`,
    W_v: (_sample: number, head: number) => `The rows of W_v that make the values of head ${head}.`,
    q: (sample: number, head: number) => `Queries of sample ${sample} as head ${head} sees them.`,
    k: (sample: number, head: number) => `Keys of sample ${sample} as head ${head} sees them.`,
    v: (sample: number, head: number) => `Values of sample ${sample} as head ${head} sees them.`,
    weights: (sample: number, head: number) => `Weights of head ${head} for sample ${sample}.`,
    pooled: (sample: number, head: number) =>
      `What head ${head} pools for sample ${sample}: a row a query, before its gate.`,
    concat: (sample: number) =>
      `What all heads pool for sample ${sample}, side by side, after their gates.`,
    W_o: (_sample: number, head: number) => `The columns of W_o that read head ${head}.`,
    output: (sample: number) => `Output for sample ${sample}: a row a query.`,
  } satisfies Record<LayerPart, (sample: number, head: number) => string>,
  numbers: (part: string) => `Numbers of ${part}`,
  truncated: (rows: number, columns: number, shape: string) =>
    `The first ${rows} rows and ${columns} columns of ${shape}.`,
  whole: (shape: string) => `All of ${shape}.`,
} as const;
