import { scaledDotProductAttention, type StateDict, type Tensor } from 'headwise';

import type { AttentionInput } from './input.js';
import { biasOf, keptWeights, projectHeads, weightOf } from './intermediates.js';
import { type LayerSettings, withLayer } from './layer.js';

/** One forward pass, as the figures need it. */
export interface AttentionView {
  readonly input: AttentionInput;
  readonly numHeads: number;
  readonly headSize: number;
  /** (batch, head, query, key) */
  readonly weights: Tensor;
  /** Scaled scores at every key, masked or not: (batch, head, query, key) */
  readonly scores: Tensor;
  /** Weights after dropout, (batch, head, query, key); only where there is dropout. */
  readonly kept: Tensor | undefined;
  /** (batch, query, size) */
  readonly output: Tensor;
  readonly validLens: readonly number[];
  readonly isMasked: (sample: number, query: number, key: number) => boolean;
  /** What q · k is multiplied by. */
  readonly scale: number;
  readonly parameters: StateDict;
  /** After W_q, (batch, head, query, head size); W_k and W_v likewise. */
  readonly projected: Readonly<Record<'queries' | 'keys' | 'values', Tensor>>;
  /** What each head pooled, without dropout: (batch, head, query, head size) */
  readonly pooled: Tensor;
}

/** Runs the layer anew: at these sizes that takes well under a frame, so nothing is cached. */
export function attend(input: AttentionInput, settings: LayerSettings): AttentionView {
  const { validLens, causal } = settings;
  const { queries, keys, values } = input;
  const masks = { validLens, causal };
  return withLayer(input, settings, (layer, scale) => {
    const scores = weightsOf(
      layer.forward(queries, keys, values, {
        ...masks,
        returnWeights: true,
        weightsStage: 'raw',
      }),
    );
    const parameters = layer.stateDict();
    const project = (tensor: Tensor, name: string): Tensor =>
      projectHeads(tensor, weightOf(parameters, name), biasOf(parameters, name), layer.numHeads);
    const projected = {
      queries: project(queries, 'W_q'),
      keys: project(keys, 'W_k'),
      values: project(values, 'W_v'),
    };
    const pooling = scaledDotProductAttention(projected.queries, projected.keys, projected.values, {
      ...masks,
      scale,
    });
    const result = withLayer(input, settings, (fresh) =>
      fresh.forward(queries, keys, values, { ...masks, returnWeights: true }),
    );
    return {
      input,
      numHeads: layer.numHeads,
      headSize: layer.numHiddens / layer.numHeads,
      weights: weightsOf(result),
      scores,
      kept: settings.dropout === 0 ? undefined : keptWeights(input, settings, parameters),
      output: result.output,
      validLens,
      isMasked: (sample, query, key) => key >= (validLens[sample] ?? 0) || (causal && key > query),
      scale,
      parameters,
      projected,
      pooled: pooling.output,
    };
  });
}

/** The output with gates, (batch, query, size): the same draw of dropout as in the view. */
export function gatedOutput(
  input: AttentionInput,
  settings: LayerSettings,
  gates: readonly number[],
): Tensor {
  const { validLens, causal } = settings;
  return withLayer(
    input,
    settings,
    (layer) =>
      layer.forward(input.queries, input.keys, input.values, {
        validLens,
        causal,
        headGate: [...gates],
      }).output,
  );
}

function weightsOf({ attentionWeights }: { attentionWeights?: Tensor }): Tensor {
  if (attentionWeights === undefined) throw new Error('forward returned no weights');
  return attentionWeights;
}
