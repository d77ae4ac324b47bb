import { max, mean, min, range, sum } from 'd3-array';
import { Adam, MultiHeadAttention, type StateDict, Tensor } from 'headwise/models';

import {
  attend,
  type AttentionInput,
  type AttentionView,
  entropyOf,
  type LayerSettings,
  numHiddens,
} from '../../attention/attention-view.js';
import { clearLead } from '../../worker/heads.js';
import { buildInput, plantedPatterns, targetOf } from './inputs.js';
import { type KeysState, validLenOf } from './state.js';

export interface Pass {
  readonly view: AttentionView;
  readonly summaries: readonly (HeadSummary | undefined)[];
  readonly difference: number;
  /** Of a trained layer: the mean squared error, before the first step and now. */
  readonly losses: { readonly first: number; readonly now: number } | undefined;
}

/** Computes a pass unless the last one was of the same layer and input. */
export function rememberPasses(): (state: KeysState) => Pass {
  let computedFor: readonly unknown[] = [];
  let last: Pass | undefined;
  let lesson: { readonly of: string; readonly lesson: Lesson } | undefined;

  return (state) => {
    const { seed, heads, causal, input: name, steps, numbers, file } = state;
    const settings = { seed, heads, causal, validLens: [validLenOf(state)] };
    const now = [JSON.stringify([settings, name, steps]), numbers, file];
    if (last !== undefined && now.every((value, at) => value === computedFor[at])) return last;
    const input = buildInput(state);
    const of = JSON.stringify([name, settings]);
    if (steps > 0 && lesson?.of !== of) {
      lesson?.lesson.dispose();
      lesson = { of, lesson: new Lesson(input, settings) };
    }
    const trained = steps > 0 ? lesson?.lesson.after(steps) : undefined;
    const view = attend(trained ? { ...input, parameters: trained.parameters } : input, settings);
    computedFor = now;
    last = {
      view,
      summaries: summariseHeads(view),
      difference: differenceOf(view),
      losses: trained?.losses,
    };
    return last;
  };
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
  after(steps: number) {
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

/** The answer to each query of the one sample: (1, queries, size). */
function targetsOf({ queries, values }: AttentionInput, validLens: readonly number[]): Tensor {
  const [, numQueries = 0] = queries.shape;
  const [, numKeys = 0, size = 0] = values.shape;
  const targets = Tensor.zeros([1, numQueries, size]);
  for (const query of range(numQueries)) {
    const key = query % (validLens[0] || numKeys);
    targets.data.set(values.data.subarray(key * size, (key + 1) * size), query * size);
  }
  return targets;
}

/**
 * What a head's weights look like. `even`: nearly uniform; `single`: no query sees more than one key; `mixed`: none of
 * the patterns.
 */
export type HeadPattern = (typeof plantedPatterns)[number] | 'single' | 'mixed';

/** What a head does, averaged over all queries that see a key. */
export interface HeadSummary {
  /** In nats. */
  readonly entropy: number;
  readonly largest: number;
  readonly pattern: HeadPattern;
  /** Mean weight on the key that the best-fitting pattern asks for. */
  readonly weight: number;
  /** Mean weight on the key three back. */
  readonly onCopy: number;
}

/** A head follows a pattern if this share of its weight does, with a clear lead. */
const clear = 0.5;
/** A head is even if no weight is larger than this many times an equal share. */
const nearlyEven = 1.25;

/** For each head of the sample; `undefined` where no query sees a key. */
export function summariseHeads(view: AttentionView): readonly (HeadSummary | undefined)[] {
  return range(view.numHeads).map((head) => {
    const rows = rowsOf(view, head);
    if (rows.length === 0) return undefined;
    const scores = plantedPatterns
      .map((pattern) => ({ pattern, weight: weightOn(view, head, pattern) }))
      .sort((one, other) => other.weight - one.weight);
    const [best, second] = scores;
    const isClear = best.weight > clear && best.weight - second.weight >= clearLead;
    return {
      entropy: mean(rows, entropyOf) ?? 0,
      largest: max(rows.flat()) ?? 0,
      pattern: withoutChoice(rows) ?? (isClear ? best.pattern : 'mixed'),
      weight: best.weight,
      onCopy: scores.find(({ pattern }) => pattern === 'copy')?.weight ?? 0,
    };
  });
}

/** The pattern of rows whose weights do not distinguish keys, if they do not. */
function withoutChoice(rows: readonly (readonly number[])[]): 'single' | 'even' | undefined {
  const free = rows.filter((row) => row.length > 1);
  if (free.length === 0) return 'single';
  const peak = max(free, (row) => row.length * (max(row) ?? 0)) ?? 0;
  return peak < nearlyEven ? 'even' : undefined;
}

/** Mean weight on the key that a pattern asks for, over the queries that see it; 0 if none does. */
function weightOn(
  { weights, isMasked }: AttentionView,
  head: number,
  pattern: (typeof plantedPatterns)[number],
): number {
  const [, , queries = 0, keys = 0] = weights.shape;
  // Patterns relate a token to others of its own sequence.
  if (queries !== keys) return 0;
  const found = range(queries).flatMap((query) => {
    const key = targetOf(pattern, query);
    if (key === undefined || isMasked(0, query, key)) return [];
    return [weights.at(0, head, query, key)];
  });
  return mean(found) ?? 0;
}

/** The weights of each query that sees a key, on the keys that it sees. */
function rowsOf({ weights, isMasked }: AttentionView, head: number): number[][] {
  const [, , queries = 0, keys = 0] = weights.shape;
  return range(queries)
    .map((query) =>
      range(keys)
        .filter((key) => !isMasked(0, query, key))
        .map((key) => weights.at(0, head, query, key)),
    )
    .filter((row) => row.length > 0);
}

/** The largest difference between two heads' weights at the same cell. */
export function differenceOf({ weights, numHeads }: AttentionView): number {
  const size = weights.data.length / numHeads;
  const spreads = range(size).map((cell) => {
    const ofHeads = range(numHeads).map((head) => weights.data[head * size + cell] ?? 0);
    return (max(ofHeads) ?? 0) - (min(ofHeads) ?? 0);
  });
  const largest = max(spreads) ?? 0;
  // Rounding errors are no difference.
  return largest < 1e-6 ? 0 : largest;
}
