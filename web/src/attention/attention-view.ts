import { MultiHeadAttention, type StateDict, type Tensor } from 'headwise';

import { type AttentionInput, numHiddens } from './input.js';
import { projectHeads, weightOf } from './intermediates.js';

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
    const run = (weightsStage: 'raw' | 'softmax'): { weights: Tensor; output: Tensor } => {
      const options = { validLens, causal, returnWeights: true, weightsStage };
      const { attentionWeights, output } = layer.forward(queries, keys, values, options);
      if (attentionWeights === undefined) throw new Error('forward returned no weights');
      return { weights: attentionWeights, output };
    };
    const { weights: scores } = run('raw');
    const parameters = layer.stateDict();
    const project = (tensor: Tensor, name: string): Tensor =>
      projectHeads(tensor, weightOf(parameters, name), undefined, heads);
    return {
      input,
      numHeads: heads,
      headSize: layer.numHiddens / heads,
      ...run('softmax'),
      scores,
      validLens,
      isMasked: (sample, query, key) => key >= (validLens[sample] ?? 0) || (causal && key > query),
      parameters,
      projected: {
        queries: project(queries, 'W_q'),
        keys: project(keys, 'W_k'),
        values: project(values, 'W_v'),
      },
    };
  } finally {
    layer.dispose();
  }
}
