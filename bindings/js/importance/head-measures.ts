import { fail, show } from '../runtime/errors.js';
import { checkSignal, nextTurn, now } from '../runtime/event-loop.js';
import { checkBoolean, checkWord } from '../runtime/options.js';

/**
 * The measure of a head's importance:
 *
 * - `gradient`: mean over samples of |∂loss/∂ξ| at gate ξ = 1. Source: Michel et al. 2019
 * - `ablation`: mean over samples of the loss with gate 0 minus that with gate 1
 * - `confidence`: mean over queries of the largest weight, except on extra slots and ignored keys. Source: Voita et al.
 *   2019
 * - `entropy`: mean over queries of the entropy of the weights, in nats; 0 for a head that attends to a single key
 */
export type HeadMeasure = 'gradient' | 'ablation' | 'confidence' | 'entropy';

export const headMeasures = [
  'gradient',
  'ablation',
  'confidence',
  'entropy',
] as const satisfies readonly HeadMeasure[];

export interface HeadImportanceOptions {
  /** Default: `'gradient'`. */
  measure?: HeadMeasure | undefined;
  /**
   * Whether to divide each layer's importance by its ℓ2 norm. Only for gradients. Default: no. Source: Michel et al.
   * 2019.
   */
  normalize?: boolean | undefined;
  /**
   * Called after each pass with the passes done and their total. For each batch, ablation makes one pass with all heads
   * and one without each head; the other measures make one pass.
   */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
  /** Checked before each pass. If it is aborted, the promise is rejected with its reason, as in `fetch`. */
  signal?: AbortSignal | undefined;
}

export const importanceOptionNames = ['measure', 'normalize', 'onProgress', 'signal'] as const;

/** Something with heads that runs batches, such as a layer or a model. */
export interface MeasuredHeads {
  /** Number of heads of each layer. */
  readonly numHeads: readonly number[];
  /** Weight of each batch in means over samples. */
  readonly counts: readonly number[];
  /** Sum of the samples' losses, with gates (heads,) for each layer. */
  loss(batch: number, gates: readonly Float32Array[]): number;
  /** ∂loss/∂gate at gates of 1: (samples, heads) for each layer. */
  gateGradients(batch: number): readonly Float32Array[];
  /** For each head of each layer, a sum over queries, and the number of these queries. */
  sums(batch: number, measure: 'confidence' | 'entropy'): readonly (readonly Float64Array[])[];
}

export interface ReadImportance {
  readonly measure: HeadMeasure;
  readonly normalize: boolean;
  readonly onProgress: HeadImportanceOptions['onProgress'];
  /** Throws the signal's reason if it is aborted. */
  readonly throwIfAborted: () => void;
}

export function readImportance(given: HeadImportanceOptions): ReadImportance {
  const { onProgress, signal } = given;
  const measure = checkWord('measure', given.measure, headMeasures);
  const normalize = checkBoolean('normalize', given.normalize, false);
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    fail('invalid-type', 'onProgress', 'a function', show(onProgress));
  }
  return {
    measure,
    normalize,
    onProgress,
    throwIfAborted: checkSignal(signal),
  };
}

/** Adds a sum, and the number of its terms, to a head's mean. */
type Add = (layer: number, head: number, sum: number, count: number) => void;

// Each of these functions makes one pass between two yields.

function* addGradients(heads: MeasuredHeads, batch: number, add: Add): Generator<void> {
  const count = heads.counts[batch] ?? 0;
  heads.gateGradients(batch).forEach((gradients, layer) => {
    const numHeads = heads.numHeads[layer] ?? 0;
    for (let head = 0; head < numHeads; head++) {
      add(layer, head, 0, count);
    }
    // Absolute values, because opposite signs must not cancel.
    gradients.forEach((gradient, i) => {
      add(layer, i % numHeads, Math.abs(gradient), 0);
    });
  });
  yield;
}

function* addAblations(heads: MeasuredHeads, batch: number, add: Add): Generator<void> {
  const gates = heads.numHeads.map((count) => new Float32Array(count).fill(1));
  const withAll = heads.loss(batch, gates);
  yield;
  for (const [layer, gate] of gates.entries()) {
    for (let head = 0; head < gate.length; head++) {
      gate[head] = 0;
      add(layer, head, heads.loss(batch, gates) - withAll, heads.counts[batch] ?? 0);
      gate[head] = 1;
      yield;
    }
  }
}

const addSums = (measure: 'confidence' | 'entropy') =>
  function* (heads: MeasuredHeads, batch: number, add: Add): Generator<void> {
    heads.sums(batch, measure).forEach((layerSums, layer) => {
      layerSums.forEach(([sum = NaN, count = 0], head) => {
        add(layer, head, sum, count);
      });
    });
    yield;
  };

const measures = {
  gradient: addGradients,
  ablation: addAblations,
  confidence: addSums('confidence'),
  entropy: addSums('entropy'),
};

/** Milliseconds of work before yielding to the event loop. */
const slice = 12;

const divided = (sum: number, by: number): number => (by === 0 ? 0 : sum / by);

/** The importance of each layer's heads. Heads without samples get 0. */
export async function measureHeads(
  heads: MeasuredHeads,
  { measure, normalize, onProgress, throwIfAborted }: ReadImportance,
): Promise<number[][]> {
  const means = heads.numHeads.map((count) =>
    Array.from({ length: count }, () => ({ sum: 0, count: 0 })),
  );
  const add: Add = (layer, head, sum, count) => {
    const mean = means[layer][head];
    mean.sum += sum;
    mean.count += count;
  };
  const passes = measure === 'ablation' ? 1 + means.flat().length : 1;
  const total = passes * heads.counts.length;
  let done = 0;
  let began = now();
  for (const batch of heads.counts.keys()) {
    const steps = measures[measure](heads, batch, add);
    for (let pass = 0; pass < passes; pass++) {
      throwIfAborted();
      steps.next();
      done++;
      onProgress?.({ done, total });
      if (now() - began > slice) {
        await nextTurn();
        began = now();
      }
    }
  }
  throwIfAborted();
  return means.map((layer) => {
    const numbers = layer.map(({ sum, count }) => divided(sum, count));
    const norm = normalize ? Math.hypot(...numbers) : 1;
    return numbers.map((number) => divided(number, norm));
  });
}
