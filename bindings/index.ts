/** headwise: multi-head attention for the web, head by head. */
export type {
  MaskInput,
  NestedBooleans,
  NestedNumbers,
  NumericArray,
  TensorInput,
  TensorLike,
} from './arrays.js';
export type { AttentionResult, Out, ResultOptions, WeightsStage } from './attention-weights.js';
export type { Gradients } from './backward.js';
export { HeadwiseError, type ErrorCode } from './errors.js';
export type { FromStateDictOptions } from './from-state-dict.js';
export { splitHeads, transposeOutput, transposeQkv } from './heads.js';
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
  additiveAttention,
  scaledDotProductAttention,
  type AdditiveAttentionOptions,
  type AdditiveAttentionParameters,
  type ScaledDotProductAttentionOptions,
} from './pooling-functions.js';
export { positionalEncoding } from './positional-encoding.js';
export { loadSafetensors, saveSafetensors, type Safetensors } from './safetensors.js';
export { Tensor, type NestedArray } from './tensor.js';
export type { Trainable } from './trainables.js';
export type { ValidLens } from './valid-lens.js';
