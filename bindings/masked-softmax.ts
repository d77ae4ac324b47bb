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
  emptyRows?: EmptyRows | undefined;
  /** Memory of the result's size to write it to, and to return it in. */
  out?: Float32Array | Tensor | undefined;
}

/** Numbers that go through WebAssembly memory at a time, whole samples: a processor's nearer cache holds them. */
const chunk = 65536;

/** Whether results would be written over scores that are still to be read. */
function overlap(scores: Float32Array, result: Float32Array): boolean {
  return scores.buffer === result.buffer && scores.byteOffset !== result.byteOffset;
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

  const { rank, lengths } = masks.validLens;
  const sample = numQueries * numKeys;
  const samples = overlap(data, result.data) ? batch : Math.max(1, Math.floor(chunk / sample));
  const lengthsOfSample = rank === 2 ? numQueries : rank;
  for (let first = 0; first < batch && sample > 0; first += samples) {
    const count = Math.min(samples, batch - first);
    const own = lengths.subarray(first * lengthsOfSample, (first + count) * lengthsOfSample);
    const [record = 0, lens = 0, weights = 0] = reserve(
      loaded,
      maskRecordSize,
      own.length,
      count * sample,
    );
    const part = { ...masks, sizes: { ...masks.sizes, batch: count } };
    writeIntegers(loaded, record, maskRecord(part, lens, 0));
    writeIntegers(loaded, lens, own);
    write(loaded, weights, data.subarray(first * sample, (first + count) * sample));
    loaded.maskedSoftmax(record, weights);
    read(loaded, weights, result.data.subarray(first * sample, (first + count) * sample));
  }
  return result;
}
