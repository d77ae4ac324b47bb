/**
 * headwise/worker: the same interface in a separate worker, so that long calls never block a page. Every call returns a
 * promise. Layers, models, caches and optimizers live in the worker; on the page you hold handles, which you pass to
 * other calls. Tensors are copied to the worker, or moved by `transferred`; results are moved from it.
 *
 * ```js
 * import { init, MultiHeadAttention, Tensor } from 'headwise/worker';
 * await init();
 * const attention = await new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
 * const X = Tensor.ones([2, 4, 100]);
 * const { output } = await attention.forward(X, X, X);
 * ```
 */
import type * as all from './index.js';
import { endWorker, haveWorker, named } from './in-worker/client.js';
import type { Remote, RemoteClass, RemoteFunction } from './in-worker/types.js';
import { addressOf } from './runtime/address.js';
import { isObject } from './runtime/options.js';
import type { Initialized, InitOptions } from './runtime/init.js';

export type * from './attention.js';
export type * from './models.js';
export type { Remote, RemoteClass, RemoteFunction } from './in-worker/types.js';
export { HeadwiseError } from './runtime/errors.js';
export { Tensor, transferred } from './in-worker/client.js';

const initInWorker = named('init') as RemoteFunction<typeof all.init>;

/**
 * Starts the worker and loads headwise there. Another call returns the first call's result.
 * @throws HeadwiseError as the package's `init`; also `load-failed` if the worker does not start, or if `dispose` or
 *   `init({ threads: 1 })` ends it before it is ready
 */
export async function init(options?: InitOptions): Promise<Initialized> {
  haveWorker(isObject(options) ? options.threads : undefined);
  const asked =
    isObject(options) && typeof options.wasm === 'string'
      ? { ...options, wasm: addressOf(options.wasm) }
      : options;
  return initInWorker(asked);
}

/** Ends the worker and everything in it. Calls throw until `init` is called again. */
export function dispose(): void {
  endWorker();
}

export type MultiHeadAttention = Remote<all.MultiHeadAttention>;
export const MultiHeadAttention = named('MultiHeadAttention') as RemoteClass<
  typeof all.MultiHeadAttention
>;

export type Transformer = Remote<all.Transformer>;
export const Transformer = named('Transformer') as RemoteClass<typeof all.Transformer>;

export type AttentionOnlyTransformer = Remote<all.AttentionOnlyTransformer>;
export const AttentionOnlyTransformer = named('AttentionOnlyTransformer') as RemoteClass<
  typeof all.AttentionOnlyTransformer
>;

export type SGD = Remote<all.SGD>;
export const SGD = named('SGD') as RemoteClass<typeof all.SGD>;

export type Adam = Remote<all.Adam>;
export const Adam = named('Adam') as RemoteClass<typeof all.Adam>;

export type CopyTask = Remote<all.CopyTask>;
export const CopyTask = named('CopyTask') as RemoteClass<typeof all.CopyTask>;

export type ReverseTask = Remote<all.ReverseTask>;
export const ReverseTask = named('ReverseTask') as RemoteClass<typeof all.ReverseTask>;

export type SortTask = Remote<all.SortTask>;
export const SortTask = named('SortTask') as RemoteClass<typeof all.SortTask>;

export type AssociativeRecallTask = Remote<all.AssociativeRecallTask>;
export const AssociativeRecallTask = named('AssociativeRecallTask') as RemoteClass<
  typeof all.AssociativeRecallTask
>;

export type InductionTask = Remote<all.InductionTask>;
export const InductionTask = named('InductionTask') as RemoteClass<typeof all.InductionTask>;

export type KeyValueCache = Remote<all.KeyValueCache>;

export type ModelCache = Remote<all.ModelCache>;

export type Optimizer = Remote<all.Optimizer>;

export type Task = Remote<all.Task>;

export const scaledDotProductAttention = named('scaledDotProductAttention') as RemoteFunction<
  typeof all.scaledDotProductAttention
>;
export const additiveAttention = named('additiveAttention') as RemoteFunction<
  typeof all.additiveAttention
>;
export const maskedSoftmax = named('maskedSoftmax') as RemoteFunction<typeof all.maskedSoftmax>;
export const transposeQkv = named('transposeQkv') as RemoteFunction<typeof all.transposeQkv>;
export const transposeOutput = named('transposeOutput') as RemoteFunction<
  typeof all.transposeOutput
>;
export const splitHeads = named('splitHeads') as RemoteFunction<typeof all.splitHeads>;
export const positionalEncoding = named('positionalEncoding') as RemoteFunction<
  typeof all.positionalEncoding
>;
export const clipGradientNorm = named('clipGradientNorm') as RemoteFunction<
  typeof all.clipGradientNorm
>;
export const exportCheckpoint = named('exportCheckpoint') as RemoteFunction<
  typeof all.exportCheckpoint
>;
export const measureHeadImportance = named('measureHeadImportance') as RemoteFunction<
  typeof all.measureHeadImportance
>;
export const leastImportantHeads = named('leastImportantHeads') as RemoteFunction<
  typeof all.leastImportantHeads
>;
export const patternScores = named('patternScores') as RemoteFunction<typeof all.patternScores>;
export const inductionScores = named('inductionScores') as RemoteFunction<
  typeof all.inductionScores
>;
export const keyScores = named('keyScores') as RemoteFunction<typeof all.keyScores>;
export const loadSafetensors = named('loadSafetensors') as RemoteFunction<
  typeof all.loadSafetensors
>;
export const loadGguf = named('loadGguf') as RemoteFunction<typeof all.loadGguf>;
export const saveSafetensors = named('saveSafetensors') as RemoteFunction<
  typeof all.saveSafetensors
>;
export const loadShardedSafetensors = named('loadShardedSafetensors') as RemoteFunction<
  typeof all.loadShardedSafetensors
>;
export const loadNpy = named('loadNpy') as RemoteFunction<typeof all.loadNpy>;
export const saveNpy = named('saveNpy') as RemoteFunction<typeof all.saveNpy>;
