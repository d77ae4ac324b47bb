// What is read from a checkpoint's folder.
import { openAsBlob, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSafetensors, loadShardedSafetensors, Transformer } from 'headwise';

/** @import { IntegerTensor, Tensor } from 'headwise' */

const readJson = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));

/** In model.safetensors, in the one other *.safetensors, or in the files that a *.safetensors.index.json names. */
function openTensors(/** @type {string} */ folder) {
  const files = readdirSync(folder);
  const indices = files.filter((file) => file.endsWith('.safetensors.index.json'));
  if (indices.length === 1) {
    return loadShardedSafetensors(readJson(join(folder, indices[0])), (file) =>
      openAsBlob(join(folder, file)),
    );
  }
  const named = files.filter((file) => file.endsWith('.safetensors'));
  const file = named.includes('model.safetensors') ? 'model.safetensors' : named[0];
  if (named.length !== 1 && file !== 'model.safetensors') {
    throw new Error(
      `${folder} has ${named.length} *.safetensors, none of which is model.safetensors or an index`,
    );
  }
  return openAsBlob(join(folder, file)).then((blob) => loadSafetensors(blob));
}

/** The model of a checkpoint's folder, as Transformers and the Hugging Face Hub have them. */
export class Checkpoint {
  /**
   * @param {Record<string, unknown>} config its config.json
   * @param {Record<string, Tensor | IntegerTensor>} tensors
   */
  constructor(config, tensors) {
    this.config = config;
    this.tensors = tensors;
  }

  static async read(/** @type {string} */ folder) {
    const { read } = await openTensors(folder);
    const checkpoint = new Checkpoint(readJson(join(folder, 'config.json')), await read());
    const model = checkpoint.model();
    const { causal, numEncoderLayers } = model;
    const predicts = causal && numEncoderLayers === 0 && model.forward([[0]]).logits !== undefined;
    model.dispose();
    if (!predicts) throw new Error(`${folder} has no model that predicts the next token alone`);
    return checkpoint;
  }

  /** A model of its own, to be pruned. */
  model() {
    const { config, tensors } = this;
    return Transformer.fromPretrained({ config, tensors });
  }
}
