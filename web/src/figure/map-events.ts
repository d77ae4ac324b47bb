import { neighbour, type Cell } from './cell.js';
import type { HeadMap, Register } from './head-map.js';
import type { Selection } from './selection.js';

interface Options {
  /** Holds all maps whose cells are registered. */
  readonly stage: HTMLElement;
  readonly selection: Selection;
  /** The size of every map. */
  readonly sizes: () => { readonly queries: number; readonly keys: number };
  /** A cell was focused or tapped. */
  readonly onPin: (cell: Cell) => void;
}

/** Lets pointer, touch and keyboard select cells of the maps on a stage. */
export function listenToMaps({ stage, selection, sizes, onPin }: Options): Register {
  const places = new WeakMap<EventTarget, { readonly cell: Cell; readonly map: HeadMap }>();
  const placeOf = ({ target }: Event) => (target === null ? undefined : places.get(target));

  stage.addEventListener('pointerover', (event) => {
    const place = placeOf(event);
    // Between two cells the last one stays, lest the read-out flicker.
    if (place !== undefined && event.pointerType !== 'touch') selection.hover(place.cell);
  });
  stage.addEventListener('pointerleave', () => {
    selection.hover(undefined);
  });
  stage.addEventListener('click', (event) => {
    const place = placeOf(event);
    place?.map.focus(place.cell.query, place.cell.key);
    selection.pin(place?.cell);
  });
  stage.addEventListener('focusin', (event) => {
    const place = placeOf(event);
    if (place === undefined) return;
    selection.pin(place.cell);
    onPin(place.cell);
  });
  stage.addEventListener('keydown', (event) => {
    const place = placeOf(event);
    if (place === undefined || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') selection.pin(undefined);
    const { queries, keys } = sizes();
    const next = neighbour(place.cell, event, queries, keys);
    if (next === undefined) return;
    event.preventDefault();
    place.map.focus(next.query, next.key);
  });
  return (target, cell, map) => places.set(target, { cell, map });
}
