import { givenMasks, type GivenMasks as GivenMasksRecord } from 'headwise-records';
import { type Packed } from '../runtime/records.js';
import type { GivenMasks } from './masks.js';

/** The tensors among the masks. */
export const maskTensors = ({ validLens, mask, keyMask }: GivenMasks) => ({
  validLens,
  mask,
  keyMask,
});

/** The masks' words, with their tensors in working memory. */
export const packMasks = (
  { causal, window, uniform, mask }: GivenMasks,
  tensors: Pick<GivenMasksRecord, 'validLens' | 'mask' | 'keyMask'>,
): Packed<GivenMasksRecord> =>
  givenMasks.pack({
    validLens: tensors.validLens,
    mask: tensors.mask,
    addsMask: mask?.data instanceof Float32Array,
    keyMask: tensors.keyMask,
    // The order of the C++ enumeration.
    causal: causal === 'bottom-right' ? 2 : Number(causal),
    windowLeft: window[0],
    windowRight: window[1],
    uniform,
  });
