import { range } from 'd3-array';

import { setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { asButton } from '../../ui/svg-button.js';
import { bandOf, coloursOf, hasColumnBands, isMaskedCell } from './colours.js';
import type { Place } from './layout.js';
import type { Pass } from './pass.js';
import type { Part } from './steps.js';
import { words } from './words.js';

/** A number of a part, from 0. */
export interface PartCell {
  readonly part: Part;
  readonly row: number;
  readonly column: number;
}

export interface Box {
  readonly root: SVGGElement;
  draw(pass: Pass, head: number, isKnown: boolean): void;
  ring(cell: PartCell | undefined): void;
}

interface Options {
  readonly part: Part;
  readonly place: Place;
  readonly hatch: string;
  readonly onPress: () => void;
  /** The pointer or an arrow key is on a number, or has left. */
  readonly onLook: (cell: PartCell | undefined) => void;
}

const bar = 4;

/** A part of the layer: its name, its numbers as colours, and the heads that rows or columns belong to. */
export function createBox({ part, place, hatch, onPress, onLook }: Options): Box {
  const { x, y, cell, rows, columns } = place;
  const [width, height] = [columns * cell, rows * cell];
  const squares = range(rows).map((row) =>
    range(columns).map((column) =>
      svg('rect', {
        class: 'figure-cell',
        x: x + column * cell,
        y: y + row * cell,
        width: cell - (cell > 10 ? 1 : 0.4),
        height: cell - (cell > 10 ? 1 : 0.4),
        'data-row': row,
        'data-column': column,
      }),
    ),
  );
  const bands = svg('g');
  const ring = svg('rect', {
    class: 'figure-ring',
    width: cell,
    height: cell,
    visibility: 'hidden',
  });
  const [name] = words.names[part].split('_');
  const subscript = words.names[part].split('_').at(1);
  const title = svg(
    'text',
    { class: 'figure-name', x, y: y - (hasColumnBands(part) ? 13 : 8) },
    name,
  );
  if (subscript !== undefined) {
    title.append(svg('tspan', { class: 'figure-subscript', dy: 3 }, subscript));
  }
  const root = asButton(
    svg(
      'g',
      { class: 'figure-box', 'data-part': part },
      title,
      svg('rect', {
        class: 'figure-frame',
        x: x - 3,
        y: y - 3,
        width: width + 6,
        height: height + 6,
        rx: 3,
      }),
      svg('g', { class: 'figure-cells' }, ...squares.flat()),
      bands,
      ring,
    ),
    onPress,
  );
  listen(root, place, part, onLook);

  return {
    root,
    draw(pass, head, isKnown) {
      const numbers = pass.rowsOf(part, head);
      const { fill } = coloursOf(pass, part, head);
      squares.forEach((squaresOfRow, row) => {
        squaresOfRow.forEach((square, column) => {
          const value = numbers[row]?.[column] ?? NaN;
          const masked = isMaskedCell(pass, part, row, column);
          const owner = bandOf(pass, part, row, column);
          const isShared = part === 'concat' || part === 'W_o';
          setAttributes(square, {
            visibility: isKnown ? undefined : 'hidden',
            'data-value': isKnown ? value : undefined,
            'data-masked': isKnown && masked,
            'data-other': owner !== undefined && owner !== head && !isShared,
            fill: masked ? hatch : fill(value),
          });
        });
      });
      bands.replaceChildren(...bandsOf(pass, part, place, head));
    },
    ring(at) {
      setAttributes(ring, {
        visibility: at === undefined ? 'hidden' : 'visible',
        x: at && x + at.column * cell,
        y: at && y + at.row * cell,
      });
    },
  };
}

/** A bar for each head along the rows or the columns that are its own. */
function bandsOf(pass: Pass, part: Part, { x, y, cell }: Place, head: number): SVGElement[] {
  const isRows = bandOf(pass, part, pass.headSize, 0) === 1;
  if (!isRows && bandOf(pass, part, 0, pass.headSize) !== 1) return [];
  const length = pass.headSize * cell;
  return range(pass.heads).map((each) => {
    const from = each * length + 1;
    const along = isRows
      ? { x: x - 4 - bar, y: y + from, width: bar, height: length - 2 }
      : { x: x + from, y: y - 4 - bar, width: length - 2, height: bar };
    return withHeadColour(
      svg('rect', {
        class: 'figure-band',
        'data-head': each,
        'data-front': each === head,
        ...along,
      }),
      each,
    );
  });
}

/** The number that the pointer is on, and the one that arrow keys lead to. */
function listen(
  root: SVGGElement,
  { rows, columns }: Place,
  part: Part,
  onLook: Options['onLook'],
): void {
  let [row, column] = [0, 0];
  const look = (): void => {
    onLook({ part, row, column });
  };
  root.addEventListener('pointermove', ({ target }) => {
    if (!(target instanceof SVGElement) || target.dataset.value === undefined) return;
    [row, column] = [Number(target.dataset.row), Number(target.dataset.column)];
    look();
  });
  root.addEventListener('pointerleave', () => {
    onLook(undefined);
  });
  root.addEventListener('focus', () => {
    if (root.matches(':focus-visible')) look();
  });
  root.addEventListener('blur', () => {
    onLook(undefined);
  });
  root.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[
      event.key
    ];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    row = Math.min(Math.max(row + by[0], 0), rows - 1);
    column = Math.min(Math.max(column + by[1], 0), columns - 1);
    look();
  });
}
