import { maxIndex, range, sum } from 'd3-array';
import type { StateDict, Tensor } from 'headwise';
import type { Transformer } from 'headwise/models';

/**
 * The numbers of one attention layer on one text, without batch axis:
 * - `X` (tokens, hiddens): the input, after the norm before it
 * - `W_q`, `W_k`, `W_v` (heads · d, hiddens), `W_o` (hiddens, heads · d)
 * - `queries`, `keys`, `values` (tokens, heads · d): projections of X
 * - `q`, `k`, `v`, `pooled` (heads, tokens, d)
 * - `masked`, `weights` (heads, tokens, tokens): scores, −∞ at masked keys, and their softmax
 * - `concat` (tokens, heads · d), `output` (tokens, hiddens)
 */
export type InsideArrays = Readonly<Record<ArrayName, Float32Array>>;
type ArrayName =
  | ('X' | 'W_q' | 'W_k' | 'W_v' | 'W_o' | 'queries' | 'keys' | 'values' | 'q' | 'k' | 'v')
  | ('masked' | 'weights' | 'pooled' | 'concat' | 'output');

/** One attention layer at work on one text. */
export interface Inside {
  /** With the spaces before them. */
  readonly tokens: readonly string[];
  readonly numHeads: number;
  /** Smaller than `numHeads` where heads share keys and values. */
  readonly numKvHeads: number;
  /** The factor of q · k: usually 1/√d. */
  readonly scale: number;
  /** Whether q and k are rotated by position after the projection. */
  readonly isRotated: boolean;
  readonly biases: { readonly qkv: boolean; readonly output: boolean };
  readonly arrays: InsideArrays;
}

/** Of a pass of a layer: its parameters and what was captured. All tensors may have a batch axis of 1. */
interface LayerPass {
  readonly parameters: StateDict;
  readonly X: Float32Array;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly captured: Readonly<
    Record<'queries' | 'keys' | 'values' | 'scores' | 'pooled' | 'weights' | 'output', Tensor>
  >;
}

/** @param tokens of the text, as many as X has rows */
export function insideOfLayer(tokens: readonly string[], pass: LayerPass): Inside {
  const { parameters, X, numHeads, numKvHeads, captured } = pass;
  const length = tokens.length;
  const read = (name: string): Tensor | undefined => (parameters as Partial<StateDict>)[name];
  const weight = (name: string): Float32Array => read(`${name}.weight`)?.data ?? new Float32Array();
  const projection = (name: string) =>
    project(X, length, weight(name), read(`${name}.bias`)?.data ?? new Float32Array());
  const [q, k, v, scores] = [
    ...[captured.queries.data, captured.keys.data, captured.values.data, captured.scores.data],
  ];
  const queries = projection('W_q');
  const isRotated = distance(queries, merge(q, numHeads, length)) > tolerance;
  return {
    tokens,
    numHeads,
    numKvHeads,
    scale: scaleOf(q, k, scores, { numHeads, length }),
    isRotated,
    biases: { qkv: read('W_q.bias') !== undefined, output: read('W_o.bias') !== undefined },
    arrays: {
      X,
      W_q: weight('W_q'),
      W_k: weight('W_k'),
      W_v: weight('W_v'),
      W_o: weight('W_o'),
      queries,
      keys: projection('W_k'),
      values: merge(v, numKvHeads, length),
      q,
      k,
      v,
      masked: scores,
      weights: captured.weights.data,
      pooled: captured.pooled.data,
      concat: merge(captured.pooled.data, numHeads, length),
      output: captured.output.data,
    },
  };
}

const captureNames = ['residPre', 'queries', 'keys', 'values', 'scores', 'z', 'attnOut'] as const;

/**
 * One layer of a model.
 *
 * @param layer from 0
 * @returns undefined if no norm that this function knows gives the layer's input
 */
export function insideOfModel(
  model: Transformer,
  ids: readonly number[],
  tokens: readonly string[],
  layer: number,
): Inside | undefined {
  const { captured, attentionWeights } = model.forward(
    { data: Int32Array.from(ids), shape: [ids.length] },
    { capture: captureNames, captureLayers: [layer], returnWeights: true },
  );
  const of = (name: (typeof captureNames)[number]): Tensor => only(captured[name]);
  const weights = only(attentionWeights.slice(layer, layer + 1));
  const attention = model.attention(layer);
  const parameters = attention.stateDict();
  const { numHeads } = attention;
  const [numKvHeads = numHeads] = of('keys').shape;
  const values = merge(of('values').data, numKvHeads, ids.length);
  const X = inputOf(model, layer, of('residPre'), values, parameters);
  return (
    X &&
    insideOfLayer(tokens, {
      ...{ parameters, X, numHeads, numKvHeads },
      captured: {
        ...{ queries: of('queries'), keys: of('keys'), values: of('values'), scores: of('scores') },
        ...{ pooled: of('z'), weights, output: of('attnOut') },
      },
    })
  );
}

