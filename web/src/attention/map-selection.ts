/** What can take the focus to one of its cells. */
interface Focusable {
  focus(query: number, key: number): void;
}

interface Place {
  readonly cell: Cell;
  readonly map: Focusable;
}

/** Told which element stands for which cell of which map, so that events can be traced back. */
export type Register = (target: Element, cell: Cell, map: Focusable) => void;

interface Options {
  /** Holds all maps whose cells are registered. */
  readonly stage: HTMLElement;
  readonly selection: Selection;
  /** The size of every map. */
  readonly sizes: () => { readonly queries: number; readonly keys: number };
  /** A cell was tapped, or reached by the arrow keys. */
  readonly onPin: (cell: Cell) => void;
}

/** Lets pointer, touch and keyboard select cells of the maps on a stage. */
export function listenToMaps({ stage, selection, sizes, onPin }: Options): Register {
  const places = new WeakMap<EventTarget, Place>();
  const placeOf = ({ target }: Event) => (target === null ? undefined : places.get(target));

  stage.addEventListener('pointerover', (event) => {
    const place = placeOf(event);
    // Between two cells the last one stays, lest the read-out flicker.
    if (place !== undefined && event.pointerType !== 'touch') selection.hover(place.cell);
  });
  stage.addEventListener('pointerleave', () => selection.hover(undefined));
  const pin = ({ map, cell }: Place): void => {
    map.focus(cell.query, cell.key);
    selection.pin(cell);
    onPin(cell);
  };
  stage.addEventListener('click', (event) => {
    const place = placeOf(event);
    if (place === undefined) selection.pin(undefined);
    else pin(place);
  });
  // Tab, which leads through all maps, says what is there and changes nothing.
  stage.addEventListener('focusin', (event) => selection.hover(placeOf(event)?.cell));
  stage.addEventListener('focusout', ({ relatedTarget }) => {
    // On the way from cell to cell there is nothing to take back.
    if (relatedTarget === null || !places.has(relatedTarget)) selection.hover(undefined);
  });
  stage.addEventListener('keydown', (event) => {
    const place = placeOf(event);
    if (place === undefined || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') selection.pin(undefined);
    const { queries, keys } = sizes();
    const isPress = event.key === 'Enter' || event.key === ' ';
    const next = isPress ? place.cell : neighbour(place.cell, event, queries, keys);
    if (next === undefined) return;
    event.preventDefault();
    pin({ map: place.map, cell: next });
  });
  return (target, cell, map) => places.set(target, { cell, map });
}

/** Indices as in the tensor of weights, from 0; what people read counts from 1. */
export interface Cell {
  readonly head: number;
  readonly query: number;
  readonly key: number;
}

function sameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  return a?.head === b?.head && a?.query === b?.query && a?.key === b?.key;
}

/** Where a key of the keyboard leads from a cell of a map, by the pattern of ARIA's grids. */
export function neighbour(
  cell: Cell,
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  queries: number,
  keys: number,
): Cell | undefined {
  const { query, key: column } = cell;
  const to = {
    ...{ ArrowLeft: [query, column - 1], ArrowRight: [query, column + 1] },
    ...{ ArrowUp: [query - 1, column], ArrowDown: [query + 1, column] },
    Home: [ctrlKey ? 0 : query, 0],
    End: [ctrlKey ? queries - 1 : query, keys - 1],
  }[key];
  return (
    to && {
      ...cell,
      query: Math.min(Math.max(to[0], 0), queries - 1),
      key: Math.min(Math.max(to[1], 0), keys - 1),
    }
  );
}

/**
 * The cell that a figure speaks of: the one under the pointer or the focus, else the one that was last chosen.
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
