import { sizeOf, toFloats, type TensorInput } from './arrays.js';
import { allocate, core, read, reserve, write, writeIntegers } from './core.js';
import { fail, show, showShape } from './errors.js';
import {
  checkBoolean,
  checkEmptyRows,
  checkNumHeads,
  checkOptions,
  type EmptyRows,
} from './options.js';
import { checkShape, fits } from './shapes.js';
import { Tensor } from './tensor.js';
import { checkValidLens, type ValidLens } from './valid-lens.js';

export interface MaskedSoftmaxOptions {
  /** What a row without a valid key gets: zeros, the default, or what d2l's −1e6 gives, all keys the same. */
  emptyRows?: EmptyRows;
  /** Memory of the result's size to write it to, and to return it in. */
  out?: Float32Array | Tensor;
}

/** A result's memory: the caller's own, or new. */
function outputData(out: unknown, shape: readonly number[]): Float32Array {
  const count = sizeOf(shape);
  if (out === undefined) {
    return allocate(count);
  }
  const data = out instanceof Tensor ? out.data : out;
  if (!(data instanceof Float32Array)) {
    fail('invalid-type', 'out', 'a Float32Array or a Tensor', show(out));
  }
  if (data.length !== count) {
    fail(
      'invalid-shape',
      'out',
      `${count} numbers for shape ${showShape(shape)}`,
      String(data.length),
    );
  }
  return data;
}

/**
 * Softmax over the last axis, each row over its valid keys only; masked keys get weight exactly 0, and what their
 * scores hold (NaN and infinity included) is never read. Source: d2l, Attention Scoring Functions, `masked_softmax`.
 *
 * @param scores (batch, queries, keys)
 * @param validLens (batch,) or (batch, queries)
 * @returns the weights, of the scores' shape
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`
 */
export function maskedSoftmax(
  scores: TensorInput,
  validLens?: ValidLens,
  options?: MaskedSoftmaxOptions,
): Tensor {
  const loaded = core();
  const { emptyRows, out } = checkOptions(options, ['emptyRows', 'out']);
  const uniform = checkEmptyRows(emptyRows) === 'uniform';
  const { data, shape } = toFloats('scores', scores);
  const [batch, numQueries, numKeys] = checkShape('scores', shape, ['batch', 'queries', 'keys']);
  const { rank, lengths } = checkValidLens(validLens, batch, numQueries, numKeys);
  const result = outputData(out, shape);

  const [weights = 0, lens = 0] = reserve(loaded, data.length, lengths.length);
  write(loaded, weights, data);
  writeIntegers(loaded, lens, lengths);
  loaded.maskedSoftmax(batch, numQueries, numKeys, rank, lens, uniform, weights);
  read(loaded, weights, result);
  return out instanceof Tensor && fits(out.shape, shape) ? out : new Tensor(result, shape);
}

export interface ScaledDotProductAttentionOptions {
  /** Which keys each query may attend to, for all heads of a sample. Default: all. */
  validLens?: ValidLens;
  /** What a query without a valid key gets: zeros, the default, or what d2l's −1e6 gives, all keys the same. */
  emptyRows?: EmptyRows;
  /** Whether to return the attention weights. Default: no, and then they are never stored. */
  returnWeights?: boolean;
}

export interface AttentionResult {
  /** What the queries pooled. */
  output: Tensor;
  /** (batch, heads, queries, keys), present if `returnWeights` asked for it. */
  attentionWeights?: Tensor;
}

/**
 * softmax(Q Kᵀ / √d) V for heads side by side. Source: Vaswani et al. 2017; d2l, Attention Scoring Functions,
 * `DotProductAttention`; PyTorch, `scaled_dot_product_attention`.
 *
 * @param queries (batch, heads, queries, d)
 * @param keys (batch, heads, keys, d)
 * @param values (batch, heads, keys, v)
 * @returns `output` (batch, heads, queries, v)
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`
 */
