import { fail, showShape } from '../runtime/errors.js';
import { checkAttached, type Numbers } from '../tensor/arrays.js';

/** Checks the gate's shape and returns the numbers between its samples. */
export function checkHeadGate(
  gate: Numbers<Float32Array> | undefined,
  batch: number,
  numHeads: number,
  argument = 'headGate',
): number {
  if (gate === undefined) {
    return 0;
  }
  checkAttached(argument, gate);
  const { shape } = gate;
  const expected = shape.length === 1 ? [numHeads] : [batch, numHeads];
  if (shape.length !== expected.length || !shape.every((size, i) => size === expected[i])) {
    const either = `${showShape([numHeads])} or ${showShape([batch, numHeads])}`;
    fail('invalid-shape', argument, either, showShape(shape));
  }
  return shape.length === 1 ? 0 : numHeads;
}
