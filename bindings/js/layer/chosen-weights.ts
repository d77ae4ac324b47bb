import { fail, failOption, show } from '../runtime/errors.js';
import { checkBoolean, checkOptions, isIntegerIn, isRecord } from '../runtime/options.js';
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

/** For each index, its place in the list, or −1 if it is not in it. `places` is undefined if all are chosen. */
export interface Places {
  readonly places: Int32Array | undefined;
  readonly count: number;
}

function placesOf(argument: string, one: string, list: GivenList, count: number): Places {
  if (list === undefined) {
    return { places: undefined, count };
  }
  const places = new Int32Array(count).fill(-1);
  list.forEach((index, place) => {
    if (!isIntegerIn(index, 0, count - 1)) {
      const expected = count > 0 ? `integers from 0 to ${count - 1}` : 'none';
      failOption(argument, expected, index);
    }
    if (places[index] !== -1) {
      fail('invalid-option', argument, `each ${one} once`, `${show(index)} twice`);
    }
    places[index] = place;
  });
  return { places, count: list.length };
}

/** The list as integers from 0 to below `count`, each once; undefined for all. */
export function checkChosen(
  argument: string,
  one: string,
  list: GivenList,
  count: number,
): Int32Array | undefined {
  placesOf(argument, one, list, count);
  return list && Int32Array.from(list as readonly number[]);
}

/** The rows to return, checked against the pass. */
export interface CheckedWeights {
  readonly returned: boolean;
  readonly heads: Places;
  readonly queries: Places;
}

export function checkWeights(
  given: GivenWeights,
  numHeads: number,
  numQueries: number,
): CheckedWeights {
  const lists = typeof given === 'boolean' ? { heads: undefined, queries: undefined } : given;
  const last = numQueries > 0 ? [numQueries - 1] : [];
  return {
    returned: given !== false,
    heads: placesOf('returnWeights.heads', 'head', lists.heads, numHeads),
    queries: placesOf(
      'returnWeights.queries',
      'query',
      lists.queries === 'last' ? last : lists.queries,
      numQueries,
    ),
  };
}
