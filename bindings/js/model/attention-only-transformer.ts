import type { ChosenWeights } from '../layer/chosen-weights.js';
import { checkBoolean, checkOptions, checkWord } from '../runtime/options.js';
import { modelsCore } from '../runtime/models-build.js';
import type { Precision } from '../runtime/precisions.js';
import type { TensorInput, TokensInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import type { AdamOptions } from '../training/optimizers.js';
import type { ActivationName } from './activations.js';
import type { EmbeddingsInput, TransformerForwardOptions } from './model-inputs.js';
import type { TransformerResult } from './transformer-result.js';
import type { TransformerOptions } from './transformer-options.js';
import { Transformer } from './transformer.js';

export interface AttentionOnlyTransformerOptions {
  /** Size of the vocabulary; tokens are integers from 0 to below it. All sizes are at least 1. */
  vocabularySize: number;
  /** Maximum length of an input. */
  maxLength: number;
  /** Size of the residual stream, and total size of a layer's heads. */
  numHiddens: number;
  /** Heads of each layer; divides `numHiddens`. */
  numHeads: number;
  /** Default: 1. */
  numLayers?: number | undefined;
  /** Default: `'sinusoidal'`. */
  positions?: 'sinusoidal' | 'learned' | undefined;
  /** Whether a position attends only to itself and those before it. Default: yes. */
  causal?: boolean | undefined;
  /**
   * Whether layer norms come before each layer and the unembedding. Default: no. Source: Xiong et al. 2020, pre-layer
   * normalization.
   */
  layerNorm?: boolean | undefined;
  /** Whether the layers' projections have a bias. Default: no. */
  bias?: boolean | undefined;
  /** Probability that an attention weight is dropped in training mode, from 0 to 1. Default: 0. */
  dropout?: number | undefined;
  /** Precision of the weights of all linear layers. Default: `'float32'`. */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
  /** Options of the model's own optimizer, which `trainStep` uses by default. */
  optimizer?: AdamOptions | undefined;
}

const optionNames = [
  ...(['vocabularySize', 'maxLength', 'numHiddens', 'numHeads', 'numLayers', 'positions'] as const),
  ...(['causal', 'layerNorm', 'bias', 'dropout', 'weights', 'seed', 'optimizer'] as const),
] as const;

/** The same model as a `Transformer`. */
function transformerOptions(options: AttentionOnlyTransformerOptions): TransformerOptions {
  modelsCore(); // Fails before `init`, even if the options are invalid.
  const { layerNorm, positions, bias, ...given } = checkOptions(options, optionNames);
  return {
    ...(given as AttentionOnlyTransformerOptions),
    ffnHiddens: 0,
    norm: checkBoolean('layerNorm', layerNorm, false) ? 'layer' : 'none',
    positions: checkWord<'sinusoidal' | 'learned'>('positions', positions, [
      'sinusoidal',
      'learned',
    ]),
    bias: checkBoolean('bias', bias, false),
    tiedEmbeddings: false,
  };
}

type WithLogits<
  Weights extends boolean | ChosenWeights | undefined,
  Names extends readonly ActivationName[] | undefined = readonly ActivationName[] | undefined,
> = TransformerResult<Weights, Names> & { logits: Tensor };

/**
 * Token embedding and positions, layers of residual multi-head attention, unembedding, and no feed-forward layers: x ←
 * x + attention(x), or x + attention(norm(x)). It is a `Transformer` with `ffnHiddens: 0`. Source: Elhage et al. 2021,
 * A Mathematical Framework for Transformer Circuits.
 *
 * ```js
 * const task = new InductionTask({ numSymbols: 16, length: 20, minPeriod: 4, maxPeriod: 10 });
 * const model = new AttentionOnlyTransformer({
 *   ...{ vocabularySize: task.vocabularySize, maxLength: task.length },
 *   ...{ numHiddens: 32, numHeads: 2, numLayers: 2 },
 * });
 * const { tokens, targets } = task.batch(1, 32);
 * const loss = model.trainStep(tokens, targets);
 * ```
 */
export class AttentionOnlyTransformer extends Transformer {
  /**
   * @throws HeadwiseError `invalid-option` for options out of range; `unknown-option`, `not-initialized`,
   *   `out-of-memory`
   */
  constructor(options: AttentionOnlyTransformerOptions) {
    super(transformerOptions(options));
  }

  override forward<
    const Weights extends true | ChosenWeights,
    const Names extends readonly ActivationName[] | undefined = undefined,
  >(
    tokens: TokensInput | TensorInput | EmbeddingsInput,
    options: TransformerForwardOptions<Weights, Names> & { returnWeights: Weights },
  ): WithLogits<Weights, Names>;
  override forward<const Names extends readonly ActivationName[] | undefined = undefined>(
    tokens: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions<false | undefined, Names>,
  ): WithLogits<false, Names>;
  override forward(
    tokens: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions,
  ): WithLogits<boolean | ChosenWeights | undefined>;
  override forward(
    tokens: TokensInput | TensorInput | EmbeddingsInput,
    options?: TransformerForwardOptions,
  ): WithLogits<boolean | ChosenWeights | undefined> {
    return super.forward(tokens, options) as WithLogits<boolean | ChosenWeights | undefined>;
  }
}
