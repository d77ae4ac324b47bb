/** What the figure draws, in the order in which it is computed. */
export const parts = [
  ...(['X', 'W_q', 'W_k', 'W_v', 'queries', 'keys', 'values', 'q', 'k', 'v'] as const),
  ...(['dots', 'scores', 'masked', 'weights', 'pooled', 'concat', 'W_o', 'output'] as const),
] as const;
export type Part = (typeof parts)[number];

export const stepNumbers = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
export type StepNumber = (typeof stepNumbers)[number];

/** Steps that the reader may predict to combine heads first. */
export const guesses = [6, 7, 8, 9] as const;
export type Guess = (typeof guesses)[number];

/** Axes of a shape, by the chapter's names. */
export const axes = {
  batch: 'batch_size',
  heads: 'num_heads',
  batchHeads: 'batch_size * num_heads',
  queries: 'no. of queries',
  keys: 'no. of keys',
  hiddens: 'num_hiddens',
  headSize: 'd',
} as const;
export type Axis = keyof typeof axes;

interface Step {
  /** What it computes from what. */
  readonly operands: readonly Part[];
  readonly results: readonly Part[];
  /** What is drawn large below the figure; steps 3 and 4 have views of their own. */
  readonly enlarged: readonly Part[];
  /** The chapter's lines; ⟦…⟧ marks what this step does. */
  readonly code: readonly string[];
  /** Results with their axes. */
  readonly shapes: readonly (readonly [name: string, ...axes: Axis[]])[];
}

const projected: readonly Axis[] = ['batch', 'queries', 'hiddens'];
const ofHead: readonly Axis[] = ['batchHeads', 'queries', 'headSize'];
const ofScores: readonly Axis[] = ['batchHeads', 'queries', 'keys'];
const scoreLine = (part: string): string => `scores = ${part}`;

