import { show, showShape } from '../runtime/errors.js';
import {
  depthOf,
  type NumberLists,
  type NumbersLike,
  outOfRange,
  readTensor,
  type ShapedNumbers,
  wrongType,
} from './read.js';

/** Row-major weights with a shape: (heads, queries, keys), (batch, heads, queries, keys) or (queries, keys). */
export type AttentionWeights = ShapedNumbers;

/** Nested arrays of weights; the innermost may be typed arrays. */
export type NestedWeights = NumberLists;

/** The weights of one layer: a tensor, `{ data, dims }` of ONNX Runtime, or nested arrays. */
export type AttentionWeightsLike = NumbersLike;

/** A checked copy of one layer's weights. */
export interface Layer {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly data: Float32Array;
}

const shapes = '(queries, keys), (heads, queries, keys) or (batch, heads, queries, keys)';

function readLayer(argument: string, given: unknown): Layer {
  const { data, shape } = readTensor(argument, given, shapes, [2, 4]);
  const [batch = 0, heads = 0, queries = 0, keys = 0] = [1, 1, ...shape].slice(-4);
  const count = data.length;
  const copy = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const weight = data[i];
    if (typeof weight !== 'number') return wrongType(argument, 'numbers', show(weight));
    if (!(weight >= 0 && weight < Infinity)) {
      return outOfRange(argument, 'finite numbers from 0 on', String(weight));
    }
    copy[i] = weight;
  }
  return { batch, heads, queries, keys, data: copy };
}

/** Reads one layer, or a list of layers of the same sentence. Throws TypeError or RangeError. */
export function readLayers(given: unknown): readonly Layer[] {
  // Nested arrays up to a depth of four are one layer.
  const depth = depthOf(given);
  const isOne = !Array.isArray(given) || (depth > 1 && depth < 5);
  if (isOne) return [readLayer('weights', given)];
  const layers = given.map((each, i) => readLayer(`weights[${i}]`, each));
  const first = layers.at(0);
  if (first === undefined) return outOfRange('weights', 'at least one layer', 'none');
  const { batch, queries, keys } = first;
  layers.forEach((layer, i) => {
    if (layer.batch === batch && layer.queries === queries && layer.keys === keys) return;
    const got = [layer.batch, layer.heads, layer.queries, layer.keys];
    outOfRange(`weights[${i}]`, showShape([batch, 'heads', queries, keys]), showShape(got));
  });
  return layers;
}

/** The weights of one sample in one layer. */
export interface HeadWeights {
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly at: (head: number, query: number, key: number) => number;
  /** (queries, keys) of one head. */
  readonly ofHead: (head: number) => Float32Array;
}

const known = new WeakMap<Layer, Map<string, HeadWeights>>();

/** The mean of the heads of a sample, (1, queries, keys). */
function meanOf({ heads, queries, keys, data }: Layer, sample: number): Float32Array {
  const size = queries * keys;
  const sum = new Float32Array(size);
  for (let head = 0; head < heads; head++) {
    const first = (sample * heads + head) * size;
    for (let i = 0; i < size; i++) sum[i] = (sum[i] ?? 0) + (data[first + i] ?? 0) / heads;
  }
  return sum;
}

/**
 * The weights of a sample, or the mean of its heads as a single head. Returns the same object for the same arguments,
 * so that drawings of it can be reused.
 */
export function weightsOf(layer: Layer, sample: number, isMean: boolean): HeadWeights {
  const { batch, queries, keys } = layer;
  const at = Math.min(sample, batch - 1);
  const samples = known.get(layer) ?? new Map<string, HeadWeights>();
  known.set(layer, samples);
  const name = `${at} ${isMean}`;
  const before = samples.get(name);
  if (before !== undefined) return before;
  const size = queries * keys;
  const heads = isMean ? 1 : layer.heads;
  const data = isMean
    ? meanOf(layer, at)
    : layer.data.subarray(at * heads * size, (at + 1) * heads * size);
  const weights: HeadWeights = {
    heads,
    queries,
    keys,
    at: (head, query, key) => data[(head * queries + query) * keys + key] ?? 0,
    ofHead: (head) => data.subarray(head * size, (head + 1) * size),
  };
  samples.set(name, weights);
  return weights;
}
