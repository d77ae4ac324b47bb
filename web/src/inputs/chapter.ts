import { Tensor } from 'headwise';

import { headCountsOf, type AttentionInput, type InputSizes } from './attention-input.js';

/** The chapter's sizes. */
const sizes = { batch: 2, queries: 4, keys: 6 } as const;

/** Size of all heads together, wherever parameters do not say otherwise. */
export const numHiddens = 100;

export const chapterSizes: InputSizes = {
  batch: sizes.batch,
  keys: sizes.keys,
  lens: [3, 2],
  headCounts: headCountsOf(numHiddens, sizes.batch * sizes.queries * sizes.keys),
};

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
