import { sum } from 'd3-array';
import { Adam, MultiHeadAttention, type StateDict, Tensor } from 'headwise';

import { type AttentionInput, numHiddens } from '../../attention/input.js';
import type { LayerSettings } from '../../attention/layer.js';

export interface TrainedLayer {
  readonly parameters: StateDict;
  /** Mean squared error, before the first step and now. */
  readonly losses: { readonly first: number; readonly now: number };
}

const learningRate = 0.002;

/** What a lesson needs to know of its layer. */
type LessonSettings = Pick<LayerSettings, 'seed' | 'heads' | 'validLens'>;

/** A layer on its way. Its gradients are those of the last loss. */
interface TrainingState {
  readonly layer: MultiHeadAttention;
  readonly optimizer: Adam;
  /** Before the first step, and after each. */
  readonly losses: number[];
}

/**
 * A layer that learns its one input by heart: it is to answer query 1 with the value at key 1, query 2
 * with that at key 2, and so on, beginning again after the last valid key. Where to look it is not
 * told.
 */
export class Lesson {
  readonly #input: AttentionInput;
  readonly #settings: LessonSettings;
  readonly #targets: Tensor;
  #training: TrainingState;

  constructor(input: AttentionInput, settings: LessonSettings) {
    this.#input = input;
    this.#settings = settings;
    this.#targets = targetsOf(input, settings.validLens);
    this.#training = this.#begin();
  }

  /** After so many steps, the same whatever was asked before. */
  after(steps: number): TrainedLayer {
    if (steps < this.#training.losses.length - 1) {
      this.dispose();
      this.#training = this.#begin();
    }
    const { layer, optimizer, losses } = this.#training;
    while (losses.length <= steps) {
      optimizer.step();
      losses.push(this.#lossOf(layer, optimizer));
    }
    const [first = NaN] = losses;
    return { parameters: layer.stateDict(), losses: { first, now: losses[steps] ?? NaN } };
  }

  /** Gives the layer's memory back. */
  dispose(): void {
    this.#training.optimizer.dispose();
    this.#training.layer.dispose();
  }

  #begin(): TrainingState {
    const { heads, seed } = this.#settings;
    const layer = new MultiHeadAttention({ numHiddens, numHeads: heads, seed });
    const optimizer = new Adam(layer, { learningRate });
    return { layer, optimizer, losses: [this.#lossOf(layer, optimizer)] };
  }

  /** Mean squared error; its gradients are in the layer then. */
  #lossOf(layer: MultiHeadAttention, optimizer: Adam): number {
    const { queries, keys, values } = this.#input;
    const { validLens } = this.#settings;
    const { output } = layer.forward(queries, keys, values, { validLens, requiresGrad: true });
    const { length } = output.data;
    const errors = output.data.map((value, i) => value - (this.#targets.data[i] ?? NaN));
    const gradient = errors.map((error) => (2 * error) / length);
    optimizer.zeroGradients();
    layer.backward(new Tensor(gradient, output.shape));
    return sum(errors, (error) => error ** 2) / length;
  }
}

/** The answer to each query: (batch, queries, size). */
function targetsOf({ queries, values }: AttentionInput, validLens: readonly number[]): Tensor {
  const [batch = 0, numQueries = 0] = queries.shape;
  const [, numKeys = 0, size = 0] = values.shape;
  const targets = Tensor.zeros([batch, numQueries, size]);
  for (let sample = 0; sample < batch; sample += 1) {
    for (let query = 0; query < numQueries; query += 1) {
      const key = sample * numKeys + (query % (validLens[sample] ?? numKeys));
      const row = values.data.subarray(key * size, (key + 1) * size);
      targets.data.set(row, (sample * numQueries + query) * size);
    }
  }
  return targets;
}
