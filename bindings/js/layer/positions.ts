import { fail, show, showShape } from '../runtime/errors.js';
import { toLengths, type Numbers } from '../tensor/arrays.js';
import type { LayerSettings } from './layer-options.js';

/** Positions as the core takes them, and the step from one sample's to the next one's. */
export interface CheckedPositions {
  readonly positions: Int32Array;
  readonly sampleStride: number;
}

export function readPositions(value: unknown): Numbers<Float64Array> | undefined {
  return value === undefined ? undefined : toLengths('positions', value);
}

const largest = 2147483647;

export function checkPositions(
  given: Numbers<Float64Array> | undefined,
  { rotary }: LayerSettings,
  batch: number,
  numQueries: number,
  /** Undefined where no keys are given. */
  numNewKeys: number | undefined,
): CheckedPositions {
  if (given === undefined) {
    return { positions: new Int32Array(), sampleStride: 0 };
  }
  if (rotary === undefined) {
    fail('invalid-option', 'positions', 'a layer with rotary positions', 'one without');
  }
  const { data, shape } = given;
  const bySample = [batch, numQueries];
  const expected = shape.length === 1 ? [numQueries] : bySample;
  if (shape.length !== expected.length || !shape.every((size, i) => size === expected[i])) {
    const either = `${showShape([numQueries])} or ${showShape(bySample)}`;
    fail('invalid-shape', 'positions', either, showShape(shape));
  }
  if (numNewKeys !== undefined && numNewKeys !== numQueries) {
    const keys = `as many keys as queries (${numQueries}) beside them`;
    fail('invalid-shape', 'positions', keys, `${numNewKeys}`);
  }
  for (const position of data) {
    if (!Number.isInteger(position) || position < 0 || position > largest) {
      fail('invalid-value', 'positions', `integers from 0 to ${largest}`, show(position));
    }
  }
  return { positions: new Int32Array(data), sampleStride: shape.length === 2 ? numQueries : 0 };
}
