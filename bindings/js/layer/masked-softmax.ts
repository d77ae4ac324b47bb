import { softmaxRecord } from 'headwise-records';
import { read, write } from '../runtime/memory.js';
import { checkOptions } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { overlap, partOf } from '../runtime/typed-arrays.js';
import { newestCore } from '../runtime/wasm.js';
import { checkTensor, toFloats } from '../tensor/arrays.js';
import { giveTensors, notGiven } from '../tensor/given-tensors.js';
import type { TensorInput, ValidLens } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { packMasks, readMasks, type EmptyRows } from './masks.js';
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
  const input = toFloats('scores', scores);
  const masks = readMasks({ validLens, emptyRows });
  const target = readTarget('out', out);
  const { data, shape } = input;
  const [batch, numQueries, numKeys] = checkTensor('scores', input, ['batch', 'queries', 'keys']);
  const result = resultIn('out', target, shape);

  const sample = numQueries * numKeys;
  // If the result overlaps the scores, copy all samples at once, so that no result overwrites scores before they are
  // read.
  const samples = overlap(data, result.data)
    ? batch
    : Math.min(batch, Math.max(1, Math.floor(chunk / sample)));
  const { record, given, rest } = giveTensors(
    softmaxRecord.words,
    [['validLens', masks.validLens]],
    samples * sample,
  );
  // Without numbers, a size may exceed 32 bits.
  const word = (size: number): number => Math.min(size, 2 ** 32 - 1);
  writeRecord(record, softmaxRecord, {
    ...{ batch: word(batch), numQueries: word(numQueries), numKeys: word(numKeys) },
    masks: packMasks(masks, given[0], notGiven, notGiven),
  });
  for (let first = 0; first < Math.max(batch, 1); first += Math.max(samples, 1)) {
    const count = Math.min(samples, batch - first);
    const numbers = count * sample;
    write(rest, { data: partOf(data, first * sample, numbers), count: numbers });
    loaded.maskedSoftmax(record, first, count, rest);
    read(rest, partOf(memoryOf(result), first * sample, numbers), numbers);
  }
  return result.tensor;
}
