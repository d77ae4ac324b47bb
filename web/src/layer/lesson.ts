import { Adam, MultiHeadAttention, Tensor, type StateDict } from 'headwise';

import type { AttentionInput } from '../inputs/attention-input.js';
import { numHiddens } from '../inputs/chapter.js';
import type { LayerSettings } from './with-layer.js';

export interface Taught {
  readonly parameters: StateDict;
  /** Mean squared error, before the first step and now. */
  readonly losses: { readonly first: number; readonly now: number };
}

const learningRate = 0.002;

/**
 * A layer that learns its one input by heart: query 1 is to give back what it reads at key 1, query 2
 * at key 2, and so on, beginning again after the last valid key. Where to look it is not told.
 */
export class Lesson {
  readonly #input: AttentionInput;
  readonly #settings: LayerSettings;
  readonly #targets: Tensor;
  #layer!: MultiHeadAttention;
  #optimizer!: Adam;
  #losses: number[] = [];
  #step = 0;

  constructor(input: AttentionInput, settings: LayerSettings) {
    this.#input = input;
    this.#settings = settings;
    this.#targets = targetsOf(input, settings.validLens);
    this.#begin();
  }

  /** After so many steps, the same whatever was asked before. */
  after(steps: number): Taught {
    if (steps < this.#step) {
      this.dispose();
      this.#begin();
    }
    while (this.#step < steps) this.#learn();
    const [first = NaN] = this.#losses;
    return {
      parameters: this.#layer.stateDict(),
      losses: { first, now: this.#losses[steps] ?? NaN },
    };
  }

  /** Gives the layer's memory back. */
  dispose(): void {
    this.#optimizer.dispose();
    this.#layer.dispose();
  }

  #begin(): void {
    const { heads, seed } = this.#settings;
    this.#layer = new MultiHeadAttention({ numHiddens, numHeads: heads, seed });
    this.#optimizer = new Adam(this.#layer, { learningRate });
    this.#step = 0;
    this.#losses = [this.#pass()];
  }

  #learn(): void {
    this.#optimizer.step();
    this.#step += 1;
    this.#losses.push(this.#pass());
  }

  /** The loss; its gradients are in the layer then. */
  #pass(): number {
    const { queries, keys, values } = this.#input;
    const { validLens } = this.#settings;
    const { output } = this.#layer.forward(queries, keys, values, {
      validLens,
      requiresGrad: true,
    });
    const { length } = output.data;
    const errors = output.data.map((value, i) => value - (this.#targets.data[i] ?? NaN));
    this.#optimizer.zeroGradients();
    this.#layer.backward(
      new Tensor(
        errors.map((error) => (2 * error) / length),
        output.shape,
      ),
    );
    return errors.reduce((sum, error) => sum + error * error, 0) / length;
  }
}

/** What each query is to give back: (batch, queries, size). */
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
