import { givenMasks, type GivenMasks as GivenMasksRecord } from 'headwise-records';
import { type Packed } from '../runtime/records.js';
import type { GivenMasks } from './masks.js';

/** The masks' words, with their tensors in working memory. */
export const packMasks = (
  { causal, window, uniform, mask: given }: GivenMasks,
  validLens: GivenMasksRecord['validLens'],
  mask: GivenMasksRecord['mask'],
  keyMask: GivenMasksRecord['keyMask'],
): Packed<GivenMasksRecord> =>
  givenMasks.pack({
    validLens,
    mask,
    addsMask: given?.data instanceof Float32Array,
    keyMask,
    // The order of the C++ enumeration.
    causal: causal === 'bottom-right' ? 2 : Number(causal),
    windowLeft: window[0],
    windowRight: window[1],
    uniform,
  });
