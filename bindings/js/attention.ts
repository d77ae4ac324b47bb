/** The layer, its functions and caches, and files of tensors. */
export { HeadwiseError, type ErrorCode } from './runtime/errors.js';
export type { Variant, WasmModule } from './runtime/builds.js';
export { dispose, init, type Initialized, type InitOptions } from './runtime/init.js';
export type { OwnBytes } from './runtime/typed-arrays.js';
export type { FilePrecision, Precision } from './runtime/precisions.js';
export type {
  KeyMaskInput,
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
export { Tensor, type NestedArray, type Slice, type TensorJSON } from './tensor/tensor.js';
export { ResidentTensor } from './tensor/resident-tensor.js';
export type { Tokens } from './tensor/tokens.js';
export type { BackwardOptions, Gradients, GradientsOut } from './layer/backward.js';
export type { Captured, CaptureName } from './layer/capture.js';
export type { ChosenWeights } from './layer/chosen-weights.js';
export type { ForwardOptions, ForwardResult } from './layer/forward.js';
export type { FromStateDictOptions } from './layer/from-state-dict.js';
export { splitHeads, transposeOutput, transposeQkv } from './layer/heads.js';
export { KeyValueCache } from './layer/key-value-cache.js';
export type { CacheOptions, CachePrecision } from './layer/position-cache.js';
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
export { loadNpy, saveNpy } from './io/npy.js';
export type { BlobLike, FileHandleLike } from './io/byte-sources.js';
export { loadGguf, type Gguf, type GgufFile } from './io/gguf.js';
export type { GgufMetadata, GgufValue } from './io/gguf-header.js';
export type { GgufTokenizer } from './io/gguf-tokenizer.js';
export { loadSafetensors, saveSafetensors, type SaveSafetensorsOptions } from './io/safetensors.js';
export type { Safetensors, SafetensorsFile } from './io/safetensors-contents.js';
export {
  loadShardedSafetensors,
  type SafetensorsIndex,
  type SafetensorsSource,
} from './io/sharded-safetensors.js';
