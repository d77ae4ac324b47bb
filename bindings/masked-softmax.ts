import { toFloats, type TensorInput } from './arrays.js';
import { resultTensor } from './attention-weights.js';
import { core, read, reserve, write, writeIntegers } from './core.js';
import { checkMasks, maskRecord, maskRecordSize } from './masks.js';
import { checkOptions, type EmptyRows } from './options.js';
import { checkShape } from './shapes.js';
import type { Tensor } from './tensor.js';
import type { ValidLens } from './valid-lens.js';

export interface MaskedSoftmaxOptions {
  /** What a row without a valid key gets: zeros, the default, or what d2l's −1e6 gives, all keys the same. */
  emptyRows?: EmptyRows;
  /** Memory of the result's size to write it to, and to return it in. */
  out?: Float32Array | Tensor;
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
  const { data, shape } = toFloats('scores', scores);
  const [batch, numQueries, numKeys] = checkShape('scores', shape, ['batch', 'queries', 'keys']);
  const masks = checkMasks(
    {
      ...(validLens !== undefined && { validLens }),
      ...(emptyRows !== undefined && { emptyRows }),
    },
    { batch, numHeads: 1, numQueries, numKeys, numExtraSlots: 0, queryOffset: 0 },
  );
  const result = resultTensor('out', out, shape);

  const { lengths } = masks.validLens;
  const [record = 0, lens = 0, weights = 0] = reserve(
    loaded,
    maskRecordSize,
    lengths.length,
    data.length,
  );
  writeIntegers(loaded, record, maskRecord(masks, lens, 0));
  writeIntegers(loaded, lens, lengths);
  write(loaded, weights, data);
  loaded.maskedSoftmax(record, weights);
  read(loaded, weights, result.data);
  return result;
}
