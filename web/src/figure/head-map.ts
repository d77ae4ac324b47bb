import { range } from 'd3-array';

import { colourOfWeight, wantsDarkInk } from '../colour.js';
import { element, setAttributes, svg } from '../dom.js';
import { formatCell, formatWeight } from '../format.js';
import { text } from '../text/index.js';
import type { Cell } from './cell.js';

/** In units of the drawing; CSS decides how large a unit is. */
const pitch = 32;
const gap = 2;
const gutter = { left: 24, top: 20 } as const;

export interface CellValue {
  readonly weight: number;
  readonly masked: boolean;
}

export interface HeadMap {
  readonly root: HTMLElement;
  draw(valueOf: (query: number, key: number) => CellValue): void;
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
  /** A fill for masked cells. */
  readonly hatch: string;
  /** Told which element stands for which cell, so that events can be traced back. */
  readonly register: (target: Element, cell: Cell) => void;
}

/** The weights of one head for one sample: queries down, keys across. */
export function createHeadMap(options: Options): HeadMap {
  const { sample, head, queries, keys, hatch, register } = options;
  const cells = range(queries).map((query) =>
    range(keys).map((key) => {
      const square = svg('rect', {
        class: 'cell',
        role: 'gridcell',
        tabindex: -1,
        'data-sample': sample,
        'data-head': head,
        'data-query': query,
        'data-key': key,
        x: gutter.left + key * pitch + gap / 2,
        y: gutter.top + query * pitch + gap / 2,
        width: pitch - gap,
        height: pitch - gap,
        rx: 2,
      });
      const figure = svg('text', {
        class: 'cell-text',
        x: gutter.left + (key + 0.5) * pitch,
        y: gutter.top + (query + 0.5) * pitch,
      });
      register(square, { sample, head, query, key });
      return { square, figure };
    }),
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
      { role: 'row', 'aria-label': text.map.row(query + 1) },
      ...row.map(({ square }) => square),
    ),
  );
  const width = gutter.left + keys * pitch - gap / 2;
  const height = gutter.top + queries * pitch - gap / 2;
  const drawing = svg(
    'svg',
    {
      class: 'map',
      viewBox: `0 0 ${width} ${height}`,
      role: 'grid',
      'aria-label': text.map.label(head + 1, sample + 1, queries, keys),
    },
    axisTexts(queries, keys),
    ...rows,
    // The labels of the cells say the same, and more.
    svg('g', { 'aria-hidden': 'true' }, ...cells.flat().map(({ figure }) => figure)),
    ring,
  );

  return {
    root: element(
      'div',
      { class: 'head' },
      element('div', { class: 'head-name', 'aria-hidden': 'true' }, text.map.title(head + 1)),
      drawing,
    ),
    draw(valueOf) {
      cells.forEach((row, query) => {
        row.forEach(({ square, figure }, key) => {
          const { weight, masked } = valueOf(query, key);
          setAttributes(square, {
            'aria-label': text.cell({
              head: head + 1,
              query: query + 1,
              key: key + 1,
              weight: formatWeight(weight),
              masked,
            }),
            'data-weight': weight,
            'data-masked': masked,
            fill: masked ? hatch : colourOfWeight(weight),
          });
          setAttributes(figure, { 'data-ink': wantsDarkInk(weight) ? 'dark' : 'light' });
          figure.textContent = masked ? '' : formatCell(weight);
        });
      });
    },
    ring(cell, isHere) {
      setAttributes(ring, {
        'data-shown': cell !== undefined,
        'data-here': isHere,
        transform:
          cell && `translate(${gutter.left + cell.key * pitch} ${gutter.top + cell.query * pitch})`,
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
}

function axisTexts(queries: number, keys: number): SVGGElement {
  return svg(
    'g',
    { class: 'axes', 'aria-hidden': 'true' },
    ...range(keys).map((key) =>
      svg(
        'text',
        { x: gutter.left + (key + 0.5) * pitch, y: gutter.top / 2 },
        text.map.key(key + 1),
      ),
    ),
    ...range(queries).map((query) =>
      svg(
        'text',
        { x: gutter.left / 2, y: gutter.top + (query + 0.5) * pitch },
        text.map.query(query + 1),
      ),
    ),
  );
}
