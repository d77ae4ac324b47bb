import { fail } from '../runtime/errors.js';
import { largestInteger } from '../runtime/options.js';
import { checkIntegers, type Numbers } from '../tensor/arrays.js';
import { checkOneOf } from '../tensor/shapes.js';
import type { LayerSettings } from './layer-options.js';

/** Positions in the core's layout, and their stride by sample. */
export interface CheckedPositions {
  readonly positions: Int32Array;
  readonly sampleStride: number;
}

export function checkPositions(
  given: Numbers<Float64Array> | undefined,
  { rotary }: LayerSettings,
  batch: number,
  numQueries: number,
  /** Undefined if no keys are given. */
  numNewKeys: number | undefined,
): CheckedPositions {
  if (given === undefined) {
    return { positions: new Int32Array(), sampleStride: 0 };
  }
  if (rotary === undefined) {
    fail('invalid-option', 'positions', 'a layer with rotary positions', 'one without');
  }
  const { data, shape } = given;
  checkOneOf('positions', shape, [numQueries], [batch, numQueries]);
  if (numNewKeys !== undefined && numNewKeys !== numQueries) {
    const keys = `as many keys as queries (${numQueries}) beside them`;
    fail('invalid-shape', 'positions', keys, `${numNewKeys}`);
  }
  checkIntegers('positions', data, 0, largestInteger);
  return { positions: new Int32Array(data), sampleStride: shape.length === 2 ? numQueries : 0 };
}
