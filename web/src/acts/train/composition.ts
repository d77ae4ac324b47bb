import { maxIndex, range } from 'd3-array';

import type { Head } from '../../worker/heads.js';
import type { ScoreName } from '../../worker/training.js';
import { type Moment, type RunRecord, scoreAt, scoresOf } from './run-record.js';

/** A key that a head attends to, from a query; positions from 0. */
export interface Look {
  readonly place: Head;
  readonly query: number;
  readonly key: number;
  readonly weight: number;
}

/** What a query does: the key it attends to in a later layer, and what that key itself attended to in a layer before. */
export interface Composition {
  readonly look: Look;
  readonly back: Look | undefined;
}

/**
 * The head of a later layer that looks most at what the task asks for, or the chosen one; and of the layers before it
 * the head that looks most at the previous token.
 */
export function compositionOf(
  record: RunRecord,
  moment: Moment,
  query: number,
  chosen: Head | undefined,
): Composition {
  const { places, options } = record;
  const { heads, task } = options;
  const bestOf = (some: readonly Head[], name: ScoreName): Head =>
    some[maxIndex(some, (place) => scoreAt(moment.measurement, heads, place, name))];
  const later = places.filter(({ layer }) => layer > 0);
  const asked = chosen !== undefined && (chosen.layer > 0 || later.length === 0) ? [chosen] : [];
  const candidates = asked.length > 0 ? asked : later.length > 0 ? later : places;
  const place = bestOf(candidates, scoresOf[task][0]);
  const look = lookOf(record, moment, place, query);
  const earlier = places.filter(({ layer }) => layer < place.layer);
  if (earlier.length === 0) return { look, back: undefined };
  return { look, back: lookOf(record, moment, bestOf(earlier, 'previousToken'), look.key) };
}

/** The key with the largest weight of a head's query. */
function lookOf({ start }: RunRecord, { weights }: Moment, place: Head, query: number): Look {
  const length = start.tokens.length;
  const from = (place.head * length + query) * length;
  const row = weights[place.layer].subarray(from, from + query + 1);
  const key = Math.max(
    0,
    maxIndex(range(query + 1), (each) => row[each]),
  );
  return { place, query, key, weight: row[key] };
}
