import { type Attributes, element, movedBy, setAttributes } from './dom.js';
import { visible } from './scene.js';

interface Labels {
  /** Maximum number of rows or columns that each get a label. With more, cells are smaller and every fifth has one. */
  readonly most?: number;
  /** What the rows' and the columns' labels are. Default: untitled. */
  readonly titles?: readonly [rows: string, columns: string];
}

/** A cell: row and column. */
export type Place = readonly [row: number, column: number];

/** The callbacks of a grid for its reader's actions. */
interface GridReader {
  /** The pointer moved to a cell; undefined when it leaves. */
  readonly point: (at: Place | undefined) => void;
  /** The reader moved the live cell by keyboard. */
  readonly move: (at: Place) => void;
  /** The reader pressed a cell, or a key on the live cell. Default: pressing a cell moves to it. */
  readonly select?: (at: Place) => void;
}

export interface Grid {
  readonly root: HTMLElement;
  /** Sets the labels, and with them the number of rows and columns. */
  label(rows: readonly string[], columns: readonly string[], labels?: Labels): void;
  /** Sets the grid's accessible name. */
  name(text: string): void;
  /** Puts the live cell at a place, which `text` describes, with further attributes. */
  place(at: Place, text: string, attributes: Attributes): void;
}

/**
 * A grid with labels around `contents`, which draw its cells. A single live cell follows the reader, for keyboard and
 * screen reader.
 */
export function createGrid(contents: readonly HTMLElement[], reader: GridReader): Grid {
  const rowTitle = element('div', { class: 'rowtitle', 'aria-hidden': 'true' });
  const columnTitle = element('div', { class: 'columntitle', 'aria-hidden': 'true' });
  const columnLabels = element('div', { class: 'columns', 'aria-hidden': 'true' });
  const rowLabels = element('div', { class: 'rows', 'aria-hidden': 'true' });
  const cell = element('div', { class: 'cell', role: 'gridcell', tabindex: 0 });
  const row = element('div', { role: 'row' }, cell);
  const plot = element('div', { class: 'plot', role: 'presentation' }, ...contents, row);
  const grid = element(
    'div',
    { class: 'grid', role: 'grid' },
    columnTitle,
    rowTitle,
    columnLabels,
    rowLabels,
    plot,
  );
  let size: Place = [0, 0];
  let here: Place = [0, 0];
  let pointed = '';

  const labelsOf = (
    texts: readonly string[],
    axis: 'column' | 'row',
    most: number,
  ): HTMLElement[] => {
    const stride = texts.length > most ? 5 : 1;
    return texts.flatMap((text, i) => {
      if (i % stride > 0) return [];
      const label = element('span', { class: `${axis}header` }, element('span', {}, visible(text)));
      label.style.setProperty(
        `grid-${axis}`,
        `${i + 1} / ${Math.min(i + stride, texts.length) + 1}`,
      );
      return [label];
    });
  };

  const placeOf = ({ clientX, clientY }: MouseEvent): Place | undefined => {
    const { left, top, width, height } = plot.getBoundingClientRect();
    if (width === 0 || height === 0) return undefined;
    const [rows, columns] = size;
    const at = Math.floor(((clientY - top) / height) * rows);
    const across = Math.floor(((clientX - left) / width) * columns);
    const isInside = at >= 0 && at < rows && across >= 0 && across < columns;
    return isInside ? [at, across] : undefined;
  };
  const goTo = (at: Place, go: (at: Place) => void): void => {
    go(at);
    cell.focus({ preventScroll: true });
    // jsdom has no `scrollIntoView`.
    if ('scrollIntoView' in cell) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  plot.addEventListener('pointermove', (event) => {
    const at = placeOf(event);
    if (at === undefined || event.pointerType === 'touch' || pointed === at.join()) return;
    pointed = at.join();
    reader.point(at);
  });
  plot.addEventListener('pointerleave', () => {
    pointed = '';
    reader.point(undefined);
  });
  plot.addEventListener('click', (event) => {
    const at = placeOf(event);
    if (at !== undefined) goTo(at, reader.select ?? reader.move);
  });
  cell.addEventListener('keydown', (event) => {
    const to = movedBy(event, here, size);
    const isPress = event.key === 'Enter' || event.key === ' ';
    if (to !== undefined) goTo(to, reader.move);
    else if (isPress && reader.select !== undefined) reader.select(here);
    else return;
    event.preventDefault();
  });

  return {
    root: element('div', { class: 'scroller' }, grid),
    label(rows, columns, { most = 64, titles = ['', ''] } = {}) {
      size = [rows.length, columns.length];
      grid.style.setProperty('--rows', String(rows.length));
      grid.style.setProperty('--columns', String(columns.length));
      setAttributes(grid, {
        'aria-rowcount': rows.length,
        'aria-colcount': columns.length,
        'data-fine': Math.max(...size) > most,
      });
      columnLabels.replaceChildren(...labelsOf(columns, 'column', most));
      rowLabels.replaceChildren(...labelsOf(rows, 'row', most));
      [rowTitle, columnTitle].forEach((title, i) => {
        title.textContent = titles[i] ?? '';
        title.hidden = title.textContent === '';
      });
    },
    name(text) {
      setAttributes(grid, { 'aria-label': text });
    },
    place(at, text, attributes) {
      here = at;
      setAttributes(row, { 'aria-rowindex': at[0] + 1 });
      setAttributes(cell, {
        'aria-label': text,
        'aria-colindex': at[1] + 1,
        ...attributes,
      });
      cell.style.setProperty('--row', String(at[0]));
      cell.style.setProperty('--column', String(at[1]));
    },
  };
}
