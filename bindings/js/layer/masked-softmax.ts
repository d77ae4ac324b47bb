import { maskRecord } from 'headwise-records';
import { read, reserve, write, writeIntegers } from '../runtime/memory.js';
import { checkOptions } from '../runtime/options.js';
import { overlap, partOf } from '../runtime/typed-arrays.js';
import { newestCore } from '../runtime/wasm.js';
import { checkTensor, toFloats } from '../tensor/arrays.js';
import type { TensorInput, ValidLens } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { writeMasks } from './mask-record.js';
import { checkMasks, readMasks, type EmptyRows } from './masks.js';
import { memoryOf, readTarget, resultIn } from './results.js';

export interface MaskedSoftmaxOptions {
  /**
   * Result of a row without a valid key: zeros, or equal weights for all keys, as d2l's −1e6 gives. Default: `'zero'`.
   */
  emptyRows?: EmptyRows | undefined;
  /** Memory to write the result to, of the same size. The returned tensor uses it. Default: newly allocated. */
  out?: Float32Array | Tensor | undefined;
}

/**
 * Maximum number of floats to copy through WebAssembly memory at a time, in whole samples, so that they fit in a fast
 * cache.
 */
const chunk = 65536;

/**
 * Softmax over the last axis of `scores`, each row over its valid keys only. Masked keys get weight exactly 0, and
 * their scores are never read, so they may be NaN or infinite. Source: d2l, Attention Scoring Functions,
 * `masked_softmax`, with exact masks in place of its −1e6.
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
  const loaded = newestCore();
  const { emptyRows, out } = checkOptions(options, ['emptyRows', 'out']);
  const given = toFloats('scores', scores);
  const givenMasks = readMasks({
    ...(validLens !== undefined && { validLens }),
    ...(emptyRows !== undefined && { emptyRows }),
  });
  const target = readTarget('out', out);
  const { data, shape } = given;
  const [batch, numQueries, numKeys] = checkTensor('scores', given, ['batch', 'queries', 'keys']);
  const masks = checkMasks(givenMasks, {
    ...{ batch, numHeads: 1, numQueries, numKeys },
    ...{ numExtraSlots: 0, queryOffset: 0 },
  });
  const result = resultIn('out', target, shape);

  const { lengths, sampleStride } = masks.validLens;
  const sample = numQueries * numKeys;
  // If the result overlaps the scores, copy all samples at once, so that no result overwrites scores before they are
  // read.
  const samples = overlap(data, result.data) ? batch : Math.max(1, Math.floor(chunk / sample));
  for (let first = 0; first < batch && sample > 0; first += samples) {
    const count = Math.min(samples, batch - first);
    const own = lengths?.subarray(first * sampleStride, (first + count) * sampleStride);
    const numbers = count * sample;
    const [record, lens, mask, weights] = reserve(maskRecord.words, own?.length ?? 0, 0, numbers);
    const part = {
      ...masks,
      sizes: { ...masks.sizes, batch: count },
      validLens: { ...masks.validLens, lengths: own },
    };
    writeIntegers(record, writeMasks(part, [lens, mask, mask, mask]));
    write(weights, { data: partOf(data, first * sample, numbers), count: numbers });
    loaded.maskedSoftmax(record, weights);
    read(weights, partOf(memoryOf(result), first * sample, numbers), numbers);
  }
  return result.tensor;
}
