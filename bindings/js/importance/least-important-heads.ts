import { prunedHeads, rankedHeads } from 'headwise-records';
import { headsByLayer } from '../layer/pruning.js';
import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { number, optional, readOptions, whole, word } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
import { bytesOf } from '../runtime/typed-arrays.js';
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

const checkNumber = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : fail('invalid-value', 'importance', 'finite numbers', show(value));

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
 *   `invalid-value` for importance that is not finite; `invalid-type`, `unknown-option`, `not-initialized`
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
  const {
    fraction,
    measure = origin?.measure,
    groupSize,
  } = readOptions(options, {
    fraction: number('a number from 0 to 1'),
    measure: optional<HeadMeasure>(word(headMeasures)),
    groupSize: optional(whole('an integer from 1 on'), origin?.groupSize ?? 1),
  });
  const numbersOf = (list: unknown): unknown[] => [
    ...elementsOf('importance', 'an array of numbers, or of one for each layer', list),
  ];
  const given = numbersOf(importance);
  const isModel = Array.isArray(given[0]);
  const layers = isModel ? given.map(numbersOf) : [given];
  if (measure === undefined) {
    fail('invalid-option', 'measure', 'the measure of the importance', 'none');
  }
  const request = {
    ...{ fraction, measure: headMeasures.indexOf(measure), groupSize },
    numHeads: layers.map(({ length }) => length),
    importance: bytesOf(Float64Array.from(layers.flat(), checkNumber)),
  };
  const loaded = modelsCore();
  const heads = receive(prunedHeads, loaded.leastImportantHeads(send(rankedHeads, request)));
  return isModel ? (headsByLayer(heads) as Record<number, number[]>) : [...heads.layers[0].heads];
}
