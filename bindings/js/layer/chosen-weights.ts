import { failOption } from '../runtime/errors.js';
import { checkBoolean, checkOptions, isRecord } from '../runtime/options.js';
import { elementsOf, type Numbers } from '../tensor/arrays.js';

/** Attention weights of only some heads and queries. They cost no more than their own rows. */
export interface ChosenWeights {
  /** Indices of heads without duplicates, in the order of the result. Default: all. */
  heads?: readonly number[] | undefined;
  /**
   * Indices of queries without duplicates, in the order of the result. `'last'` is only the last query. Default: all.
   */
  queries?: readonly number[] | 'last' | undefined;
}

/** The caller's lists, read but not checked against the pass. True means all weights, false none. */
export type GivenWeights =
  boolean | { readonly heads: GivenList; readonly queries: GivenList | 'last' };
export type GivenList = readonly unknown[] | undefined;

export function readList(argument: string, expected: string, value: unknown): GivenList {
  if (value === undefined) {
    return undefined;
  }
  const read: unknown[] = [];
  const seen = new Set<unknown>();
  for (const index of elementsOf(argument, expected, value, true)) {
    read.push(index);
    // Duplicates are an error, so stop reading.
    if (seen.has(index)) {
      break;
    }
    seen.add(index);
  }
  return read;
}

export function readReturnWeights(value: unknown): GivenWeights {
  if (!isRecord(value)) {
    return checkBoolean('returnWeights', value, false);
  }
  const { heads, queries } = checkOptions<ChosenWeights>(
    value,
    ['heads', 'queries'],
    'returnWeights',
  );
  const integers = 'an array of integers';
  return {
    heads: readList('returnWeights.heads', integers, heads),
    queries:
      queries === 'last'
        ? queries
        : readList('returnWeights.queries', `${integers} or 'last'`, queries),
  };
}

/** A list as numbers, which C++ checks. `'last'` is the last of `count`. */
export function numbersOf(
  argument: string,
  list: GivenList | 'last',
  count = 0,
): Numbers<Float64Array> | undefined {
  if (list === undefined) {
    return undefined;
  }
  const indices = list !== 'last' ? list : count > 0 ? [count - 1] : [];
  const data = Float64Array.from(indices, (index: unknown) =>
    typeof index === 'number' ? index : failOption(argument, 'integers', index),
  );
  return { data, shape: [data.length] };
}
