import { type StateDict, Tensor } from 'headwise';

/** How much there is of an input: enough to set up controls, without its numbers. */
export interface InputSizes {
  readonly keys: number;
  /** The input's own valid length. */
  readonly validLen: number;
  /** How many heads can look at it. */
  readonly headCounts: readonly number[];
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

/** More cells would make a page slow: each is an element that a reader can reach. */
const maxCells = 11_000;

/**
 * Numbers of heads that divide `numHiddens` and can be shown on a page.
 *
 * @param cells of one head
 */
export function headCountsOf(numHiddens: number, cells: number): readonly number[] {
  return [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20].filter(
    (count) => numHiddens % count === 0 && (count === 1 || count * cells <= maxCells),
  );
}

/** The chapter's sizes, for the first sample of its batch. */
const sizes = { batch: 1, queries: 4, keys: 6 } as const;

/** Size of all heads together, wherever parameters do not say otherwise. */
export const numHiddens = 100;

export const chapterSizes: InputSizes = {
  keys: sizes.keys,
  validLen: 3,
  headCounts: headCountsOf(numHiddens, sizes.queries * sizes.keys),
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
