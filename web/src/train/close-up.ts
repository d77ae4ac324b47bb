import { element, newId } from '../dom.js';
import type { Cell } from '../figure/cell.js';
import { neighbour } from '../figure/cell.js';
import { createHatch, hatchFill } from '../figure/hatch.js';
import { createHeadMap, type HeadMap } from '../figure/head-map.js';
import { svg } from '../dom.js';
import { formatWeight } from '../format.js';
import { sameHead, type Head } from '../lab/heads.js';
import { symbolOf } from '../lab/tasks.js';
import { text } from '../text/index.js';
import type { RunRecord } from './run-record.js';

export interface CloseUp {
  readonly root: HTMLElement;
  /** The map of one head, cell by cell; `undefined` for none. */
  draw(record: RunRecord, place: Head | undefined): void;
}

/** The adapter to the maps of the second act: one head large, with the tokens in its read-out. */
export function createCloseUp(): CloseUp {
  const hatchId = newId('hatch');
  const hatch = svg(
    'svg',
    { class: 'definitions', 'aria-hidden': 'true' },
    svg('defs', {}, createHatch(hatchId)),
  );
  const title = element('h3', { class: 'close-up-name' });
  const readOut = element('p', { class: 'read-out', role: 'status' }, text.train.closeUpHint);
  const mount = element('div', { class: 'close-up-map' });
  const root = element('div', { class: 'close-up' }, hatch, title, mount, readOut);
  const cellOf = new WeakMap<EventTarget, Cell>();
  let map: HeadMap | undefined;
  let shown: { readonly record: RunRecord; readonly place: Head } | undefined;
  let active: Cell | undefined;

  const weightOf = ({ query, key }: Pick<Cell, 'query' | 'key'>): number => {
    if (shown === undefined) return NaN;
    const { record, place } = shown;
    const length = record.start.tokens.length;
    return record.weights[place.layer][(place.head * length + query) * length + key];
  };

  function tell(): void {
    map?.ring(active, true);
    if (active === undefined || shown === undefined) {
      readOut.textContent = shown === undefined ? text.train.closeUpHint : '';
      return;
    }
    const { query, key } = active;
    const { record } = shown;
    const symbol = (position: number): string =>
      symbolOf(record.options.task, record.start.tokens[position]);
    readOut.textContent =
      key > query
        ? text.train.later(query + 1, symbol(query), key + 1, symbol(key))
        : text.train.cell(
            query + 1,
            symbol(query),
            key + 1,
            symbol(key),
            formatWeight(weightOf(active)),
          );
  }

  function choose(cell: Cell | undefined): void {
    active = cell;
    if (cell !== undefined) map?.setTabStop(cell.query, cell.key);
    tell();
  }

  function build(length: number, head: number): void {
    active = undefined;
    map = createHeadMap({
      sample: 0,
      head,
      queries: length,
      keys: length,
      hatch: hatchFill(hatchId),
      register: (target, cell) => cellOf.set(target, cell),
    });
    map.setTabStop(0, 0);
    mount.replaceChildren(map.root);
  }

  const cellAt = ({ target }: Event): Cell | undefined =>
    target === null ? undefined : cellOf.get(target);
  for (const gesture of ['pointerover', 'focusin', 'click']) {
    mount.addEventListener(gesture, (event) => {
      const cell = cellAt(event);
      if (cell !== undefined) choose(cell);
    });
  }
  mount.addEventListener('keydown', (event) => {
    const cell = cellAt(event);
    const length = shown?.record.start.tokens.length ?? 0;
    if (cell === undefined || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') choose(undefined);
    const next = neighbour(cell, event, length, length);
    if (next === undefined) return;
    event.preventDefault();
    map?.focus(next.query, next.key);
  });

  return {
    root,
    draw(record, place) {
      const length = record.start.tokens.length;
      const isSame =
        shown !== undefined &&
        place !== undefined &&
        sameHead(shown.place, place) &&
        shown.record.start.tokens.length === length;
      shown = place && { record, place };
      if (place === undefined) {
        mount.replaceChildren();
        title.textContent = '';
      } else {
        if (!isSame) build(length, place.head);
        title.textContent = text.train.closeUp({ layer: place.layer + 1, head: place.head + 1 });
        map?.draw((query, key) => ({ weight: weightOf({ query, key }), masked: key > query }));
      }
      tell();
    },
  };
}
