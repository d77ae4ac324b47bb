import { range } from 'd3-array';
import { MultiHeadAttention, type StateDict, type Tensor } from 'headwise';

import type { AxisNames, CellValue } from './head-map.js';
import { type AttentionInput, numHiddens } from './input.js';
import { words } from './words.js';

/** The settings of a layer beside its input. */
export interface LayerSettings {
  readonly seed: number;
  readonly heads: number;
  /** The number of valid keys of each sample. */
  readonly validLens: readonly number[];
  readonly causal: boolean;
}

/** One forward pass, as the figures need it. */
export interface AttentionView {
  readonly input: AttentionInput;
  readonly numHeads: number;
  readonly headSize: number;
  /** (batch, head, query, key) */
  readonly weights: Tensor;
  /** q · k ÷ √d of every key, masked or not: (batch, head, query, key) */
  readonly scores: Tensor;
  /** (batch, query, size) */
  readonly output: Tensor;
  readonly validLens: readonly number[];
  readonly isMasked: (sample: number, query: number, key: number) => boolean;
  readonly parameters: StateDict;
  /** After W_q, (batch, head, query, head size); W_k and W_v likewise. */
  readonly projected: Readonly<Record<'queries' | 'keys' | 'values', Tensor>>;
}

/** Runs a new layer. At these sizes that takes well under a frame. */
export function attend(input: AttentionInput, settings: LayerSettings): AttentionView {
  const { queries, keys, values, parameters: given } = input;
  const { seed, heads, validLens, causal } = settings;
  const layer =
    given === undefined
      ? new MultiHeadAttention({ numHiddens, numHeads: heads, seed })
      : MultiHeadAttention.fromStateDict(given, { numHeads: heads });
  try {
    const pass = (weightsStage: 'raw' | 'softmax') => {
      const options = { validLens, causal, returnWeights: true, weightsStage } as const;
      const capture = ['queries', 'keys', 'values'] as const;
      return layer.forward(queries, keys, values, { ...options, capture });
    };
    const { attentionWeights, output, captured } = pass('softmax');
    return {
      input,
      numHeads: heads,
      headSize: layer.numHiddens / heads,
      weights: attentionWeights,
      scores: pass('raw').attentionWeights,
      output,
      validLens,
      isMasked: (sample, query, key) => key >= (validLens[sample] ?? 0) || (causal && key > query),
      parameters: layer.stateDict(),
      projected: captured,
    };
  } finally {
    layer.dispose();
  }
}

/** What the cells of one head's map show. */
export function valuesOf(
  { weights, isMasked }: AttentionView,
  head: number,
): (query: number, key: number) => CellValue {
  return (query, key) => ({
    weight: weights.at(0, head, query, key),
    masked: isMasked(0, query, key),
  });
}

/** Names of queries and keys: q1, k1 and so on. */
export function namesOf({ weights }: AttentionView): AxisNames {
  const [, , queries = 0, keys = 0] = weights.shape;
  return {
    queries: range(queries).map((query) => words.map.query(query + 1)),
    keys: range(keys).map((key) => words.map.key(key + 1)),
  };
}
