import { checkAttached, type Numbers } from '../tensor/arrays.js';
import { checkOneOf } from '../tensor/shapes.js';

/** Checks the gate's shape and returns its stride by sample. */
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
  checkOneOf(argument, shape, [numHeads], [batch, numHeads]);
  return shape.length === 1 ? 0 : numHeads;
}
