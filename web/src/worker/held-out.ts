import { mean, range } from 'd3-array';
import {
  type HeadImportanceOptions,
  type HeadMeasure,
  measureHeadImportance,
  type Tokens,
  type Transformer,
} from 'headwise/models';

/** Tokens of a pass: few, so that other requests to the worker wait less than a tenth of a second. */
const windowLength = 64;
/** Passes over each half of the text. */
const maxWindows = 16;

interface Window {
  readonly tokens: Tokens;
  /** The next tokens. */
  readonly targets: Tokens;
}

/**
 * Text that the model was not trained on. One half ranks heads, the other gives the loss, so that no order is judged on
 * the text that it comes from.
 */
export class HeldOut {
  readonly #model: Transformer;
  readonly #ranking: readonly Window[];
  readonly #testing: readonly Window[];

  /** @param ids the text's tokens */
  constructor(model: Transformer, ids: readonly number[]) {
    this.#model = model;
    const length = Math.min(windowLength, model.maxLength);
    const count = Math.min(2 * maxWindows, Math.floor((ids.length - 1) / length));
    const tokensAt = (from: number): Tokens => ({
      data: Int32Array.from(ids.slice(from, from + length)),
      shape: [length],
    });
    const windows = range(count).map((i) => ({
      tokens: tokensAt(i * length),
      targets: tokensAt(i * length + 1),
    }));
    this.#ranking = windows.filter((_, i) => i % 2 === 0);
    this.#testing = windows.filter((_, i) => i % 2 === 1);
  }

  /** Importance of each head: of each layer, a number for each head. Rejects with the signal's reason. */
  measure(
    measure: HeadMeasure,
    options: Pick<HeadImportanceOptions, 'onProgress' | 'signal'>,
  ): Promise<number[][]> {
    return measureHeadImportance(this.#model, {
      ...options,
      ...{ measure, batches: this.#ranking },
    });
  }

  /** Mean loss, in nats per token, with these gates. Other work goes on between passes. */
  async loss(gates: readonly (readonly number[])[]): Promise<number> {
    const headGates = gates.map((ofLayer) => Float32Array.from(ofLayer));
    const losses: number[] = [];
    for (const { tokens, targets } of this.#testing) {
      losses.push(this.#model.loss(tokens, targets, { headGates }));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return mean(losses) ?? NaN;
  }
}