export function scaledDotProductAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  options?: ScaledDotProductAttentionOptions,
): AttentionResult {
  const loaded = core();
  const given = checkOptions(options, ['validLens', 'emptyRows', 'returnWeights']);
  const uniform = checkEmptyRows(given.emptyRows) === 'uniform';
  const returnWeights = checkBoolean('returnWeights', given.returnWeights, false);
  const q = toFloats('queries', queries);
  const k = toFloats('keys', keys);
  const v = toFloats('values', values);
  const [batch, numHeads, numQueries, headSize] = checkShape('queries', q.shape, [
    'batch',
    'heads',
    'queries',
    'headSize',
  ]);
  if (headSize === 0) {
    fail('invalid-shape', 'queries', 'a head size of at least 1', showShape(q.shape));
  }
  const [, , numKeys] = checkShape('keys', k.shape, [batch, numHeads, 'keys', headSize]);
  const [, , , valueSize] = checkShape('values', v.shape, [batch, numHeads, numKeys, 'valueSize']);
  const { rank, lengths } = checkValidLens(given.validLens, batch, numQueries, numKeys);

  const outputShape = [batch, numHeads, numQueries, valueSize];
  const weightsShape = [batch, numHeads, numQueries, numKeys];
  const weightsSize = returnWeights ? sizeOf(weightsShape) : 0;
  const [qAt = 0, kAt = 0, vAt = 0, lens = 0, output = 0, weights = 0, workspace = 0] = reserve(
    loaded,
    q.data.length,
    k.data.length,
    v.data.length,
    lengths.length,
    sizeOf(outputShape),
    weightsSize,
    loaded.poolingWorkspaceSize(numKeys, headSize, valueSize),
  );
  const result: AttentionResult = { output: Tensor.zeros(outputShape) };
  if (returnWeights) {
    result.attentionWeights = Tensor.zeros(weightsShape);
  }
  write(loaded, qAt, q.data);
  write(loaded, kAt, k.data);
  write(loaded, vAt, v.data);
  writeIntegers(loaded, lens, lengths);
  loaded.scaledDotProductAttention(
    batch,
    numHeads,
    numQueries,
    numKeys,
    headSize,
    valueSize,
    rank,
    lens,
    uniform,
    qAt,
    kAt,
    vAt,
    output,
    returnWeights ? weights : 0,
    workspace,
  );
  read(loaded, output, result.output.data);
  if (result.attentionWeights) {
    read(loaded, weights, result.attentionWeights.data);
  }
  return result;
}

/**
 * Splits the last axis into heads and moves them beside the batch: (batch, length, numHeads · p) →
 * (batch · numHeads, length, p). Source: d2l, Multi-Head Attention, `transpose_qkv`.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the last axis; `invalid-shape`
 */
export function transposeQkv(X: TensorInput, numHeads: number): Tensor {
  const loaded = core();
  const { data, shape } = toFloats('X', X);
  const [batch, length, size] = checkShape('X', shape, ['batch', 'length', 'numHiddens']);
  const heads = checkNumHeads(numHeads, 'the last axis of X', size);
  const result = Tensor.zeros([batch * heads, length, size / heads]);
  const [from = 0, to = 0] = reserve(loaded, data.length, data.length);
  write(loaded, from, data);
  loaded.transposeQkv(batch, length, heads, size / heads, from, to);
  read(loaded, to, result.data);
  return result;
}

/**
 * Puts the heads back beside each other: (batch · numHeads, length, p) → (batch, length, numHeads · p). The inverse of
 * `transposeQkv`. Source: d2l, Multi-Head Attention, `transpose_output`.
 *
 * @throws HeadwiseError `invalid-option` when `numHeads` does not divide the first axis; `invalid-shape`
 */
export function transposeOutput(X: TensorInput, numHeads: number): Tensor {
  const loaded = core();
  const { data, shape } = toFloats('X', X);
  const [rows, length, headSize] = checkShape('X', shape, [
    'batch · numHeads',
    'length',
    'headSize',
  ]);
  const heads = checkNumHeads(numHeads, 'the first axis of X', rows);
  const result = Tensor.zeros([rows / heads, length, heads * headSize]);
  const [from = 0, to = 0] = reserve(loaded, data.length, data.length);
  write(loaded, from, data);
  loaded.transposeOutput(rows / heads, length, heads, headSize, from, to);
  read(loaded, to, result.data);
  return result;
}
