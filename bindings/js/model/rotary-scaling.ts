import type { RotaryOptions } from '../layer/layer-options.js';
import { flag, number, optional, word } from '../runtime/options.js';

/**
 * Scales rotary positions for inputs that are longer than those a model was first trained on. The frequency f of each
 * pair of elements becomes s · f + (1 − s) · f / `factor`, with s from 0 to 1:
 * - `'linear'`: s = 0 (Chen et al. 2023)
 * - `'llama3'`: s rises from 0 to 1 with the frequency, from `slowTurns` to `fastTurns` (Llama 3.1)
 * - `'yarn'`: s rises with the logarithm of the frequency, that is, with the pair's number (Peng et al. 2023)
 */
export interface RotaryScaling {
  type: 'linear' | 'llama3' | 'yarn';
  /** By how much frequencies are divided. Above 0. */
  factor: number;
  /**
   * Length of the inputs that the model was first trained on, over which a pair's turns are counted. Required unless
   * `'linear'`.
   */
  originalLength?: number | undefined;
  /** Pairs with at most this many turns get s = 0. Above 0. Default: 1. */
  slowTurns?: number | undefined;
  /** Pairs with at least this many turns get s = 1. Above `slowTurns`. Default: 4 for `'llama3'`, 32 for `'yarn'`. */
  fastTurns?: number | undefined;
  /** Whether the bounds of `'yarn'` are rounded to whole pairs. Default: yes. */
  truncate?: boolean | undefined;
  /**
   * Factor of the rotated queries and keys. Above 0. Default: 0.1 · ln(factor) + 1 for `'yarn'` if `factor` is above 1;
   * else 1.
   */
  attentionFactor?: number | undefined;
}

/** Rotary positions of a model's layers. */
export interface ModelRotaryOptions extends RotaryOptions {
  /** For longer inputs than a model was first trained on. Default: none. */
  scaling?: RotaryScaling | undefined;
}

/** The order of the C++ enumeration. */
export const scalingTypes = ['linear', 'llama3', 'yarn'] as const;

const aboveZero = number('a finite number above 0');

/** Readers of its fields. */
export const ofScaling = {
  type: word(scalingTypes),
  factor: aboveZero,
  originalLength: optional(aboveZero),
  slowTurns: optional(aboveZero, 1),
  fastTurns: optional(number('a finite number above slowTurns')),
  truncate: optional(flag, true),
  attentionFactor: optional(aboveZero),
};
