/** headwise: multi-head attention for the web, head by head. */
export type {
  MaskInput,
  NestedBooleans,
  NestedNumbers,
  NumericArray,
  TensorInput,
  TensorLike,
} from './arrays.js';
export {
  AttentionOnlyTransformer,
  type HeadGatesOptions,
  type LossAndGradients,
  type TransformerForwardOptions,
  type TransformerResult,
} from './attention-only-transformer.js';
export type { AttentionResult, Out, ResultOptions, WeightsStage } from './attention-weights.js';
export type { Gradients } from './backward.js';
export { HeadwiseError, type ErrorCode } from './errors.js';
export type { FromStateDictOptions } from './from-state-dict.js';
export {
  measureHeadImportance,
  type LayerImportanceOptions,
  type LayerMeasureBatch,
  type ModelImportanceOptions,
  type ModelMeasureBatch,
  type OutputLoss,
} from './head-importance.js';
export type { HeadImportanceOptions, HeadMeasure } from './head-measures.js';
export { splitHeads, transposeOutput, transposeQkv } from './heads.js';
export type { IntegerArrays, IntegerDtype, IntegerTensor, TensorsByName } from './integers.js';
export { dispose, init, type InitOptions, type Initialized, type Variant } from './init.js';
export type { CacheOptions, KeyValueCache } from './key-value-cache.js';
export type { MultiHeadAttentionOptions, Pooling, Projection } from './layer-options.js';
export { maskedSoftmax, type MaskedSoftmaxOptions } from './masked-softmax.js';
export type { MaskOptions } from './masks.js';
export { MultiHeadAttention, type ForwardOptions, type StateDict } from './multi-head-attention.js';
export { loadNpy, saveNpy } from './npy.js';
export {
  Adam,
  clipGradientNorm,
  SGD,
  type AdamOptions,
  type Optimizer,
  type SGDOptions,
} from './optimizers.js';
export type { EmptyRows } from './options.js';
export {
  inductionScores,
  keyScores,
  patternScores,
  type PatternScores,
  type PatternScoresOptions,
} from './pattern-scores.js';
export {
  additiveAttention,
  scaledDotProductAttention,
  type AdditiveAttentionOptions,
  type AdditiveAttentionParameters,
  type ScaledDotProductAttentionOptions,
} from './pooling-functions.js';
export { positionalEncoding } from './positional-encoding.js';
export { loadSafetensors, saveSafetensors, type Safetensors } from './safetensors.js';
export {
  AssociativeRecallTask,
  CopyTask,
  InductionTask,
  ReverseTask,
  SortTask,
  type AssociativeRecallTaskOptions,
  type CopyTaskOptions,
  type InductionTaskOptions,
  type SequenceTaskOptions,
  type Task,
  type TaskBatch,
} from './tasks.js';
export { Tensor, type NestedArray } from './tensor.js';
export type { Tokens, TokensInput } from './tokens.js';
export type { Trainable } from './trainables.js';
export type { AttentionOnlyTransformerOptions, Positions } from './transformer-options.js';
export type { HeadGates } from './transformer-pass.js';
export type { ValidLens } from './valid-lens.js';
