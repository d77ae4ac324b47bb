import { createCells } from './cells.js';
import { cellsStyle } from './cells-style.js';
import { DrawnElement } from './drawn-element.js';
import type { Place } from './grid.js';

/** An element that draws a table of cells, one of which can be selected. */
export abstract class CellsElement<Events> extends DrawnElement<Events> {
  /** @internal */
  protected readonly cells = createCells(
    {
      say: (at) => this.say(at),
      select: (at) => {
        this.select(at);
      },
    },
    this.said,
  );

  /** @param name what the style sheet calls the table */
  constructor(name: string) {
    super(cellsStyle);
    this.cells.root.classList.add(name);
    this.frame.append(this.cells.root);
  }

  /**
   * Describes a cell.
   * @internal
   */
  protected abstract say(at: Place): string;

  /**
   * The reader selected a cell.
   * @internal
   */
  protected abstract select(at: Place): void;
}