/** Code after d2l's PyTorch: MultiHeadAttention, DotProductAttention and masked_softmax. */
export const steps: Readonly<Record<StepNumber, Step>> = {
  1: {
    operands: ['X', 'W_q', 'W_k', 'W_v'],
    results: ['queries', 'keys', 'values'],
    enlarged: ['X', 'W_q', 'queries'],
    code: [
      'queries = self.transpose_qkv(⟦self.W_q(queries)⟧)',
      'keys = self.transpose_qkv(⟦self.W_k(keys)⟧)',
      'values = self.transpose_qkv(⟦self.W_v(values)⟧)',
    ],
    shapes: [
      ['X', ...projected],
      ['self.W_q(queries)', ...projected],
      ['self.W_k(keys), self.W_v(values)', 'batch', 'keys', 'hiddens'],
    ],
  },
  2: {
    operands: ['queries', 'keys', 'values'],
    results: ['q', 'k', 'v'],
    enlarged: ['q', 'k', 'v'],
    code: [
      'queries = ⟦self.transpose_qkv⟧(self.W_q(queries))',
      'def transpose_qkv(self, X):',
      '    ⟦X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)⟧',
      '    ⟦X = X.permute(0, 2, 1, 3)⟧',
      '    ⟦return X.reshape(-1, X.shape[2], X.shape[3])⟧',
    ],
    shapes: [
      ['X.reshape(…)', 'batch', 'queries', 'heads', 'headSize'],
      ['X.permute(0, 2, 1, 3)', 'batch', 'heads', 'queries', 'headSize'],
      ['queries', ...ofHead],
      ['keys, values', 'batchHeads', 'keys', 'headSize'],
    ],
  },
  3: {
    operands: ['q', 'k'],
    results: ['dots'],
    enlarged: [],
    code: [scoreLine('⟦torch.bmm(queries, keys.transpose(1, 2))⟧ / math.sqrt(d)')],
    shapes: [
      ['queries', ...ofHead],
      ['keys.transpose(1, 2)', 'batchHeads', 'headSize', 'keys'],
      ['torch.bmm(…)', ...ofScores],
    ],
  },
  4: {
    operands: ['dots'],
    results: ['scores'],
    enlarged: [],
    code: [
      'd = queries.shape[-1]',
      scoreLine('torch.bmm(queries, keys.transpose(1, 2)) ⟦/ math.sqrt(d)⟧'),
    ],
    shapes: [['scores', ...ofScores]],
  },
  5: {
    operands: ['scores'],
    results: ['masked'],
    enlarged: ['scores', 'masked'],
    code: [
      'self.attention_weights = ⟦masked⟧_softmax(scores, ⟦valid_lens⟧)',
      'def masked_softmax(X, valid_lens):',
      '    ⟦X = _sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)⟧',
    ],
    shapes: [['scores', ...ofScores]],
  },
  6: {
    operands: ['masked'],
    results: ['weights'],
    enlarged: ['masked', 'weights'],
    code: [
      '⟦self.attention_weights⟧ = masked_⟦softmax⟧(scores, valid_lens)',
      'def masked_softmax(X, valid_lens):',
      '    ⟦return nn.functional.softmax(X.reshape(shape), dim=-1)⟧',
    ],
    shapes: [['self.attention_weights', ...ofScores]],
  },
  7: {
    operands: ['weights', 'v'],
    results: ['pooled'],
    enlarged: ['weights', 'v', 'pooled'],
    code: ['return ⟦torch.bmm(self.dropout(self.attention_weights), values)⟧'],
    shapes: [
      ['self.attention_weights', ...ofScores],
      ['values', 'batchHeads', 'keys', 'headSize'],
      ['output', ...ofHead],
    ],
  },
  8: {
    operands: ['pooled'],
    results: ['concat'],
    enlarged: ['pooled', 'concat'],
    code: [
      'output_concat = ⟦self.transpose_output(output)⟧',
      'def transpose_output(self, X):',
      '    ⟦X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])⟧',
      '    ⟦X = X.permute(0, 2, 1, 3)⟧',
      '    ⟦return X.reshape(X.shape[0], X.shape[1], -1)⟧',
    ],
    shapes: [
      ['X.reshape(…)', 'batch', 'heads', 'queries', 'headSize'],
      ['X.permute(0, 2, 1, 3)', 'batch', 'queries', 'heads', 'headSize'],
      ['output_concat', ...projected],
    ],
  },
  9: {
    operands: ['concat', 'W_o'],
    results: ['output'],
    enlarged: ['concat', 'W_o', 'output'],
    code: ['return ⟦self.W_o(output_concat)⟧'],
    shapes: [
      ['output_concat', ...projected],
      ['self.W_o(output_concat)', ...projected],
    ],
  },
};

/** Whether a part has a row for each query and a column for each key. */
export const isMap = (part: Part): boolean =>
  ['dots', 'scores', 'masked', 'weights'].includes(part);

/** The step that a part comes from; the input and the parameters are there before the first. */
export function stepOf(part: Part): StepNumber | 0 {
  const found = Object.entries(steps).find(([, { results }]) => results.includes(part));
  return found === undefined ? 0 : (Number(found[0]) as StepNumber);
}

/** From which part to which, beside the lines that lead from every head to the concatenation. */
export const edges = [
  ...(['X-W_q', 'X-W_k', 'X-W_v', 'W_q-queries', 'W_k-keys', 'W_v-values'] as const),
  ...(['queries-q', 'keys-k', 'values-v', 'q-dots', 'k-dots'] as const),
  ...(['dots-scores', 'scores-masked', 'masked-weights'] as const),
  ...(['weights-pooled', 'v-pooled', 'concat-W_o', 'W_o-output'] as const),
];
export type Edge = (typeof edges)[number];

export const endsOf = (edge: Edge): [from: Part, to: Part] => edge.split('-') as [Part, Part];

/** The step that takes an edge: the one that makes what it leads to, or the product with a parameter. */
export function stepOfEdge(edge: Edge): StepNumber {
  const [from, to] = endsOf(edge);
  return (stepOf(to) || stepOf(from) + 1) as StepNumber;
}
