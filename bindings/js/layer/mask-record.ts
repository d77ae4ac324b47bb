import { maskRecord, type MaskRecord } from 'headwise-records';
import { write, writeBytes, writeIntegers, type Address } from '../runtime/memory.js';
import { type Packed } from '../runtime/records.js';
import type { CheckedMasks } from './masks.js';

/** A value for each allocation of mask data: valid lengths, the mask, the key mask, its ranges. */
type MaskData<Piece> = [lens: Piece, mask: Piece, keyMask: Piece, keyRanges: Piece];

/** Sizes of mask data in floats. */
export function maskDataSizes(masks: CheckedMasks): MaskData<number> {
  const { validLens, mask, maskCount, keyMask } = masks;
  return [
    validLens.lengths?.length ?? 0,
    mask instanceof Uint8Array ? Math.ceil(maskCount / 4) : maskCount,
    Math.ceil((keyMask?.length ?? 0) / 4),
    keyMask === undefined ? 0 : 2 * masks.sizes.batch,
  ];
}

/** Writes the masks' data to working memory of these sizes and returns their record. */
export function writeMasks(masks: CheckedMasks, at: MaskData<Address>): Packed<MaskRecord> {
  const { sizes, window, mask: data, keyMask } = masks;
  const [lens, mask, keyMaskAt, keyRanges] = at;
  const { lengths, sampleStride, queryStride } = masks.validLens;
  if (lengths !== undefined) {
    writeIntegers(lens, lengths);
  }
  if (data instanceof Uint8Array) {
    writeBytes(mask, data);
  } else if (data !== undefined) {
    write(mask, { data, count: masks.maskCount });
  }
  if (keyMask !== undefined) {
    writeBytes(keyMaskAt, keyMask);
  }
  return maskRecord.pack({
    batch: sizes.batch,
    numQueries: sizes.numQueries,
    numKeys: sizes.numKeys,
    numExtraSlots: sizes.numExtraSlots,
    uniform: masks.uniform,
    validLens: lengths && lens,
    validLensSampleStride: sampleStride,
    validLensQueryStride: queryStride,
    keyMask: keyMask && keyMaskAt,
    keyRanges: keyMask && keyRanges,
    causal: masks.causal,
    firstPosition: masks.firstPosition,
    windowLeft: window[0],
    windowRight: window[1],
    allowed: data instanceof Uint8Array ? mask : undefined,
    added: data instanceof Float32Array ? mask : undefined,
    maskStrides: masks.maskStrides,
  });
}
