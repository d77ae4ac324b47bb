import { read, reserve, write } from '../runtime/memory.js';
import { newestCore } from '../runtime/wasm.js';
import { toFloats } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import { checkShape } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkNumHeads } from './layer-options.js';

/** Rearranges the data of X with a function of the core. */
function moveHeads(
  move: 'splitHeads' | 'joinHeads',
  data: Float32Array,
  sizes: readonly [batch: number, length: number, numHeads: number, headSize: number],
  shape: readonly number[],
): Tensor {
  const loaded = newestCore();
  const result = Tensor.zeros(shape);
  const [from, to] = reserve(result.data.length, result.data.length);
  write(from, { data, count: result.data.length });
  loaded[move](...sizes, from, to);
  read(to, result.data);
  return result;
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
export function transposeOutput(X: TensorInput, numHeads: number): Tensor {
  const { data, shape } = toFloats('X', X);
  const [rows, length, headSize] = checkShape('X', shape, [
    'batch · numHeads',
    'length',
    'headSize',
  ]);
  const heads = checkNumHeads(numHeads, 'the first axis of X', rows);
  const batch = rows / heads;
  return moveHeads(
    'joinHeads',
    data,
    [batch, length, heads, headSize],
    [batch, length, heads * headSize],
  );
}

/**
 * Splits the last axis into heads: (batch, length, numHiddens) → (batch, numHeads, length, numHiddens / numHeads),
 * without parameters.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the last axis; `invalid-shape`
 */
export function splitHeads(X: TensorInput, numHeads: number): Tensor {
  const { data, shape } = toFloats('X', X);
  const [batch, length, size] = checkShape('X', shape, ['batch', 'length', 'numHiddens']);
  const heads = checkNumHeads(numHeads, 'the last axis of X', size);
  const headSize = size / heads;
  return moveHeads(
    'splitHeads',
    data,
    [batch, length, heads, headSize],
    [batch, heads, length, headSize],
  );
}
