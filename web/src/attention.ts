import { MultiHeadAttention, Tensor } from 'headwise';

import { sizes, validLensOf, type HeadsState } from './state/heads-state.js';

/** One forward pass, as the maps need it. All numbers come from the layer and its tensors. */
export interface AttentionView {
  readonly queriesShape: readonly number[];
  readonly keysShape: readonly number[];
  readonly outputShape: readonly number[];
  /** (batch, head, query, key) */
  readonly weights: Tensor;
  readonly validLens: readonly number[];
}

/** Runs the layer anew: at these sizes that takes well under a frame, so nothing is cached. */
export function attend(state: HeadsState): AttentionView {
  const queries = inputOf(state, sizes.queries, 2 * state.seed);
  const keys = inputOf(state, sizes.keys, 2 * state.seed + 1);
  const attention = new MultiHeadAttention({
    numHiddens: sizes.hiddens,
    numHeads: state.heads,
    seed: state.seed,
  });
  try {
    const validLens = validLensOf(state);
    const { output, attentionWeights } = attention.forward(queries, keys, keys, {
      validLens,
      returnWeights: true,
    });
    if (attentionWeights === undefined) throw new Error('forward returned no weights');
    return {
      queriesShape: queries.shape,
      keysShape: keys.shape,
      outputShape: output.shape,
      weights: attentionWeights,
      validLens,
    };
  } finally {
    attention.dispose();
  }
}

// Seeds s, 2s and 2s + 1 differ for every s ≥ 1, so that parameters, queries and keys are
// independent draws.
function inputOf(state: HeadsState, length: number, seed: number): Tensor {
  const shape = [sizes.batch, length, sizes.hiddens];
  return state.input === 'ones' ? Tensor.ones(shape) : Tensor.randn(shape, seed);
}
