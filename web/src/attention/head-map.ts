import { range, sum } from 'd3-array';

import { element, setAttributes, svg } from '../ui/dom.js';
import { withHeadColour } from '../ui/head-colour.js';
import type { MapColours } from './colour.js';
import { type AxisNames, createAxes, geometryOf, pitch } from './map-axes.js';
import type { Cell, Register } from './map-selection.js';
import { words } from './words.js';

const gap = 2;

export interface CellValue {
  readonly weight: number;
  readonly masked: boolean;
  /** Taken out by dropout. */
  readonly dropped?: boolean;
}

/** How a map shows values. */
export interface MapStyle {
  readonly colours: MapColours;
  /** What fits into a cell. */
  readonly short: (weight: number) => string;
  /** What is read out of a cell. */
  readonly spoken: (cell: Cell, value: CellValue) => string;
}

export interface HeadMap {
  readonly root: HTMLElement;
  readonly drawing: SVGSVGElement;
  draw(valueOf: (query: number, key: number) => CellValue, style: MapStyle): void;
  /** What stands below the head's name, and whether the head is the selected one. */
  describe(lines: readonly string[], isSelected: boolean): void;
  /** Rings a cell: fully where the reader is, faintly in the other heads' maps. */
  ring(cell: Cell | undefined, isHere: boolean): void;
  /** The one cell that the Tab key reaches. */
  setTabStop(query: number, key: number): void;
  focus(query: number, key: number): void;
}

interface Options {
  readonly sample: number;
  readonly head: number;
  readonly queries: number;
  readonly keys: number;
  readonly title: string;
  readonly label: string;
  /** A fill for masked cells. */
  readonly hatch: string;
  readonly register: Register;
  /** What queries and keys are called at the edges. Default: q1, k1 and so on, where they fit. */
  readonly names?: AxisNames;
  /** Whether nothing stands at the edges. */
  readonly isBare?: boolean;
  /** Whether the sums of rows and columns stand at the far edges. */
  readonly hasSums?: boolean;
}

/** The weights of one head for one sample: queries down, keys across. */
export function createHeadMap(options: Options): HeadMap {
  const { sample, head, queries, keys, hatch, register, isBare, hasSums = false } = options;
  const geometry = geometryOf(queries, keys, options.names, { isBare, hasSums });
  const { left, top, width, height } = geometry;
  const cells = range(queries).map((query) =>
    range(keys).map((key) => ({
      square: svg('rect', {
        class: 'cell',
        role: 'gridcell',
        tabindex: -1,
        'data-sample': sample,
        'data-head': head,
        'data-query': query,
        'data-key': key,
        x: left + key * pitch + gap / 2,
        y: top + query * pitch + gap / 2,
        width: pitch - gap,
        height: pitch - gap,
        rx: 2,
      }),
      figure: svg('text', {
        class: 'cell-text',
        x: left + (key + 0.5) * pitch,
        y: top + (query + 0.5) * pitch,
      }),
    })),
  );
  const squareAt = (query: number, key: number): SVGRectElement | undefined =>
    cells[query]?.[key]?.square;
  let tabStop = squareAt(0, 0);

  const ring = svg(
    'g',
    { class: 'ring' },
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
    'svg',
    {
      class: 'map',
      viewBox: `0 0 ${width} ${height}`,
      role: 'grid',
      'aria-label': options.label,
      'data-dense': geometry.isDense,
    },
    axes.root,
    ...rows,
    // The labels of the cells say the same, and more.
    svg('g', { 'aria-hidden': 'true' }, ...cells.flat().map(({ figure }) => figure)),
    ring,
  );
  const note = element('span', { class: 'head-note' });
  const root = element(
    'div',
    { class: 'head' },
    element(
      'div',
      { class: 'head-name' },
      element('span', { class: 'head-title' }, options.title),
      ' ',
      note,
    ),
    drawing,
  );
  withHeadColour(root, head);

  const map: HeadMap = {
    root,
    drawing,
    draw(valueOf, { colours, short, spoken }) {
      const values = cells.map((row, query) => row.map((_cell, key) => valueOf(query, key)));
      cells.forEach((row, query) => {
        row.forEach(({ square, figure }, key) => {
          const value = values[query]?.[key] ?? { weight: 0, masked: true };
          const { weight, masked, dropped = false } = value;
          setAttributes(square, {
            'aria-label': spoken({ sample, head, query, key }, value),
            'data-weight': weight,
            'data-masked': masked,
            'data-dropped': dropped,
            fill: masked ? hatch : colours.fill(weight),
          });
          setAttributes(figure, {
            fill: masked ? undefined : colours.ink(weight),
            'data-dropped': dropped,
          });
          figure.textContent = masked ? '' : dropped ? '×' : short(weight);
        });
      });
      if (!hasSums) return;
      axes.showSums(
        values.map((row) => sum(row, ({ weight }) => weight)),
        range(keys).map((key) => sum(values, (row) => row[key]?.weight)),
      );
    },
    describe(lines, isSelected) {
      note.replaceChildren(...lines.map((line) => element('span', {}, line)));
      setAttributes(root, { 'data-selected': isSelected });
    },
    ring(cell, isHere) {
      setAttributes(ring, {
        'data-shown': cell !== undefined,
        'data-here': isHere,
        transform: cell && `translate(${left + cell.key * pitch} ${top + cell.query * pitch})`,
      });
    },
    setTabStop(query, key) {
      tabStop?.setAttribute('tabindex', '-1');
      tabStop = squareAt(query, key);
      tabStop?.setAttribute('tabindex', '0');
    },
    focus(query, key) {
      squareAt(query, key)?.focus();
    },
  };
  cells.forEach((row, query) => {
    row.forEach(({ square }, key) => {
      register(square, { sample, head, query, key }, map);
    });
  });
  return map;
}
