import { commit, core } from '../runtime/wasm.js';
import { Tensor } from '../tensor/tensor.js';
import { givePass, type Analysed, type PassKind } from './given-pass.js';
import { hasBatchAxis, type PassInputs, type PassModel } from './model-inputs.js';
import { ModelResults } from './model-results.js';
import type { LossAndGradients, TransformerResult } from './transformer-result.js';

/** Runs a pass. `batchAxis` is where its results have that axis. */
export function runPass(
  model: PassModel,
  inputs: PassInputs,
  kind: PassKind,
  analysed?: Analysed,
  batchAxis = 0,
): { readonly loss: number; readonly results: ModelResults } {
  const record = givePass(model, inputs, kind, analysed);
  const results = new ModelResults(hasBatchAxis(inputs) ? undefined : batchAxis);
  const loss = commit(() => core().runModel(model.model, record), results);
  return { loss, results };
}

export function runForward(model: PassModel, inputs: PassInputs): TransformerResult {
  const { results } = runPass(model, inputs, 'forward');
  const { capture } = inputs.probe;
  const [logits, encoderHidden] = [results.tensor('logits'), results.tensor('encoderHidden')];
  const hasCross = model.layers.cross.length > 0;
  return {
    ...(logits && { logits }),
    hidden: results.tensor('hidden') ?? new Tensor([], [0]),
    ...(encoderHidden && { encoderHidden }),
    ...(inputs.returnWeights !== false && {
      attentionWeights: results.list('attentionWeights'),
      ...(hasCross && { crossAttentionWeights: results.list('attentionWeights', 'cross') }),
      ...(encoderHidden && {
        encoderAttentionWeights: results.list('attentionWeights', 'encoder'),
      }),
    }),
    ...(capture && {
      captured: results.captured('self', capture),
      ...(hasCross && { crossCaptured: results.captured('cross', capture) }),
      ...(encoderHidden && { encoderCaptured: results.captured('encoder', capture) }),
    }),
  };
}

/** The gradients of all gates. */
export const gateGradientsOf = (
  { settings }: PassModel,
  results: ModelResults,
): Omit<LossAndGradients, 'loss'> => ({
  headGates: results.list('headGates'),
  ...(settings.hasEncoder && {
    crossHeadGates: results.list('headGates', 'cross'),
    encoderHeadGates: results.list('headGates', 'encoder'),
  }),
});
