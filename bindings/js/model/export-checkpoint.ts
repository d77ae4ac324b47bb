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
   * the heads in `pruned_heads`. This library and Transformers up to version 4 read that list; your own PyTorch code
   * can, too. Default: `'zeroed'`.
   */
  pruned?: 'zeroed' | 'removed' | undefined;
}

/**
 * Fields that Transformers 5 takes only with a decimal point, which JavaScript does not write in 50.0. These numbers are
 * its defaults, so they may be left out.
 */
const defaults: Readonly<Partial<Record<string, number>>> = {
  ...{ encoder_layerdrop: 0, decoder_layerdrop: 0 },
  ...{ attn_logit_softcapping: 50, final_logit_softcapping: 30 },
};

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
  const { config, tensors } =
    checkWord('pruned', pruned, ['zeroed', 'removed']) === 'removed'
      ? { config: model.config(), tensors: model.stateDict({ names: 'pretrained' }) }
      : Transformer.wholeCheckpointOf(model);
  const fields = Object.entries(config).filter(([name, value]) => value !== defaults[name]);
  return { config: Object.fromEntries(fields), tensors };
}
