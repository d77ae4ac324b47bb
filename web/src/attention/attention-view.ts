import { range, sum } from 'd3-array';
import { MultiHeadAttention, type StateDict, Tensor } from 'headwise';

import type { AxisNames } from './head-map.js';

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

/** In nats. */
export function entropyOf(weights: Iterable<number>): number {
  return sum(weights, (weight) => (weight > 0 ? -weight * Math.log(weight) : 0));
}

/** Names of queries and keys: q1, k1 and so on. */
export function namesOf({ weights }: AttentionView): AxisNames {
  const [, , queries = 0, keys = 0] = weights.shape;
  return {
    queries: range(queries).map((query) => `q${query + 1}`),
    keys: range(keys).map((key) => `k${key + 1}`),
  };
}

/** What a layer is given. */
export interface AttentionInput {
  /** (batch, queries, size) */
  readonly queries: Tensor;
  /** (batch, keys, size) */
  readonly keys: Tensor;
  /** (batch, keys, size) */
  readonly values: Tensor;
  /** Parameters that come with the input; without them, they are drawn from the seed. */
  readonly parameters?: StateDict;
}

/** The chapter's sizes, for the first sample of its batch. */
const sizes = { batch: 1, queries: 4, keys: 6 } as const;

/** Size of all heads together, wherever parameters do not say otherwise. */
export const numHiddens = 100;

/** The chapter's number of keys, and how many of them are valid. */
export const chapterKeys = { keys: sizes.keys, validLen: 3 } as const;

/** The chapter's queries, keys and values. */
export function onesInput(): AttentionInput {
  const keys = Tensor.ones([sizes.batch, sizes.keys, numHiddens]);
  return { queries: Tensor.ones([sizes.batch, sizes.queries, numHiddens]), keys, values: keys };
}

/** Standard normal numbers of the same shapes. */
export function randomInput(seed: number): AttentionInput {
  // Seeds s, 2s and 2s + 1 differ for every s ≥ 1, so that parameters, queries and keys are
  // independent draws.
  const keys = Tensor.randn([sizes.batch, sizes.keys, numHiddens], 2 * seed + 1);
  const queries = Tensor.randn([sizes.batch, sizes.queries, numHiddens], 2 * seed);
  return { queries, keys, values: keys };
}
