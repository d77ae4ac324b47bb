import type { TensorsByName } from '../tensor/integers.js';
import type { TransformerOptions } from './transformer-options.js';

/** The fields of a checkpoint's `config.json`. */
export type PretrainedConfig = Readonly<Record<string, unknown>>;

export interface PretrainedModelOptions extends Pick<
  TransformerOptions,
  'dropout' | 'weights' | 'seed' | 'optimizer'
> {
  /** The content of the checkpoint's `config.json`. */
  config: PretrainedConfig;
  /** The checkpoint's tensors, as `loadSafetensors` returns them. */
  tensors: TensorsByName;
}
