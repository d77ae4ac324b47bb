import { maxIndex, minIndex, range } from 'd3-array';

export type Point = readonly [x: number, y: number];

/**
 * Of more points than a chart has room for, the lowest and the highest of each few in a row, and the
 * last: a line through them looks the same and takes less time to draw. How many stand together
 * doubles as points come in, so that those chosen stay chosen until then.
 *
 * @param room how many points a line may have; of more there come at most three beyond that
 */
export function thin(points: readonly Point[], room: number): readonly Point[] {
  if (points.length <= room) return points;
  let together = 4;
  while ((2 * points.length) / together > room) together *= 2;
  const kept = range(0, points.length, together).flatMap((from) => {
    const some = points.slice(from, from + together);
    const y = ([, value]: Point): number => value;
    const extremes = [minIndex(some, y), maxIndex(some, y)].sort((a, b) => a - b);
    return extremes.map((i) => some[Math.max(i, 0)]);
  });
  return [...kept, ...points.slice(-1)];
}
