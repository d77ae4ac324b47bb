/** Files that hold a whole checkpoint: what models read, and what files register. */
import type { IntegerTensor } from '../tensor/integers.js';
import type { Tensor } from '../tensor/tensor.js';
import type { StoredTensor } from './safetensors-contents.js';

/**
 * A checkpoint's config, and its tensors by the checkpoint's names. Each is converted whenever it is read.
 *
 * @internal
 */
export interface StoredCheckpoint {
  readonly config: Readonly<Record<string, unknown>>;
  readonly tensors: ReadonlyMap<
    string,
    StoredTensor<Tensor | IntegerTensor | Promise<Tensor | IntegerTensor>>
  >;
}

type ReadCheckpoint = () => StoredCheckpoint | Promise<StoredCheckpoint>;

const files = new WeakMap<object, ReadCheckpoint>();

/**
 * Registers a file's contents. Models then read files without importing the code of any format.
 *
 * @internal
 */
export const registerCheckpoint = (contents: object, read: ReadCheckpoint): void => {
  files.set(contents, read);
};

/**
 * The checkpoint of registered contents: a Promise if the file is not in memory.
 *
 * @internal
 */
export const storedCheckpoint = (contents: object): ReturnType<ReadCheckpoint> | undefined =>
  files.get(contents)?.();
