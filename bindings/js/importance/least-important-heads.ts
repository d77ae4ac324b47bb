import { fail, failOption, show } from '../runtime/errors.js';
import { checkOptions, checkWord, isIntegerIn } from '../runtime/options.js';
import { elementsOf } from '../tensor/arrays.js';
import { headMeasures, type HeadMeasure } from './head-measures.js';

export interface LeastImportantHeadsOptions {
  /** Fraction of all heads of all layers, from 0 to 1. Rounded down to whole groups. */
  fraction: number;
  /**
   * The measure that the importance was measured by. A low entropy is a high importance. Default: the measure of
   * `measureHeadImportance`.
   */
  measure?: HeadMeasure | undefined;
  /**
   * Heads that share a key-value head and are removed together; divides the heads of each layer. Default: that of the
   * measured layer or model, otherwise 1.
   */
  groupSize?: number | undefined;
}

/** How importance was measured. */
interface Origin {
  readonly measure: HeadMeasure;
  readonly groupSize: number;
}

/** The origin of each array that `measureHeadImportance` returned. */
const origins = new WeakMap<object, Origin>();

/** Stores how importance was measured, and returns the importance. */
export function withOrigin<Importance extends object>(
  importance: Importance,
  origin: Origin,
): Importance {
  origins.set(importance, origin);
  return importance;
}

/** The numbers of each layer, and whether they are those of a model. */
function readNumbers(importance: unknown): { layers: unknown[][]; isModel: boolean } {
  const expected = 'an array of numbers, or of one for each layer';
  const given = [...elementsOf('importance', expected, importance)];
  const isModel = Array.isArray(given[0]);
  return {
    layers: isModel
      ? given.map((layer) => [...elementsOf('importance', expected, layer)])
      : [given],
    isModel,
  };
}

function checkNumbers(layer: readonly unknown[], groupSize: number): number[] {
  if (layer.length % groupSize !== 0) {
    const expected = `a divisor of the layer's heads (${layer.length})`;
    fail('invalid-option', 'groupSize', expected, String(groupSize));
  }
  return layer.map((number) => {
    if (!Number.isFinite(number)) {
      fail('invalid-value', 'importance', 'finite numbers', show(number));
    }
    return number as number;
  });
}

/**
 * The least important heads of all layers together, as `pruneHeads` takes them. Each layer keeps at least one group of
 * heads, so the result may have fewer heads than `fraction` asks for. The importance of a group is the sum over its
 * heads; among equal groups, the first is removed first. Source: Michel et al. 2019, section 4.
 *
 * ```js
 * const importance = await measureHeadImportance(model, { batches, measure: 'entropy' });
 * model.pruneHeads(leastImportantHeads(importance, { fraction: 0.25 }));
 * ```
 *
 * @param importance the result of `measureHeadImportance`, whose measure and group size are then the defaults. For
 *   other numbers, such as a copy, give `measure`, and `groupSize` if heads share key-value heads.
 * @throws HeadwiseError `invalid-option` for a fraction or group size out of range, or a missing measure;
 *   `invalid-value` for importance that is not finite; `invalid-type`, `unknown-option`
 */
export function leastImportantHeads(
  importance: readonly number[],
  options: LeastImportantHeadsOptions,
): number[];
export function leastImportantHeads(
  importance: readonly (readonly number[])[],
  options: LeastImportantHeadsOptions,
): Record<number, number[]>;
export function leastImportantHeads(
  importance: readonly number[] | readonly (readonly number[])[],
  options: LeastImportantHeadsOptions,
): number[] | Record<number, number[]> {
  const origin = origins.get(importance);
  const given = checkOptions<LeastImportantHeadsOptions>(options, [
    ...(['fraction', 'measure', 'groupSize'] as const),
  ]);
  const { fraction, measure = origin?.measure, groupSize = origin?.groupSize ?? 1 } = given;
  if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1)) {
    failOption('fraction', 'a number from 0 to 1', fraction);
  }
  const { layers: read, isModel } = readNumbers(importance);
  if (measure === undefined) {
    fail('invalid-option', 'measure', 'the measure of the importance', 'none');
  }
  const sign = checkWord('measure', measure, headMeasures) === 'entropy' ? -1 : 1;
  if (!isIntegerIn(groupSize, 1)) {
    failOption('groupSize', 'an integer from 1 on', groupSize);
  }
  const layers = read.map((layer) => checkNumbers(layer, groupSize));
  const groups = layers.flatMap((numbers, layer) =>
    Array.from({ length: numbers.length / groupSize }, (_, group) => {
      const heads = Array.from({ length: groupSize }, (__, i) => group * groupSize + i);
      const sum = heads.reduce((total, head) => total + (numbers[head] ?? 0), 0);
      return { layer, heads, importance: sign * sum };
    }),
  );
  const kept = layers.map((numbers) => numbers.length / groupSize);
  // The factor corrects rounding errors of the product, which could cost a head.
  let left = Math.floor(fraction * groups.length * (1 + 1e-12));
  const removed = layers.map((): number[] => []);
  for (const { layer, heads } of groups.sort((a, b) => a.importance - b.importance)) {
    if (left > 0 && kept[layer] > 1) {
      left--;
      kept[layer]--;
      removed[layer].push(...heads);
    }
  }
  const lists = removed.map((heads) => heads.sort((a, b) => a - b));
  return isModel
    ? Object.fromEntries([...lists.entries()].filter(([, heads]) => heads.length > 0))
    : lists.flat();
}
