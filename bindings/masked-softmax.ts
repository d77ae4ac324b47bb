import { checkAttached, toFloats, type TensorInput } from './arrays.js';
import { readTarget, resultIn } from './attention-weights.js';
import { core, read, reserve, write, writeIntegers } from './core.js';
import { checkMasks, maskRecord, maskRecordSize, readMasks } from './masks.js';
import { checkOptions, type EmptyRows } from './options.js';
import { checkShape } from './shapes.js';
import type { Tensor } from './tensor.js';
import { overlap, partOf } from './typed-arrays.js';
import type { ValidLens } from './valid-lens.js';

export interface MaskedSoftmaxOptions {
  /** What a row without a valid key gets: zeros, the default, or what d2l's −1e6 gives, all keys the same. */
  emptyRows?: EmptyRows | undefined;
  /** Memory of the result's size to write it to, and to return it in. */
  out?: Float32Array | Tensor | undefined;
}

/** Numbers that go through WebAssembly memory at a time, whole samples: a processor's nearer cache holds them. */
const chunk = 65536;

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
  const given = toFloats('scores', scores);
  const givenMasks = readMasks({
    ...(validLens !== undefined && { validLens }),
    ...(emptyRows !== undefined && { emptyRows }),
  });
  const target = readTarget('out', out);
  checkAttached('scores', given);
  const { data, shape } = given;
  const [batch, numQueries, numKeys] = checkShape('scores', shape, ['batch', 'queries', 'keys']);
  const masks = checkMasks(givenMasks, {
    ...{ batch, numHeads: 1, numQueries, numKeys },
    ...{ numExtraSlots: 0, queryOffset: 0 },
  });
  const result = resultIn('out', target, shape);

  const { rank, lengths } = masks.validLens;
  const sample = numQueries * numKeys;
  // Results must not be written over scores that are still to be read.
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
    const numbers = count * sample;
    write(loaded, weights, partOf(data, first * sample, numbers), numbers);
    loaded.maskedSoftmax(record, weights);
    read(loaded, weights, partOf(result.data, first * sample, numbers), numbers);
  }
  return result.tensor;
}
