import { range } from 'd3-array';

import type { AttentionView } from '../../attention/attention-view.js';
import { weightColours } from '../../attention/colour.js';
import type { Cell } from '../../attention/map-selection.js';
import { words as mapWords } from '../../attention/words.js';
import { element, setAttributes, setText, svg, withHeadColour } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import type { Shared } from './close-up.js';
import { words } from './words.js';

/** Side of a cell with its gap, in units of the drawing. */
const pitch = 10;
/** As many heads are in a row. */
const maxColumns = 10;

/**
 * The maps of all heads side by side: a button for each head, whose cells answer to the pointer. For speed the cells are
 * updated in place, and have neither text nor labels: the enlarged map has both.
 */
export function createTiles(
  { hatch, legend, selection }: Shared,
  onChoose: (head: number) => void,
) {
  const root = element('div.key-tiles', { role: 'group', 'aria-label': mapWords.map.heads });
  let tiles: readonly ReturnType<typeof createTile>[] = [];
  let shape = '';
  let shown: AttentionView | undefined;

  const cellOf = (event: PointerEvent | MouseEvent): Cell | undefined => {
    const { target } = event;
    const drawing = target instanceof Element ? target.closest('svg') : null;
    const head = tiles.findIndex((tile) => tile.drawing === drawing);
    if (drawing === null || head < 0 || shown === undefined) return undefined;
    const [, , queries = 0, keys = 0] = shown.weights.shape;
    const { left, top, width, height } = drawing.getBoundingClientRect();
    const at = (share: number, count: number): number =>
      Math.min(Math.max(Math.floor(share * count), 0), count - 1);
    const query = at((event.clientY - top) / height, queries);
    return { head, query, key: at((event.clientX - left) / width, keys) };
  };
  root.addEventListener('pointermove', (event) => {
    const cell = cellOf(event);
    if (cell !== undefined && event.pointerType !== 'touch') selection.hover(cell);
  });
  root.addEventListener('pointerleave', () => selection.hover(undefined));
  root.addEventListener('click', (event) => {
    const { target } = event;
    const head = tiles.findIndex((tile) => target instanceof Node && tile.root.contains(target));
    if (head < 0) return;
    // A press by the keyboard has no place.
    const cell = event.detail > 0 ? cellOf(event) : undefined;
    if (cell !== undefined) selection.pin(cell);
    onChoose(head);
  });

  return {
    root,
    savable: {
      name: words.maps,
      figure() {
        const pieces = tiles.map(({ drawing }, head) => ({
          drawing,
          title: mapWords.map.title(head + 1),
        }));
        const rows = range(0, pieces.length, maxColumns).map((at) =>
          pieces.slice(at, at + maxColumns),
        );
        return composeDrawings([...rows, [drawLegend(legend)]]);
      },
      data: () => shown && { validLens: shown.validLens, weights: shown.weights },
    },
    /** @param notes lines below the name of each head; heads count from 0 */
    draw(view: AttentionView, notes: readonly (readonly string[])[], selected: number): void {
      const isOther = shown !== view;
      shown = view;
      if (shape !== view.weights.shape.join()) {
        shape = view.weights.shape.join();
        const [, heads = 0, queries = 0, keys = 0] = view.weights.shape;
        const grid = createGrid(queries, keys);
        tiles = range(heads).map((head) => createTile(head, grid, queries, keys, hatch));
        root.replaceChildren(...tiles.map((tile) => tile.root));
        root.style.setProperty('--columns', String(Math.min(heads, maxColumns)));
        setAttributes(root, { 'data-many': heads > maxColumns / 2 });
      }
      tiles.forEach((tile, head) => {
        if (isOther) tile.draw(view);
        tile.describe(notes[head] ?? [], head === selected);
      });
    },
    /** Rings a cell in the maps of all heads. */
    ring(cell: Cell | undefined): void {
      for (const tile of tiles) tile.ring(cell);
    },
  };
}

/** The cells of a map, to be copied for each head: faster than making them one by one. */
const createGrid = (queries: number, keys: number): SVGGElement =>
  svg(
    'g',
    ...range(queries * keys).map((at) =>
      svg('rect.key-cell', {
        x: (at % keys) * pitch + 0.5,
        y: Math.floor(at / keys) * pitch + 0.5,
        width: pitch - 1,
        height: pitch - 1,
      }),
    ),
  );

function createTile(head: number, grid: SVGGElement, queries: number, keys: number, hatch: string) {
  const copy = grid.cloneNode(true) as SVGGElement;
  const cells = [...copy.children];
  const side = { width: pitch, height: pitch, rx: 1 };
  const ring = svg('g.ring', svg('rect.ring-outer', side), svg('rect.ring-inner', side));
  const drawing = svg(
    'svg.key-map.drawing',
    { viewBox: `0 0 ${keys * pitch} ${queries * pitch}`, 'aria-hidden': 'true' },
    copy,
    ring,
  );
  const note = element('span.head-note');
  const title = element('span.head-title', mapWords.map.title(head + 1));
  const root = element('button.key-tile.stack.soft.small', title, ' ', note, drawing);
  return {
    root: withHeadColour(root, head),
    drawing,
    draw({ weights, isMasked }: AttentionView): void {
      const { fill: colourOf } = weightColours(head);
      cells.forEach((cell, at) => {
        const [query, key] = [Math.floor(at / keys), at % keys];
        const weight = weights.at(0, head, query, key);
        const fill = isMasked(0, query, key) ? hatch : colourOf(weight);
        setAttributes(cell, { fill, 'data-weight': weight });
      });
    },
    describe(lines: readonly string[], isSelected: boolean): void {
      lines.forEach((line, at) => {
        setText(note.children.item(at) ?? note.appendChild(element('span')), line);
      });
      while (note.children.length > lines.length) note.lastElementChild?.remove();
      setAttributes(root, { 'aria-pressed': String(isSelected) });
    },
    ring(cell: Cell | undefined): void {
      setAttributes(ring, {
        'data-shown': cell !== undefined,
        'data-here': cell?.head === head,
        transform: cell && `translate(${cell.key * pitch} ${cell.query * pitch})`,
      });
    },
  };
}
