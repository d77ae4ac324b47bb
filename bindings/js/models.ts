/** headwise/models: everything in headwise, and models, tasks, training and importance. */
export * from './attention.js';
export {
  AttentionOnlyTransformer,
  type AttentionOnlyTransformerOptions,
} from './model/attention-only-transformer.js';
export type {
  ActivationName,
  CapturedActivations,
  Patch,
  ProbeOptions,
} from './model/activations.js';
export {
  exportCheckpoint,
  type ExportCheckpointOptions,
  type ExportedCheckpoint,
} from './model/export-checkpoint.js';
export type { GeneratedText, GenerateOptions } from './model/generate.js';
export type {
  AttributionOptions,
  LogitAttribution,
  LogitLensOptions,
  PatchHeadsOptions,
} from './model/microscope.js';
export type { TransformerGradients, TransformerOutputGradients } from './model/model-backward.js';
export { ModelCache } from './model/model-cache.js';
export type {
  EmbeddingsInput,
  HeadGates,
  HeadGatesOptions,
  TransformerForwardOptions,
  TransformerPassOptions,
} from './model/model-inputs.js';
export type { ModelMemory } from './model/model-parameters.js';
export type { LossAndGradients, TransformerResult } from './model/transformer-result.js';
export type { Side } from './model/sides.js';
export type {
  GgufModelOptions,
  PretrainedConfig,
  PretrainedModelOptions,
  PretrainedOwnOptions,
} from './model/pretrained-options.js';
export type {
  Activation,
  EncoderOptions,
  Norm,
  PatchOptions,
  Positions,
  TransformerOptions,
} from './model/transformer-options.js';
export type { ModelRotaryOptions, RotaryScaling } from './model/rotary-scaling.js';
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
  leastImportantHeads,
  type LeastImportantHeadsOptions,
} from './importance/least-important-heads.js';
export {
  inductionScores,
  keyScores,
  patternScores,
  type PatternScores,
  type PatternScoresOptions,
} from './importance/pattern-scores.js';
