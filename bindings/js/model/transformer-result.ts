import type { ChosenWeights } from '../layer/chosen-weights.js';
import type { Tensor } from '../tensor/tensor.js';
import type { ActivationName, CapturedActivations } from './activations.js';

type IfWeights<Weights> = [Weights] extends [false | undefined]
  ? { attentionWeights?: undefined }
  : [Weights] extends [true | ChosenWeights]
    ? { attentionWeights: Tensor[] }
    : { attentionWeights?: Tensor[] | undefined };

type IfCaptured<Names> = [Names] extends [undefined]
  ? { captured?: undefined; crossCaptured?: undefined; encoderCaptured?: undefined }
  : [Names] extends [readonly ActivationName[]]
    ? number extends Names['length']
      ? CapturedBySide<Partial<CapturedActivations>>
      : { captured: CapturedActivations<Names[number]> } & Omit<
          CapturedBySide<Partial<CapturedActivations<Names[number]>>>,
          'captured'
        >
    : CapturedBySide<Partial<CapturedActivations>>;

interface CapturedBySide<Each> {
  captured?: Each | undefined;
  crossCaptured?: Each | undefined;
  encoderCaptured?: Each | undefined;
}

/**
 * Results of a forward:
 * - `logits` (batch, length, vocabulary), if the model has them
 * - `hidden` (batch, length, numHiddens), after the final norm
 * - `encoderHidden` (batch, source length, numHiddens), if the call has a source
 * - if requested, the attention weights of each layer, (batch, heads, queries, keys), and the captured activations
 */
export type TransformerResult<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  Names extends readonly ActivationName[] | undefined = readonly ActivationName[] | undefined,
> = {
  logits?: Tensor | undefined;
  hidden: Tensor;
  encoderHidden?: Tensor | undefined;
  crossAttentionWeights?: Tensor[] | undefined;
  encoderAttentionWeights?: Tensor[] | undefined;
} & IfWeights<Weights> &
  IfCaptured<Names>;

export interface LossAndGradients {
  loss: number;
  /** Gradient of each layer's gates, (batch, heads). Gates that were not given count as 1. */
  headGates: Tensor[];
  /** The same for cross-attention and the encoder. Only for models with an encoder. */
  crossHeadGates?: Tensor[] | undefined;
  encoderHeadGates?: Tensor[] | undefined;
}