function only(tensors: readonly (Tensor | undefined)[]): Tensor {
  const [tensor] = tensors;
  if (tensor === undefined) throw new Error('the model has no such layer');
  return tensor;
}

/** Relative to the largest number. */
const tolerance = 1e-3;

/** Of the norms before attention layers. A state dict copies all parameters of a model, so it is read once. */
const norms = new WeakMap<Transformer, Map<string, Float32Array>>();

function normsOf(model: Transformer): Map<string, Float32Array> {
  const known = norms.get(model);
  if (known !== undefined) return known;
  const own = new Map(
    Object.entries(model.stateDict()).flatMap(([name, { data }]): [string, Float32Array][] =>
      /^layers\.\d+\.norm\./.test(name) ? [[name, data.slice()]] : [],
    ),
  );
  norms.set(model, own);
  return own;
}

/**
 * The input of a layer's attention. The package does not say which norm a model has and with which epsilon, so this tries
 * them: the right one is the one from which W_v makes the layer's values.
 */
function inputOf(
  model: Transformer,
  layer: number,
  { data: stream, shape }: Tensor,
  values: Float32Array,
  parameters: Partial<StateDict>,
): Float32Array | undefined {
  const [size = 0, length = 0] = [...shape].reverse();
  const gain = normsOf(model).get(`layers.${layer}.norm.weight`);
  const shift = normsOf(model).get(`layers.${layer}.norm.bias`);
  const normalize = (isCentred: boolean, epsilon: number): Float32Array => {
    const result = new Float32Array(stream.length);
    for (const row of range(length)) {
      const numbers = stream.subarray(row * size, (row + 1) * size);
      const mean = isCentred ? sum(numbers) / size : 0;
      const scale = 1 / Math.sqrt(sum(numbers, (each) => (each - mean) ** 2) / size + epsilon);
      numbers.forEach((each, at) => {
        result[row * size + at] = (each - mean) * scale * (gain?.[at] ?? 1) + (shift?.[at] ?? 0);
      });
    }
    return result;
  };
  const epsilons = [1e-5, 1e-6, 1e-12, 1e-8];
  const candidates = [
    () => stream,
    ...[false, true].flatMap((isCentred) =>
      epsilons.map((epsilon) => () => normalize(isCentred, epsilon)),
    ),
  ];
  const weight = parameters['W_v.weight']?.data ?? new Float32Array();
  const bias = parameters['W_v.bias']?.data ?? new Float32Array();
  let best: { readonly X: Float32Array; readonly error: number } | undefined;
  for (const candidate of candidates) {
    const X = candidate();
    const error = distance(project(X, length, weight, bias), values);
    if (error < (best?.error ?? tolerance)) best = { X, error };
  }
  return best?.X;
}

/** X Wᵀ + b, from X (length, in), W (out, in) and b (out,) or nothing to (length, out). */
function project(
  X: Float32Array,
  length: number,
  weight: Float32Array,
  bias: Float32Array,
): Float32Array {
  const size = X.length / length;
  const outSize = weight.length / size;
  const result = new Float32Array(length * outSize);
  for (let row = 0; row < length; row++) {
    for (let out = 0; out < outSize; out++) {
      let total = bias[out] ?? 0;
      for (let at = 0; at < size; at++) {
        total += (X[row * size + at] ?? NaN) * (weight[out * size + at] ?? NaN);
      }
      result[row * outSize + out] = total;
    }
  }
  return result;
}

/** (heads, length, d) → (length, heads · d) */
function merge(split: Float32Array, numHeads: number, length: number): Float32Array {
  const size = split.length / numHeads / length;
  const merged = new Float32Array(split.length);
  for (const head of range(numHeads)) {
    for (const row of range(length)) {
      const start = (head * length + row) * size;
      merged.set(split.subarray(start, start + size), (row * numHeads + head) * size);
    }
  }
  return merged;
}

/** The largest difference, relative to the largest number of `b`. */
function distance(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Infinity;
  let [most, largest] = [0, 0];
  b.forEach((value, at) => {
    largest = Math.max(largest, Math.abs(value));
    most = Math.max(most, Math.abs(value - (a[at] ?? NaN)));
  });
  return most / (largest || 1);
}

/** A score of the last query of the first head divided by its dot product, where that is largest. */
function scaleOf(
  q: Float32Array,
  k: Float32Array,
  scores: Float32Array,
  { numHeads, length }: { readonly numHeads: number; readonly length: number },
): number {
  const size = q.length / numHeads / length;
  const usual = 1 / Math.sqrt(size);
  const [query, row] = [q.subarray((length - 1) * size, length * size), (length - 1) * length];
  const open = range(length).filter((key) => Number.isFinite(scores[row + key]));
  const dots = open.map((key) => sum(query, (value, unit) => value * k[key * size + unit]));
  const largest = maxIndex(dots, Math.abs);
  const scale = scores[row + open[largest]] / dots[largest];
  return Math.abs(scale / usual - 1) < tolerance ? usual : scale;
}
