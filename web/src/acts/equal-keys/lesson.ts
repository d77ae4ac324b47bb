import { sum } from 'd3-array';
import { Adam, MultiHeadAttention, type StateDict, Tensor } from 'headwise/models';

import { type AttentionInput, numHiddens } from '../../attention/input.js';
import type { LayerSettings } from '../../attention/attention-view.js';

export interface TrainedLayer {
  readonly parameters: StateDict;
  /** Mean squared error, before the first step and now. */
  readonly losses: { readonly first: number; readonly now: number };
}

const learningRate = 0.002;

/** A layer before the first step, or after one. */
interface Snapshot {
  readonly parameters: StateDict;
  readonly loss: number;
}

/**
 * A layer trained on a single input: its target for query 1 is the value at key 1, for query 2 that at
 * key 2, and so on, starting over after the last valid key.
 */
export class Lesson {
  readonly #input: AttentionInput;
  readonly #masks: Pick<LayerSettings, 'validLens' | 'causal'>;
  readonly #targets: Tensor;
  readonly #layer: MultiHeadAttention;
  readonly #optimizer: Adam;
  /** By steps: going back is no training. All of them take 8 MB. */
  readonly #snapshots: Snapshot[];

  constructor(input: AttentionInput, settings: LayerSettings) {
    this.#input = input;
    const { heads, seed, validLens, causal } = settings;
    this.#masks = { validLens, causal };
    this.#targets = targetsOf(input, validLens);
    this.#layer = new MultiHeadAttention({ numHiddens, numHeads: heads, seed });
    this.#optimizer = new Adam(this.#layer, { learningRate });
    this.#snapshots = [this.#snapshot()];
  }

  /** After so many steps, the same whatever was asked before. */
  after(steps: number): TrainedLayer {
    while (this.#snapshots.length <= steps) {
      this.#optimizer.step();
      this.#snapshots.push(this.#snapshot());
    }
    const [first] = this.#snapshots;
    const { parameters, loss } = this.#snapshots[steps];
    return { parameters, losses: { first: first.loss, now: loss } };
  }

  /** Gives the layer's memory back. */
  dispose(): void {
    this.#optimizer.dispose();
    this.#layer.dispose();
  }

  /** The gradients of its loss, the mean squared error, are in the layer then. */
  #snapshot(): Snapshot {
    const { queries, keys, values } = this.#input;
    const { output } = this.#layer.forward(queries, keys, values, {
      ...this.#masks,
      requiresGrad: true,
    });
    const { length } = output.data;
    const errors = output.data.map((value, i) => value - (this.#targets.data[i] ?? NaN));
    const gradient = errors.map((error) => (2 * error) / length);
    this.#optimizer.zeroGradients();
    this.#layer.backward(new Tensor(gradient, output.shape));
    const loss = sum(errors, (error) => error ** 2) / length;
    return { parameters: this.#layer.stateDict(), loss };
  }
}

/** The answer to each query: (batch, queries, size). */
function targetsOf({ queries, values }: AttentionInput, validLens: readonly number[]): Tensor {
  const [batch = 0, numQueries = 0] = queries.shape;
  const [, numKeys = 0, size = 0] = values.shape;
  const targets = Tensor.zeros([batch, numQueries, size]);
  for (let sample = 0; sample < batch; sample += 1) {
    for (let query = 0; query < numQueries; query += 1) {
      const key = sample * numKeys + (query % (validLens[sample] || numKeys));
      const row = values.data.subarray(key * size, (key + 1) * size);
      targets.data.set(row, (sample * numQueries + query) * size);
    }
  }
  return targets;
}
