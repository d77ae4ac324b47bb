import { show, showShape } from '../runtime/errors.js';

/** Weights as numbers with a shape, row-major; a headwise `Tensor` is one. */
export interface AttentionWeights {
  readonly data: ArrayLike<number>;
  /** (heads, queries, keys) or (batch, heads, queries, keys) */
  readonly shape: readonly number[];
}

/** One layer, checked and copied. */
export interface Layer {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly data: Float32Array;
}

const shapes = '(heads, queries, keys) or (batch, heads, queries, keys)';

/** Throws `argument: expected …, got …`, as all of headwise words it. */
const wrongType = (argument: string, expected: string, got: string): never => {
  throw new TypeError(`${argument}: expected ${expected}, got ${got}`);
};
export const outOfRange = (argument: string, expected: string, got: string): never => {
  throw new RangeError(`${argument}: expected ${expected}, got ${got}`);
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An array or a typed array, but no text. */
const isList = (value: unknown): value is ArrayLike<unknown> =>
  isObject(value) && 'length' in value && typeof value.length === 'number';

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

function readLayer(argument: string, given: unknown): Layer {
  if (!isObject(given) || !('data' in given) || !('shape' in given)) {
    return wrongType(argument, 'a tensor or { data, shape }', show(given));
  }
  const { data, shape } = given;
  if (!Array.isArray(shape)) return wrongType(`${argument}.shape`, 'an array', show(shape));
  if (!isList(data)) return wrongType(`${argument}.data`, 'numbers', show(data));
  const sizes: unknown[] = shape.length === 3 ? [1, ...(shape as unknown[])] : shape;
  if (sizes.length !== 4 || !sizes.every(isSize)) {
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

/** One layer or a list of them, all of one sentence, as layers; throws TypeError or RangeError. */
export function readLayers(given: unknown): readonly Layer[] {
  if (!Array.isArray(given)) return [readLayer('weights', given)];
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
  /** (queries, keys) of one head */
  readonly ofHead: (head: number) => Float32Array;
}

const known = new WeakMap<Layer, Map<number, HeadWeights>>();

/** The same object for the same layer and sample, so that what was drawn of it need not be drawn again. */
export function weightsOf(layer: Layer, sample: number): HeadWeights {
  const { batch, heads, queries, keys, data } = layer;
  const at = Math.min(sample, batch - 1);
  const samples = known.get(layer) ?? new Map<number, HeadWeights>();
  known.set(layer, samples);
  const before = samples.get(at);
  if (before !== undefined) return before;
  const first = at * heads;
  const weights: HeadWeights = {
    heads,
    queries,
    keys,
    at: (head, query, key) => data[((first + head) * queries + query) * keys + key] ?? 0,
    ofHead: (head) =>
      data.subarray((first + head) * queries * keys, (first + head + 1) * queries * keys),
  };
  samples.set(at, weights);
  return weights;
}
