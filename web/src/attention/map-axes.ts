import { max, range } from 'd3-array';

import { formatCell } from '../format/numbers.js';
import { svg } from '../ui/dom.js';
import { words } from './words.js';

/** Side of a cell with its gap, in units of the drawing; CSS decides how large a unit is. */
export const pitch = 32;
const gap = 2;
const sums = 38;
/** From here on a small map has no room for names and numbers. */
const maxNamed = 8;
/** Signs of a name that fit beside a row. */
const maxNameLength = 9;
const signWidth = 7.5;

/** What queries and keys are called. */
export interface AxisNames {
  readonly queries: readonly string[];
  readonly keys: readonly string[];
}

/** Where a map's cells begin, and how large the whole is. */
export interface MapGeometry {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly queries: number;
  readonly keys: number;
  readonly names: AxisNames;
  readonly isDense: boolean;
  /** Whether names of keys are turned, since they are longer than a cell is wide. */
  readonly isTurned: boolean;
}

export function geometryOf(
  queries: number,
  keys: number,
  given: AxisNames | undefined,
  { isBare = false, hasSums = false }: { isBare?: boolean | undefined; hasSums?: boolean },
): MapGeometry {
  const isDense = given === undefined && Math.max(queries, keys) > maxNamed;
  const isUnnamed = isDense || isBare;
  const names = shortened(given ?? numbered(isUnnamed ? 0 : queries, isUnnamed ? 0 : keys));
  const widest = (all: readonly string[]): number =>
    signWidth * (max(all, (name) => Array.from(name).length) ?? 0);
  const isTurned = widest(names.keys) > pitch;
  const left = isUnnamed ? 2 : Math.max(24, widest(names.queries) + 8);
  const top = isUnnamed ? 2 : isTurned ? widest(names.keys) * 0.75 + 14 : 20;
  const edge = hasSums ? sums : 0;
  return {
    left,
    top,
    width: left + keys * pitch - gap / 2 + edge,
    height: top + queries * pitch - gap / 2 + (hasSums ? 24 : 0),
    queries,
    keys,
    names,
    isDense,
    isTurned,
  };
}

const numbered = (queries: number, keys: number): AxisNames => ({
  queries: range(queries).map((query) => words.map.query(query + 1)),
  keys: range(keys).map((key) => words.map.key(key + 1)),
});

const shortened = ({ queries, keys }: AxisNames): AxisNames => ({
  queries: queries.map(shorten),
  keys: keys.map(shorten),
});

function shorten(name: string): string {
  const signs = Array.from(name);
  return signs.length <= maxNameLength ? name : `${signs.slice(0, maxNameLength - 1).join('')}…`;
}

export interface Axes {
  readonly root: SVGGElement;
  showSums(rows: readonly number[], columns: readonly number[]): void;
}

/** Names at the near edges of a map, sums at the far ones. */
export function createAxes(geometry: MapGeometry): Axes {
  const { left, top, queries, keys, names, isTurned } = geometry;
  const middle = (start: number, index: number): number => start + (index + 0.5) * pitch;
  const keyNames = names.keys.map((name, key) => {
    const x = middle(left, key);
    const place = isTurned
      ? { transform: `translate(${x - 4} ${top - 5}) rotate(-45)`, class: 'axis-turned' }
      : { x, y: top / 2 };
    return svg('text', place, name);
  });
  const queryNames = names.queries.map((name, query) =>
    svg('text', { x: left - 6, y: middle(top, query), class: 'axis-query' }, name),
  );
  const rowSums = range(queries).map((query) =>
    svg('text', { x: left + keys * pitch + 20, y: middle(top, query), class: 'axis-sum' }),
  );
  const columnSums = range(keys).map((key) =>
    svg('text', { x: middle(left, key), y: top + queries * pitch + 12, class: 'axis-sum' }),
  );
  return {
    root: svg(
      'g',
      { class: 'axes', 'aria-hidden': 'true' },
      ...keyNames,
      ...queryNames,
      ...rowSums,
      ...columnSums,
    ),
    showSums(rows, columns) {
      rowSums.forEach((place, query) => {
        place.textContent = formatCell(rows[query] ?? NaN);
      });
      columnSums.forEach((place, key) => {
        place.textContent = formatCell(columns[key] ?? NaN);
      });
    },
  };
}
