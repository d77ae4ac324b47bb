import { element, range } from './dom.js';
import { createGrid, type Place } from './grid.js';

/** What a table of cells consists of. */
export interface Table {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** The titles of both. */
  readonly titles: readonly [rows: string, columns: string];
  readonly mostLabels: number;
  /** One for each cell, by rows. */
  readonly boxes: readonly HTMLElement[];
  /** The numbers at the ends of the scale of colours, and boxes in its colours. */
  readonly scale: readonly [low: string, boxes: readonly HTMLElement[], high: string];
  /** Where the live cell starts. */
  readonly start: Place;
}

/** Sets how much of the fill's colour a box has, from 0 to 1. */
export const shade = (box: HTMLElement, part: number): void => {
  box.style.setProperty('--part', `${Number((100 * part).toFixed(1))}%`);
};

/** Boxes of a scale, for numbers from `low` to `high`. */
export const rampOf = (
  low: number,
  high: number,
  createBox: (at: number) => HTMLElement,
): HTMLElement[] => range(33).map((i) => createBox(low + ((high - low) * i) / 32));

export interface Cells {
  readonly root: HTMLElement;
  /** Draws a new table; the live cell stays where it is, if the table still has such a cell. */
  make(table: Table): void;
  /** Draws which cell is selected, and what the cells say. */
  show(name: string, selected: Place | undefined): void;
}

/**
 * A table of coloured boxes. Above it are the scale of the colours and a line that describes the cell under the pointer,
 * otherwise the live cell.
 * @param said tells screen readers of the live cell
 */
export function createCells(
  { say, select }: { say: (at: Place) => string; select: (at: Place) => void },
  said: HTMLElement,
): Cells {
  const boxes = element('div', { class: 'boxes', 'aria-hidden': 'true' });
  const ring = element('div', { class: 'cell ring', 'aria-hidden': 'true', 'data-box': true });
  const scale = element('div', { class: 'scale' });
  const told = element('p', { class: 'told' });
  let size: Place = [0, 0];
  let here: Place | undefined;
  let pointed: Place | undefined;
  let chosen: Place | undefined;

  const move = (at: Place): void => {
    here = at;
    pointed = undefined;
    showHere();
    said.textContent = say(at);
  };
  const grid = createGrid([boxes, ring], {
    point: (at) => {
      pointed = at;
      showHere();
    },
    move,
    select: (at) => {
      move(at);
      select(at);
    },
  });
  function showHere(): void {
    if (here === undefined) return;
    const isSelected = here.join() === chosen?.join();
    grid.place(here, say(here), { 'aria-selected': String(isSelected) });
    told.textContent = say(pointed ?? here);
  }

  return {
    root: element(
      'div',
      { class: 'cells' },
      element('div', { class: 'head' }, told, scale),
      grid.root,
    ),
    make(table) {
      const { rows, columns, titles, mostLabels } = table;
      size = [rows.length, columns.length];
      grid.label(rows, columns, { most: mostLabels, titles });
      boxes.replaceChildren(...table.boxes);
      const [low, colours, high] = table.scale;
      scale.hidden = low === high;
      scale.replaceChildren(
        element('span', {}, low),
        element('span', { class: 'ramp', 'aria-hidden': 'true' }, ...colours),
        element('span', {}, high),
      );
      const isInside = here !== undefined && here[0] < size[0] && here[1] < size[1];
      if (!isInside) here = table.start;
      pointed = undefined;
    },
    show(name, selected) {
      // A selection that a program makes moves the live cell, too.
      if (selected !== undefined && selected.join() !== chosen?.join()) here = selected;
      chosen = selected;
      grid.name(name);
      ring.hidden = selected === undefined;
      ring.style.setProperty('--row', String(selected?.[0] ?? 0));
      ring.style.setProperty('--column', String(selected?.[1] ?? 0));
      showHere();
    },
  };
}
