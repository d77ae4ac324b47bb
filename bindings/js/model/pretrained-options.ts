import type { Gguf, GgufFile } from '../io/gguf.js';
import type { TensorsByName } from '../tensor/integers.js';
import type { TransformerOptions } from './transformer-options.js';

/** The fields of a checkpoint's `config.json`. */
export type PretrainedConfig = Readonly<Record<string, unknown>>;

/** Options of a pretrained model that its checkpoint does not determine. */
export type PretrainedOwnOptions = Pick<
  TransformerOptions,
  'dropout' | 'weights' | 'seed' | 'optimizer'
>;

export interface PretrainedModelOptions extends PretrainedOwnOptions {
  /** The content of the checkpoint's `config.json`. */
  config: PretrainedConfig;
  /** The checkpoint's tensors, as `loadSafetensors` returns them. */
  tensors: TensorsByName;
}

export interface GgufModelOptions<
  File extends Gguf | GgufFile = Gguf,
> extends PretrainedOwnOptions {
  /** A GGUF file, as `loadGguf` returns it. */
  gguf: File;
}
