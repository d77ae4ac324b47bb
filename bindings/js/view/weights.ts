import { show, showShape } from '../runtime/errors.js';

/** Row-major weights with a shape, such as a headwise `Tensor`. */
export interface AttentionWeights {
  readonly data: ArrayLike<number>;
  /** (heads, queries, keys) or (batch, heads, queries, keys). (queries, keys) is a single head. */
  readonly shape: readonly number[];
}

/** Nested arrays of numbers; the innermost may be typed arrays. */
export type NestedWeights = ArrayLike<number> | readonly NestedWeights[];

/** The weights of one layer: a tensor, `{ data, dims }` of ONNX Runtime, or nested arrays. */
export type AttentionWeightsLike =
  | AttentionWeights
  | { readonly data: ArrayLike<number>; readonly dims: readonly number[] }
  | NestedWeights;

/** A checked copy of one layer's weights. */
export interface Layer {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly data: Float32Array;
}

const shapes = '(queries, keys), (heads, queries, keys) or (batch, heads, queries, keys)';

/** Throws `argument: expected …, got …`, in the style of all headwise errors. */
const wrongType = (argument: string, expected: string, got: string): never => {
  throw new TypeError(`${argument}: expected ${expected}, got ${got}`);
};
export const outOfRange = (argument: string, expected: string, got: string): never => {
  throw new RangeError(`${argument}: expected ${expected}, got ${got}`);
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether it is an array or a typed array, but not a string. */
const isList = (value: unknown): value is ArrayLike<unknown> =>
  isObject(value) && 'length' in value && typeof value.length === 'number';

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

/** Depth of nested arrays, by their first elements. */
const depthOf = (given: unknown): number => (isList(given) ? 1 + depthOf(given[0]) : 0);

/** Flattens nested arrays and returns the numbers with their shape. */
function flatten(argument: string, given: unknown, depth: number): AttentionWeights {
  const shape: number[] = [];
  let level: unknown[] = [given];
  for (let axis = 0; axis < depth; axis++) {
    const { length } = level[0] as ArrayLike<unknown>;
    const isEven = level.every((each) => isList(each) && each.length === length);
    if (!isEven) return wrongType(argument, 'nested arrays of equal lengths', 'ragged ones');
    shape.push(length);
    level = (level as ArrayLike<unknown>[]).flatMap((each) => Array.from(each));
  }
  return { data: level as number[], shape };
}

function readTensor(argument: string, given: unknown): { data: unknown; shape: unknown } {
  if (Array.isArray(given)) return flatten(argument, given, depthOf(given));
  if (isObject(given) && 'data' in given) {
    if ('shape' in given) return given;
    if ('dims' in given) return { data: given.data, shape: given.dims };
  }
  return wrongType(
    argument,
    'a tensor, { data, shape }, { data, dims } or nested arrays',
    show(given),
  );
}

function readLayer(argument: string, given: unknown): Layer {
  const { data, shape } = readTensor(argument, given);
  if (!Array.isArray(shape)) return wrongType(`${argument}.shape`, 'an array', show(shape));
  if (!isList(data)) return wrongType(`${argument}.data`, 'numbers', show(data));
  const missing = 4 - shape.length;
  const sizes: unknown[] = missing > 0 ? [1, 1, ...(shape as unknown[])].slice(-4) : shape;
  if (missing > 2 || sizes.length !== 4 || !sizes.every(isSize)) {
    return outOfRange(argument, shapes, showShape(shape as number[]));
  }
  const [batch = 0, heads = 0, queries = 0, keys = 0] = sizes;
  const count = batch * heads * queries * keys;
  if (data.length !== count) {
    const expected = `${count} numbers for shape ${showShape(shape as number[])}`;
    return outOfRange(argument, expected, String(data.length));
  }
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

export function readTexts(argument: string, given: unknown): readonly string[] {
  if (!Array.isArray(given)) return wrongType(argument, 'an array of strings', show(given));
  return given.map((each: unknown) =>
    typeof each === 'string' ? each : wrongType(argument, 'strings', show(each)),
  );
}

export function readIndex(argument: string, given: unknown): number {
  if (typeof given !== 'number') return wrongType(argument, 'an integer from 0 on', show(given));
  if (Number.isInteger(given) && given >= 0) return given;
  return outOfRange(argument, 'an integer from 0 on', String(given));
}

export function readOneOf<Name extends string>(
  argument: string,
  names: readonly Name[],
  given: unknown,
): Name {
  const found = names.find((name) => name === given);
  return (
    found ??
    wrongType(argument, names.map((name) => JSON.stringify(name)).join(' or '), show(given))
  );
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
