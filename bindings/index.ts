/** headwise: multi-head attention for the web, head by head. */
export type { NestedNumbers, NumericArray, TensorInput, TensorLike } from './arrays.js';
export { HeadwiseError, type ErrorCode } from './errors.js';
export {
  maskedSoftmax,
  scaledDotProductAttention,
  transposeOutput,
  transposeQkv,
  type AttentionResult,
  type MaskedSoftmaxOptions,
  type ScaledDotProductAttentionOptions,
} from './functions.js';
export { init, type InitOptions, type Initialized, type Variant } from './init.js';
export {
  MultiHeadAttention,
  type ForwardOptions,
  type MultiHeadAttentionOptions,
  type StateDict,
} from './multi-head-attention.js';
export type { EmptyRows } from './options.js';
export { Tensor, type NestedArray } from './tensor.js';
export type { ValidLens } from './valid-lens.js';
