import type { StateDict } from '../layer/parameters.js';
import { fail, show } from '../runtime/errors.js';
import { checkOptions, checkWord } from '../runtime/options.js';
import { Transformer } from './transformer.js';

/** A checkpoint for other libraries. */
export interface ExportedCheckpoint {
  /** The object of its `config.json`. */
  config: Record<string, unknown>;
  /** Under the checkpoint's own names and in its layout, for `saveSafetensors`. */
  tensors: StateDict;
}

export interface ExportCheckpointOptions {
  /**
   * How the checkpoint holds heads that were pruned. `'zeroed'`: as zeros. The checkpoint has full size and gives the
   * same results in any library that loads the family. `'removed'`: not at all. Tensors are smaller and `config` lists
   * the heads in `pruned_heads`. This library and Transformers up to version 4 read that list, and PyTorch code of your
   * own can. Default: `'zeroed'`.
   */
  pruned?: 'zeroed' | 'removed' | undefined;
}

/**
 * Makes a checkpoint with the names and layout of the one that the model was read from. Write it with `saveSafetensors`
 * as `model.safetensors`, beside `config` as `config.json`.
 *
 * @throws HeadwiseError `invalid-option` for a model that was not read from a checkpoint; `invalid-type`,
 *   `unknown-option`, `disposed`, `out-of-memory`
 */
export function exportCheckpoint(
  model: Transformer,
  options?: ExportCheckpointOptions,
): ExportedCheckpoint {
  if (!((model as unknown) instanceof Transformer)) {
    fail('invalid-type', 'model', 'a Transformer', show(model));
  }
  const { pruned } = checkOptions<ExportCheckpointOptions>(options, ['pruned']);
  if (checkWord('pruned', pruned, ['zeroed', 'removed']) === 'removed') {
    return { config: model.config(), tensors: model.stateDict({ names: 'pretrained' }) };
  }
  return Transformer.wholeCheckpointOf(model);
}
