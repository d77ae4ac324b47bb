import { maskRecord, type MaskRecord } from 'headwise-records';
import { write, writeBytes, writeIntegers, type Address } from '../runtime/memory.js';
import { type Packed } from '../runtime/records.js';
import type { CheckedMasks } from './masks.js';

/** Floats of working memory that the data of the masks takes: lengths, then the mask. */
export function maskDataSizes({ validLens, mask, maskCount }: CheckedMasks): [number, number] {
  return [
    validLens.lengths?.length ?? 0,
    mask instanceof Uint8Array ? Math.ceil(maskCount / 4) : maskCount,
  ];
}

/** Writes the data of the masks to pieces of the sizes above and returns their record. */
export function writeMasks(masks: CheckedMasks, lens: Address, mask: Address): Packed<MaskRecord> {
  const { sizes, window, mask: data } = masks;
  const { lengths, sampleStride, queryStride } = masks.validLens;
  if (lengths !== undefined) {
    writeIntegers(lens, lengths);
  }
  if (data instanceof Uint8Array) {
    writeBytes(mask, data);
  } else if (data !== undefined) {
    write(mask, { data, count: masks.maskCount });
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
    causal: masks.causal,
    firstPosition: masks.firstPosition,
    windowLeft: window[0],
    windowRight: window[1],
    allowed: data instanceof Uint8Array ? mask : undefined,
    added: data instanceof Float32Array ? mask : undefined,
    maskStrides: masks.maskStrides,
  });
}
