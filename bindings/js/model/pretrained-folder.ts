import { loadSafetensors } from '../io/safetensors.js';
import { weightMapOf } from '../io/sharded-safetensors.js';
import { fail, HeadwiseError, reasonOf, show } from '../runtime/errors.js';
import { node } from '../runtime/node.js';
import type { IntegerTensor } from '../tensor/integers.js';
import type { Tensor } from '../tensor/tensor.js';
import type { PretrainedModelOptions } from './pretrained-options.js';

/** A URL of this or another realm. */
const isUrl = (folder: unknown): folder is URL =>
  Object.prototype.toString.call(folder) === '[object URL]';

export const isFolder = (given: unknown): given is string | URL =>
  typeof given === 'string' || isUrl(given);

/** Node reads at most 2 GB in one call. */
const pieceSize = 2 ** 30;

/** Reads the config and tensors of a checkpoint's folder in Node. */
export function readFolder(
  folder: string | URL,
): Pick<PretrainedModelOptions, 'config' | 'tensors'> {
  if (node === undefined) {
    fail('unsupported', 'folder', '{ config, tensors } outside of Node', show(folder));
  }
  const fs = node.getBuiltinModule('node:fs');
  const path = node.getBuiltinModule('node:path');
  const { fileURLToPath } = node.getBuiltinModule('node:url');
  const pathOf = (name: string): string =>
    path.join(isUrl(folder) || folder.startsWith('file:') ? fileURLToPath(folder) : folder, name);
  const read = (name: string): Uint8Array => {
    const file = fs.openSync(pathOf(name), 'r');
    try {
      const bytes = new Uint8Array(fs.fstatSync(file).size);
      for (let done = 0; done < bytes.length;) {
        const count = fs.readSync(
          file,
          bytes,
          done,
          Math.min(bytes.length - done, pieceSize),
          done,
        );
        if (count === 0) {
          throw new Error(`only ${done} bytes of ${name}`);
        }
        done += count;
      }
      return bytes;
    } finally {
      fs.closeSync(file);
    }
  };
  const parse = (name: string): unknown => JSON.parse(new TextDecoder().decode(read(name)));
  const tensorsIn = (name: string): Record<string, Tensor | IntegerTensor> =>
    loadSafetensors(read(name)).tensors;
  const expected = 'config.json and model.safetensors, or its index and shards, in the folder';
  try {
    const config = parse('config.json') as PretrainedModelOptions['config'];
    if (fs.existsSync(pathOf('model.safetensors'))) {
      return { config, tensors: tensorsIn('model.safetensors') };
    }
    const index = 'model.safetensors.index.json';
    const pickled = ['pytorch_model.bin', 'pytorch_model.bin.index.json'].find((name) =>
      fs.existsSync(pathOf(name)),
    );
    if (pickled !== undefined && !fs.existsSync(pathOf(index))) {
      fail(
        'invalid-file',
        'folder',
        expected,
        `${pickled}; save_pretrained of Transformers converts it`,
      );
    }
    const shards = new Map<string, Record<string, Tensor | IntegerTensor>>();
    const tensors: Record<string, Tensor | IntegerTensor> = {};
    for (const [name, file] of weightMapOf(parse(index))) {
      const shard = shards.get(file) ?? tensorsIn(file);
      shards.set(file, shard);
      tensors[name] = shard[name];
    }
    return { config, tensors };
  } catch (error) {
    if (error instanceof HeadwiseError) {
      throw error;
    }
    const message = `folder: expected ${expected}, got an error: ${reasonOf(error)}`;
    throw new HeadwiseError('invalid-file', message, { cause: error });
  }
}
