// Reads what properties are set to. Throws TypeError or RangeError.
import { show, showShape } from '../runtime/errors.js';

/** Row-major numbers with a shape, such as a headwise `Tensor`. */
export interface ShapedNumbers {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
}

/** Nested arrays of numbers; the innermost may be typed arrays. */
export type NumberLists = ArrayLike<number> | readonly NumberLists[];

/** A tensor, `{ data, dims }` of ONNX Runtime, or nested arrays. */
export type NumbersLike =
  | ShapedNumbers
  | { readonly data: ArrayLike<number>; readonly dims: readonly number[] }
  | NumberLists;

/** Throws `argument: expected …, got …`, in the style of all headwise errors. */
export const wrongType = (argument: string, expected: string, got: string): never => {
  throw new TypeError(`${argument}: expected ${expected}, got ${got}`);
};
export const outOfRange = (argument: string, expected: string, got: string): never => {
  throw new RangeError(`${argument}: expected ${expected}, got ${got}`);
};

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** Whether it is an array or a typed array, but not a string. */
export const isList = (value: unknown): value is ArrayLike<unknown> =>
  isObject(value) && 'length' in value && typeof value.length === 'number';

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

/** Depth of nested arrays, by their first elements. */
export const depthOf = (given: unknown): number => (isList(given) ? 1 + depthOf(given[0]) : 0);

/** Flattens nested arrays and returns the numbers with their shape. */
function flatten(argument: string, given: unknown, depth: number): ShapedNumbers {
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

function toTensor(argument: string, given: unknown): { data: unknown; shape: unknown } {
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

/**
 * The data and the shape of numbers, which are not checked yet.
 * @param shapes the allowed shapes, for the error
 * @param axes the least and the largest number of axes
 */
export function readTensor(
  argument: string,
  given: unknown,
  shapes: string,
  [fewest, most]: readonly [number, number],
): { readonly data: ArrayLike<unknown>; readonly shape: readonly number[] } {
  const { data, shape } = toTensor(argument, given);
  if (!Array.isArray(shape)) return wrongType(`${argument}.shape`, 'an array', show(shape));
  if (!isList(data)) return wrongType(`${argument}.data`, 'numbers', show(data));
  const sizes: unknown[] = shape;
  if (sizes.length < fewest || sizes.length > most || !sizes.every(isSize)) {
    return outOfRange(argument, shapes, showShape(shape as number[]));
  }
  const count = sizes.reduce((product, size) => product * size, 1);
  if (data.length !== count) {
    const expected = `${count} numbers for shape ${showShape(sizes)}`;
    return outOfRange(argument, expected, String(data.length));
  }
  return { data, shape: sizes };
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
