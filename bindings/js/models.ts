/** headwise/models: models, tasks, training and importance, and all of headwise. */
export * from './attention.js';
export { AttentionOnlyTransformer } from './model/attention-only-transformer.js';
export type { AttentionOnlyTransformerOptions, Positions } from './model/transformer-options.js';
export type {
  HeadGates,
  HeadGatesOptions,
  LossAndGradients,
  TransformerForwardOptions,
  TransformerResult,
} from './model/transformer-pass.js';
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
