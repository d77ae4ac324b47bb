import { fail, showShape } from '../runtime/errors.js';

/** One axis of an expected shape: a size, or a name if any size fits. */
export type Axis = number | string;

export function fits(shape: readonly number[], expected: readonly Axis[]): boolean {
  return (
    shape.length === expected.length &&
    expected.every((axis, i) => typeof axis === 'string' || axis === shape[i])
  );
}

/** Checks a shape. Returns it as a tuple of sizes. */
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

export function sizeOf(shape: readonly number[]): number {
  // The product of the other axes may be infinite, and 0 · ∞ is NaN.
  return shape.includes(0) ? 0 : shape.reduce((product, size) => product * size, 1);
}

/** Fails for shapes that no file can have. `size` is the bytes of one number. */
export function checkFileShape(argument: string, shape: readonly number[], size = 4): void {
  for (const axis of shape) {
    if (axis >= 2 ** 32) {
      fail('invalid-shape', argument, 'axes of less than 2^32', String(axis));
    }
  }
  // Readers multiply the other axes even if one is 0.
  if (shape.reduce((bytes, axis) => bytes * Math.max(axis, 1), size) >= 2 ** 63) {
    fail('invalid-shape', argument, 'a shape of less than 2^63 bytes', showShape(shape));
  }
}
