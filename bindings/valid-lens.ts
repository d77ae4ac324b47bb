import { toLengths, type Numbers, type NumericArray, type TensorLike } from './arrays.js';
import { fail, show, showShape } from './errors.js';

/**
 * How many keys, counted from the first, may be attended to: (batch,) for all queries of a sample or (batch, queries)
 * for each query. Integers from 0 to the number of keys, as numbers or BigInts. Source: d2l, `masked_softmax`.
 */
export type ValidLens =
  | readonly number[]
  | readonly bigint[]
  | readonly (readonly number[] | readonly bigint[])[]
  | NumericArray
  | BigInt64Array
  | BigUint64Array
  | TensorLike<
      NumericArray | BigInt64Array | BigUint64Array | readonly number[] | readonly bigint[]
    >;

/** Valid lengths as the core takes them: rank 0 stands for none. */
export interface CheckedValidLens {
  readonly rank: 0 | 1 | 2;
  readonly lengths: Int32Array;
}

const none: CheckedValidLens = { rank: 0, lengths: new Int32Array(0) };

export function readValidLens(value: unknown): Numbers<Float64Array> {
  return toLengths('validLens', value);
}

export function checkValidLens(
  given: Numbers<Float64Array> | undefined,
  batch: number,
  numQueries: number,
  numKeys: number,
): CheckedValidLens {
  if (given === undefined) {
    return none;
  }
  const { data, shape } = given;
  const bySample = [batch];
  const byQuery = [batch, numQueries];
  const expected = shape.length === 1 ? bySample : byQuery;
  if (shape.length !== expected.length || !shape.every((size, i) => size === expected[i])) {
    const either = `${showShape(bySample)} or ${showShape(byQuery)}`;
    fail('invalid-shape', 'validLens', either, showShape(shape));
  }
  // They are kept in 32 bits.
  const most = Math.min(numKeys, 2147483647);
  for (const length of data) {
    if (!Number.isInteger(length) || length < 0 || length > most) {
      fail('invalid-value', 'validLens', `integers from 0 to ${most}`, show(length));
    }
  }
  return { rank: shape.length as 1 | 2, lengths: new Int32Array(data) };
}
