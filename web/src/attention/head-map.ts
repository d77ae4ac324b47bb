import { max, range, sum } from 'd3-array';

import { formatCell, formatWeight } from '../format/numbers.js';
import { element, setAttributes, svg, withHeadColour } from '../ui/dom.js';
import { weightColours } from './colour.js';
import type { Cell, Register } from './map-selection.js';
import { words } from './words.js';

/** Side of a cell with its gap, in units of the drawing; CSS decides how large a unit is. */
const pitch = 32;
const gap = 2;
/** Room for the sums of the rows and of the columns. */
const sumsRoom = { width: 38, height: 24 } as const;
/** Room for the names of columns, and for each letter of those of rows. */
const namesHeight = 20;
const letterWidth = 7.5;

export interface CellValue {
  readonly weight: number;
  readonly masked: boolean;
}

/** What queries and keys are called. */
export interface AxisNames {
  readonly queries: readonly string[];
  readonly keys: readonly string[];
}

export type HeadMap = ReturnType<typeof createHeadMap>;

interface Options {
  /** Counted from 0. */
  readonly head: number;
  /** What queries and keys are called at the edges. */
  readonly names: AxisNames;
  readonly title: string;
  readonly label: string;
  /** A fill for masked cells. */
  readonly hatch: string;
  readonly register: Register;
  /** Whether the sums of rows and columns stand at the far edges. */
  readonly hasSums?: boolean;
}

/** The weights of one head: queries down, keys across. */
export function createHeadMap(options: Options) {
  const { head, hatch, register, hasSums = false } = options;
  const [queries, keys] = [options.names.queries.length, options.names.keys.length];
  const geometry = geometryOf(options.names, hasSums);
  const { left, top, width, height } = geometry;
  const cells = range(queries).map((query) =>
    range(keys).map((key) => ({
      square: svg('rect.cell', {
        role: 'gridcell',
        tabindex: -1,
        'data-head': head,
        'data-query': query,
        'data-key': key,
        x: left + key * pitch + gap / 2,
        y: top + query * pitch + gap / 2,
        width: pitch - gap,
        height: pitch - gap,
        rx: 2,
      }),
      figure: svg('text.cell-text', {
        x: left + (key + 0.5) * pitch,
        y: top + (query + 0.5) * pitch,
      }),
    })),
  );
  const squareAt = (query: number, key: number): SVGRectElement | undefined =>
    cells[query]?.[key]?.square;
  let tabStop = squareAt(0, 0);

  const ring = svg(
    'g.ring',
    ...['ring-outer', 'ring-inner'].map((name) =>
      svg('rect', { class: name, width: pitch, height: pitch, rx: 3 }),
    ),
  );
  const rows = cells.map((row, query) =>
    svg(
      'g',
      { role: 'row', 'aria-label': words.map.row(query + 1) },
      ...row.map(({ square }) => square),
    ),
  );
  const axes = createAxes(geometry);
  const drawing = svg(
    'svg.map.drawing',
    { viewBox: `0 0 ${width} ${height}`, role: 'grid', 'aria-label': options.label },
    axes.root,
    ...rows,
    // The labels of the cells say the same, and more.
    svg('g', { 'aria-hidden': 'true' }, ...cells.flat().map(({ figure }) => figure)),
    ring,
  );
  const root = element(
    'div.head',
    element('div.head-name', element('span.head-title', options.title)),
    drawing,
  );
  withHeadColour(root, head);

  const colours = weightColours(head);
  const map = {
    root,
    drawing,
    draw(valueOf: (query: number, key: number) => CellValue): void {
      const values = cells.map((row, query) => row.map((_cell, key) => valueOf(query, key)));
      cells.forEach((row, query) => {
        row.forEach(({ square, figure }, key) => {
          const { weight, masked } = values[query]?.[key] ?? { weight: 0, masked: true };
          const place = { head: head + 1, query: query + 1, key: key + 1 };
          setAttributes(square, {
            'aria-label': words.cell({ ...place, weight: formatWeight(weight), masked }),
            'data-weight': weight,
            'data-masked': masked,
            fill: masked ? hatch : colours.fill(weight),
          });
          setAttributes(figure, { fill: masked ? undefined : colours.ink(weight) });
          figure.textContent = masked ? '' : formatCell(weight);
        });
      });
      if (!hasSums) return;
      axes.showSums(
        values.map((row) => sum(row, ({ weight }) => weight)),
        range(keys).map((key) => sum(values, (row) => row[key]?.weight)),
      );
    },
    /** Rings a cell: fully where the reader is, faintly in the other heads' maps. */
    ring(cell: Cell | undefined, isHere: boolean): void {
      setAttributes(ring, {
        'data-shown': cell !== undefined,
        'data-here': isHere,
        transform: cell && `translate(${left + cell.key * pitch} ${top + cell.query * pitch})`,
      });
    },
    /** The one cell that the Tab key reaches. */
    setTabStop(query: number, key: number): void {
      tabStop?.setAttribute('tabindex', '-1');
      tabStop = squareAt(query, key);
      tabStop?.setAttribute('tabindex', '0');
    },
    focus(query: number, key: number): void {
      squareAt(query, key)?.focus();
    },
  };
  cells.forEach((row, query) => {
    row.forEach(({ square }, key) => register(square, { head, query, key }, map));
  });
  return map;
}

/** Where a map's cells begin, and how large the whole is. */
function geometryOf(names: AxisNames, hasSums: boolean) {
  const [queries, keys] = [names.queries.length, names.keys.length];
  const longest = max(names.queries, ({ length }) => length) ?? 0;
  const [left, top] = [Math.max(24, letterWidth * longest + 8), namesHeight];
  return {
    ...{ left, top, queries, keys, names },
    width: left + keys * pitch - gap / 2 + (hasSums ? sumsRoom.width : 0),
    height: top + queries * pitch - gap / 2 + (hasSums ? sumsRoom.height : 0),
  };
}

/** Names at the near edges of a map, sums at the far ones. */
function createAxes(geometry: ReturnType<typeof geometryOf>) {
  const { left, top, queries, keys, names } = geometry;
  const middle = (start: number, index: number): number => start + (index + 0.5) * pitch;
  const keyNames = names.keys.map((name, key) =>
    svg('text', { x: middle(left, key), y: top / 2 }, name),
  );
  const queryNames = names.queries.map((name, query) =>
    svg('text.axis-query', { x: left - 6, y: middle(top, query) }, name),
  );
  const rowSums = range(queries).map((query) =>
    svg('text.axis-sum', { x: left + keys * pitch + 20, y: middle(top, query) }),
  );
  const columnSums = range(keys).map((key) =>
    svg('text.axis-sum', { x: middle(left, key), y: top + queries * pitch + 12 }),
  );
  return {
    root: svg(
      'g.axes',
      { 'aria-hidden': 'true' },
      ...keyNames,
      ...queryNames,
      ...rowSums,
      ...columnSums,
    ),
    showSums(rows: readonly number[], columns: readonly number[]): void {
      rowSums.forEach((place, query) => {
        place.textContent = formatCell(rows[query] ?? NaN);
      });
      columnSums.forEach((place, key) => {
        place.textContent = formatCell(columns[key] ?? NaN);
      });
    },
  };
}
