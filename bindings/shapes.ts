import { fail, showShape } from './errors.js';

/** One axis of an expected shape: a size, or a word where any size will do. */
export type Axis = number | string;

export function fits(shape: readonly number[], expected: readonly Axis[]): boolean {
  return (
    shape.length === expected.length &&
    expected.every((axis, i) => typeof axis === 'string' || axis === shape[i])
  );
}

/** Checks a shape and returns it as a tuple of its sizes. */
export function checkShape<Expected extends readonly Axis[]>(
  argument: string,
  shape: readonly number[],
  expected: Expected,
): { [Index in keyof Expected]: number } {
  if (!fits(shape, expected)) {
    fail('invalid-shape', argument, showShape(expected), showShape(shape));
  }
  return shape as unknown as { [Index in keyof Expected]: number };
}
