import { fail, show } from '../runtime/errors.js';
import { checkOptions, checkWord, isIntegerIn } from '../runtime/options.js';
import { elementsOf } from '../tensor/arrays.js';
import { headMeasures, type HeadMeasure } from './head-measures.js';

export interface LeastImportantHeadsOptions {
  /** Share of all heads of all layers, from 0 to 1; rounded down to whole groups. */
  fraction: number;
  /** The measure that the importance was measured by, if not told. A low entropy is a high importance. */
  measure?: HeadMeasure | undefined;
  /** Heads that share a key-value head and are removed together, if not told. */
  groupSize?: number | undefined;
}

/** How numbers of importance were measured. */
interface Origin {
  readonly measure: HeadMeasure;
  readonly groupSize: number;
}

/** Of the arrays that `measureHeadImportance` returned. */
const origins = new WeakMap<object, Origin>();

/** Remembers how importance was measured, and returns it. */
export function withOrigin<Importance extends object>(
  importance: Importance,
  origin: Origin,
): Importance {
  origins.set(importance, origin);
  return importance;
}

/** The numbers of each layer, and whether they came as those of a model. */
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
 * The least important heads of all layers together, as `pruneHeads` takes them. Each layer keeps one group of heads at
 * least, so that fewer may be returned than asked for. The importance of a group is the sum over its heads; of equal
 * groups the first goes first. Source: Michel et al. 2019, section 4.
 *
 * ```js
 * const importance = await measureHeadImportance(model, { batches, measure: 'entropy' });
 * model.pruneHeads(leastImportantHeads(importance, { fraction: 0.25 }));
 * ```
 *
 * @param importance what `measureHeadImportance` returned, which tells its measure and the key-value groups; of other
 *   numbers, such as a copy, give `measure`, and `groupSize` if heads share keys and values
 * @throws HeadwiseError `invalid-option` for a fraction or group size outside its range, or without a measure;
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
    fail('invalid-option', 'fraction', 'a number from 0 to 1', show(fraction));
  }
  if (measure === undefined) {
    fail('invalid-option', 'measure', 'the measure of the importance', 'none');
  }
  const sign = checkWord('measure', measure, headMeasures) === 'entropy' ? -1 : 1;
  if (!isIntegerIn(groupSize, 1)) {
    fail('invalid-option', 'groupSize', 'an integer from 1 on', show(groupSize));
  }
  const { layers: read, isModel } = readNumbers(importance);
  const layers = read.map((layer) => checkNumbers(layer, groupSize));
  const groups = layers.flatMap((numbers, layer) =>
    Array.from({ length: numbers.length / groupSize }, (_, group) => {
      const heads = Array.from({ length: groupSize }, (__, i) => group * groupSize + i);
      const sum = heads.reduce((total, head) => total + (numbers[head] ?? 0), 0);
      return { layer, heads, importance: sign * sum };
    }),
  );
  const kept = layers.map((numbers) => numbers.length / groupSize);
  // Less than a rounding error of the product must not cost a head.
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
