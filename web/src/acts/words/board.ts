import { group, range } from 'd3-array';

import { formatSigned } from '../../format/numbers.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { type Piece, resolveStyles } from '../../ui/export/drawing.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { type Head, nameOfHead, sameHead } from '../../worker/heads.js';
import type { ModelDescription, TextRun } from '../../worker/language-model.js';
import { roleOf, sayRole } from './roles.js';
import type { Selected } from './state.js';
import { createTileMap } from './tile-map.js';
import { words } from './words.js';

interface Shown {
  readonly model: ModelDescription;
  readonly run: TextRun;
  readonly selected: Selected;
  readonly shut: readonly Head[];
  readonly importance: readonly (readonly number[])[] | undefined;
}

export interface Board {
  readonly root: HTMLElement;
  draw(shown: Shown): void;
  /** The maps of all heads, a row a layer. */
  drawings(): Piece[][];
}

interface Actions {
  readonly onSelect: (head: Head) => void;
  readonly onGate: (head: Head) => void;
}

/** Every head of every layer: its map, which selects it, and its gate. A row a layer; arrow keys go from tile to tile. */
export function createBoard(actions: Actions): Board {
  const root = element('div', { class: 'board', role: 'group', 'aria-label': words.board });
  let tiles: readonly Tile[] = [];
  let built = '';

  function build({ numHeads }: ModelDescription): void {
    built = numHeads.join();
    tiles = numHeads.flatMap((heads, layer) =>
      range(heads).map((head) => createTile({ layer, head }, actions)),
    );
    root.style.setProperty('--columns', String(Math.max(...numHeads)));
    root.replaceChildren(
      ...numHeads.flatMap((_, layer) => [
        element('h3', { class: 'board-layer' }, words.layer(layer)),
        element(
          'div',
          { class: 'board-row' },
          ...tiles.filter(({ place }) => place.layer === layer).map((tile) => tile.root),
        ),
      ]),
    );
    setTabStop(tiles[0]);
  }

  /** The tile that Tab leads to; arrows lead to the others. */
  function setTabStop(stop: Tile | undefined): void {
    for (const tile of tiles) {
      for (const button of tile.buttons) button.tabIndex = tile === stop ? 0 : -1;
    }
  }

  root.addEventListener('focusin', ({ target }) => {
    setTabStop(tiles.find((tile) => tile.root.contains(target as Node)));
  });
  root.addEventListener('keydown', (event) => {
    const [down, across] = arrows[event.key] ?? [0, 0];
    const tile = tiles.find((each) => each.root.contains(event.target as Node));
    if (tile === undefined || (down === 0 && across === 0)) return;
    event.preventDefault();
    const { layer, head } = tile.place;
    const next = tiles.find(({ place }) =>
      sameHead(place, { layer: layer + down, head: head + across }),
    );
    const which = tile.buttons.findIndex((button) => button === event.target);
    next?.buttons[which]?.focus();
  });

  return {
    root,
    draw(shown) {
      if (shown.model.numHeads.join() !== built) build(shown.model);
      for (const tile of tiles) tile.draw(shown);
    },
    drawings: () =>
      Array.from(
        group(tiles, ({ place }) => place.layer),
        ([, ofLayer]) => ofLayer.map((tile) => tile.drawing()),
      ),
  };
}

const arrows: Readonly<Partial<Record<string, readonly [number, number]>>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Tile {
  readonly root: HTMLElement;
  readonly place: Head;
  readonly buttons: readonly [HTMLButtonElement, HTMLButtonElement];
  draw(shown: Shown): void;
  /** Its map, to be saved. */
  drawing(): Piece;
}

/** Width and height of a map that is saved, in units of its drawing. */
const savedSide = 160;

function createTile(place: Head, { onSelect, onGate }: Actions): Tile {
  const map = createTileMap();
  const roleName = element('span', { class: 'tile-role' });
  const show = element('button', { type: 'button', class: 'tile-show' }, map.root);
  const state = element('span', { class: 'tile-state' });
  const gate = element(
    'button',
    { type: 'button', class: 'tile-gate', role: 'switch' },
    element('span', { class: 'tile-knob', 'aria-hidden': 'true' }),
    state,
  );
  show.addEventListener('click', () => {
    onSelect(place);
  });
  gate.addEventListener('click', () => {
    onGate(place);
  });
  const root = withHeadColour(
    element('div', { class: 'words-tile' }, show, roleName, gate),
    place.head,
  );
  return {
    root,
    place,
    buttons: [show, gate],
    drawing() {
      const { drawing } = resolveStyles(map.root);
      setAttributes(drawing, { width: savedSide, height: savedSide });
      // What is hatched on the page, by its background.
      const fill = getComputedStyle(root).getPropertyValue('--hatch-ground');
      drawing.prepend(svg('rect', { width: '100%', height: '100%', fill }));
      const note = [roleName.textContent, state.textContent].filter(Boolean).join(', ');
      const framed = svg('svg', { viewBox: `0 0 ${savedSide} ${savedSide}` }, drawing);
      return { drawing: framed, title: nameOfHead(place), note };
    },
    draw({ model, run, selected, shut, importance: rises }) {
      const { layer, head } = place;
      const tokens = run.tokens.length;
      const area = tokens * tokens;
      const weights = run.weights[layer].subarray(head * area, (head + 1) * area);
      const scores = run.scores[layer][head];
      map.draw(weights, tokens, model.isCausal);
      const role = sayRole(roleOf(scores));
      roleName.textContent = role;
      const rise = rises?.[layer]?.[head];
      const isOpen = !shut.some((each) => sameHead(each, place));
      const isShown = selected.layer === layer && (selected.head ?? head) === head;
      setAttributes(root, { 'data-shut': !isOpen, 'data-selected': isShown });
      setAttributes(show, {
        'aria-label': words.show(place, role),
        'aria-pressed': String(isShown),
      });
      state.textContent =
        rise === undefined ? (isOpen ? words.open : words.shut) : formatSigned(rise);
      setAttributes(gate, {
        'aria-checked': String(isOpen),
        'aria-label': words.gate(place, rise === undefined ? undefined : formatSigned(rise)),
      });
    },
  };
}
