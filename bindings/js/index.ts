/** headwise: multi-head attention for the web, head by head. */
export { HeadwiseError, type ErrorCode } from './runtime/errors.js';
export { dispose, init, type Initialized, type InitOptions, type Variant } from './runtime/init.js';
export type {
  MaskInput,
  NestedBooleans,
  NestedNumbers,
  NumericArray,
  TensorInput,
  TensorLike,
  TokensInput,
  ValidLens,
} from './tensor/inputs.js';
export type {
  IntegerArrays,
  IntegerDtype,
  IntegerTensor,
  TensorsByName,
} from './tensor/integers.js';
export { Tensor, type NestedArray } from './tensor/tensor.js';
export type { Tokens } from './tensor/tokens.js';
export type { Gradients } from './layer/backward.js';
export type { Captured, CaptureName } from './layer/capture.js';
export type { ChosenWeights } from './layer/chosen-weights.js';
export type { ForwardOptions, ForwardResult } from './layer/forward.js';
export type { FromStateDictOptions } from './layer/from-state-dict.js';
export { splitHeads, transposeOutput, transposeQkv } from './layer/heads.js';
export { KeyValueCache, type CacheOptions } from './layer/key-value-cache.js';
export type {
  MultiHeadAttentionOptions,
  Pooling,
  Projection,
  RotaryOptions,
} from './layer/layer-options.js';
export { maskedSoftmax, type MaskedSoftmaxOptions } from './layer/masked-softmax.js';
export type { EmptyRows, MaskOptions } from './layer/masks.js';
export { MultiHeadAttention } from './layer/multi-head-attention.js';
export type { StateDict } from './layer/parameters.js';
export {
  additiveAttention,
  scaledDotProductAttention,
  type AdditiveAttentionOptions,
  type AdditiveAttentionParameters,
  type ScaledDotProductAttentionOptions,
} from './layer/pooling-functions.js';
export { positionalEncoding } from './layer/positional-encoding.js';
export type { AttentionResult, Out, ResultOptions, WeightsStage } from './layer/results.js';
export {
  AttentionOnlyTransformer,
  type AttentionOnlyTransformerOptions,
} from './model/attention-only-transformer.js';
export type { GenerateOptions } from './model/generate.js';
export type { TransformerGradients, TransformerOutputGradients } from './model/model-backward.js';
export { ModelCache } from './model/model-cache.js';
export type {
  HeadGates,
  HeadGatesOptions,
  Side,
  TransformerForwardOptions,
  TransformerPassOptions,
} from './model/model-inputs.js';
export type { LossAndGradients, TransformerResult } from './model/model-pass.js';
export type { PretrainedConfig, PretrainedModelOptions } from './model/pretrained.js';
export type {
  Activation,
  EncoderOptions,
  Norm,
  PatchOptions,
  Positions,
  TransformerOptions,
} from './model/transformer-options.js';
export { Transformer, type ParameterNamesOptions } from './model/transformer.js';
export {
  Adam,
  clipGradientNorm,
  Optimizer,
  SGD,
  type AdamOptions,
  type SGDOptions,
} from './training/optimizers.js';
export {
  AssociativeRecallTask,
  CopyTask,
  InductionTask,
  ReverseTask,
  SortTask,
  Task,
  type AssociativeRecallTaskOptions,
  type CopyTaskOptions,
  type InductionTaskOptions,
  type SequenceTaskOptions,
  type TaskBatch,
} from './training/tasks.js';
export type { Trainable } from './training/trainables.js';
export {
  measureHeadImportance,
  type LayerImportanceOptions,
  type LayerMeasureBatch,
  type ModelImportanceOptions,
  type ModelMeasureBatch,
  type OutputLoss,
} from './importance/head-importance.js';
export type { HeadImportanceOptions, HeadMeasure } from './importance/head-measures.js';
export {
  inductionScores,
  keyScores,
  patternScores,
  type PatternScores,
  type PatternScoresOptions,
} from './importance/pattern-scores.js';
export { loadNpy, saveNpy } from './io/npy.js';
export type { BlobLike, FileHandleLike } from './io/byte-sources.js';
export { loadSafetensors, saveSafetensors } from './io/safetensors.js';
export type { Safetensors, SafetensorsFile } from './io/safetensors-contents.js';
export {
  loadShardedSafetensors,
  type SafetensorsIndex,
  type SafetensorsSource,
} from './io/sharded-safetensors.js';
