import type { RotaryOptions } from '../layer/layer-options.js';
import { failOption } from '../runtime/errors.js';
import { checkBoolean, checkOptions, checkWord } from '../runtime/options.js';

/**
 * Stretches rotary positions over more positions than a model was first trained on. Every pair of elements keeps the
 * share s of its frequency and divides the rest by `factor`:
 * - `'linear'`: s = 0 (Chen et al. 2023)
 * - `'llama3'`: s rises from 0 to 1 with the frequency, from `slowTurns` to `fastTurns` (Llama 3.1)
 * - `'yarn'`: s rises with the logarithm of the frequency, that is, with the pair's number (Peng et al. 2023)
 */
export interface RotaryScaling {
  type: 'linear' | 'llama3' | 'yarn';
  /** By how much frequencies are divided. Above 0. */
  factor: number;
  /** The positions that the model was first trained on, over which turns are counted. Required unless `'linear'`. */
  originalLength?: number | undefined;
  /** Pairs with at most so many turns get s = 0. Above 0. Default: 1. */
  slowTurns?: number | undefined;
  /** Pairs with at least so many turns get s = 1. Above `slowTurns`. Default: 4 of `'llama3'`, 32 of `'yarn'`. */
  fastTurns?: number | undefined;
  /** Whether the bounds of `'yarn'` are whole numbers of pairs. Default: yes. */
  truncate?: boolean | undefined;
  /**
   * Factor of the rotated queries and keys. Above 0. Default: 0.1 · ln(factor) + 1 of `'yarn'`, where `factor` is above
   * 1; else 1.
   */
  attentionFactor?: number | undefined;
}

/** Rotary positions of a model's layers. */
export interface ModelRotaryOptions extends RotaryOptions {
  /** For longer inputs than a model was first trained on. Default: none. */
  scaling?: RotaryScaling | undefined;
}

// The order of the C++ enumeration.
const types = ['linear', 'llama3', 'yarn'] as const;

/** Checks that a number is finite and above the least one, which errors call `name`. */
export function checkAbove(
  argument: string,
  value: unknown,
  least = 0,
  name = String(least),
): void {
  if (!Number.isFinite(value) || (value as number) <= least) {
    failOption(argument, `a finite number above ${name}`, value);
  }
}

/** Checks the scaling of rotary positions of this base, and returns a copy. */
export function checkScaling(given: unknown, base = 10000): RotaryScaling | undefined {
  if (given === undefined) {
    return undefined;
  }
  const names = [
    ...(['type', 'factor', 'originalLength', 'slowTurns', 'fastTurns'] as const),
    ...(['truncate', 'attentionFactor'] as const),
  ];
  const argument = 'rotary.scaling';
  const scaling = checkOptions<RotaryScaling>(given as RotaryScaling, names, argument);
  const { factor = NaN, slowTurns = 1, attentionFactor } = scaling;
  const type = checkWord(`${argument}.type`, scaling.type, types);
  checkAbove(`${argument}.factor`, scaling.factor);
  checkAbove(`${argument}.attentionFactor`, attentionFactor ?? 1);
  const truncate = checkBoolean(`${argument}.truncate`, scaling.truncate, true);
  if (type !== 'linear') {
    checkAbove(`${argument}.originalLength`, scaling.originalLength);
    checkAbove(`${argument}.slowTurns`, slowTurns);
    const { fastTurns = slowTurns + 1 } = scaling;
    checkAbove(`${argument}.fastTurns`, fastTurns, slowTurns, 'slowTurns');
  }
  if (type === 'yarn') {
    checkAbove('rotary.base', base, 1);
  }
  return { ...scaling, type, factor, truncate };
}

/** The scaling as the core takes it: 0 for none, NaN for defaults. */
export const scalingNumbers = (scaling: RotaryScaling | undefined) => ({
  rotaryScaling: scaling === undefined ? 0 : types.indexOf(scaling.type) + 1,
  rotaryFactor: scaling?.factor ?? 1,
  rotaryLength: scaling?.originalLength ?? 0,
  rotarySlowTurns: scaling?.slowTurns ?? 1,
  rotaryFastTurns: scaling?.fastTurns ?? NaN,
  rotaryTruncate: scaling?.truncate ?? true,
  rotaryAttentionFactor: scaling?.attentionFactor ?? NaN,
});

/** The scaling of these numbers. */
export function scalingOf(numbers: ReturnType<typeof scalingNumbers>): RotaryScaling | undefined {
  const given = (number: number): number | undefined => (Number.isNaN(number) ? undefined : number);
  return numbers.rotaryScaling === 0
    ? undefined
    : {
        type: types[numbers.rotaryScaling - 1] ?? 'linear',
        ...{ factor: numbers.rotaryFactor, originalLength: numbers.rotaryLength },
        ...{ slowTurns: numbers.rotarySlowTurns, fastTurns: given(numbers.rotaryFastTurns) },
        truncate: numbers.rotaryTruncate,
        attentionFactor: given(numbers.rotaryAttentionFactor),
      };
}
