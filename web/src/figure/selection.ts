import { sameCell, type Cell } from './cell.js';

/**
 * The cell that a figure speaks of: the one under the pointer, else the one that was last focused
 * or tapped.
 */
export class Selection {
  #pinned: Cell | undefined;
  #hovered: Cell | undefined;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get active(): Cell | undefined {
    return this.#hovered ?? this.#pinned;
  }

  pin(cell: Cell | undefined): void {
    this.#change(() => {
      this.#pinned = cell;
      // The last gesture speaks: a pointer that rests on a map must not mute the arrow keys.
      this.#hovered = undefined;
    });
  }

  hover(cell: Cell | undefined): void {
    this.#change(() => {
      this.#hovered = cell;
    });
  }

  #change(act: () => void): void {
    const before = this.active;
    act();
    if (!sameCell(before, this.active)) this.#onChange();
  }
}
