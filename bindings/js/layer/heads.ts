import { allocate, read, reserve, write } from '../runtime/memory.js';
import { whole } from '../runtime/options.js';
import { newestCore } from '../runtime/wasm.js';
import { toFloats } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import { checkShape, sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';

/** Moves X's numbers by a function of the core. `shapeOf` computes the result's shape from X's sizes. */
function moveHeads(
  move: 'splitHeads' | 'joinHeads',
  X: TensorInput,
  axes: readonly [string, string, string],
  numHeads: number,
  shapeOf: (sizes: readonly [number, number, number]) => number[],
): Tensor {
  const loaded = newestCore();
  const { data, shape } = toFloats('X', X);
  const sizes = checkShape('X', shape, axes);
  const divided =
    move === 'splitHeads' ? `last axis of X (${sizes[2]})` : `first axis of X (${sizes[0]})`;
  whole(`a divisor of the ${divided}`)('numHeads', numHeads);
  const count = sizeOf(shape);
  const [from, to] = reserve(count, count);
  write(from, { data, count });
  loaded[move](...sizes, numHeads, from, to);
  const result = allocate(count);
  read(to, result);
  return new Tensor(result, shapeOf(sizes));
}

/**
 * Splits the last axis into heads and merges them with the batch axis: (batch, length, numHeads · p) →
 * (batch · numHeads, length, p). Source: d2l, Multi-Head Attention, `transpose_qkv`.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the last axis; `invalid-shape`
 */
export function transposeQkv(X: TensorInput, numHeads: number): Tensor {
  const heads = splitHeads(X, numHeads);
  const [batch = 0, , length = 0, headSize = 0] = heads.shape;
  return new Tensor(heads.data, [batch * numHeads, length, headSize]);
}

/**
 * Concatenates the heads: (batch · numHeads, length, p) → (batch, length, numHeads · p). The inverse of `transposeQkv`.
 * Source: d2l, Multi-Head Attention, `transpose_output`.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the first axis; `invalid-shape`
 */
export const transposeOutput = (X: TensorInput, numHeads: number): Tensor =>
  moveHeads(
    'joinHeads',
    X,
    ['batch · numHeads', 'length', 'headSize'],
    numHeads,
    ([rows, length, headSize]) => [rows / numHeads, length, numHeads * headSize],
  );

/**
 * Splits the last axis into heads: (batch, length, numHiddens) → (batch, numHeads, length, numHiddens / numHeads),
 * without parameters.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the last axis; `invalid-shape`
 */
export const splitHeads = (X: TensorInput, numHeads: number): Tensor =>
  moveHeads(
    'splitHeads',
    X,
    ['batch', 'length', 'numHiddens'],
    numHeads,
    ([batch, length, size]) => [batch, numHeads, length, size / numHeads],
  );
