import { headColour } from './colours.js';
import { element, movedBy, setAttributes } from './dom.js';
import { type Reader, sayHead, type Scene, type View } from './scene.js';
import { paint } from './viridis.js';

interface Tile {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly layer: number;
  readonly head: number;
}

/** Every head of every layer as a small map with one pixel for each weight. Pressing a map opens its head. */
export function createModel(reader: Reader): View & { readonly focus: () => void } {
  const grid = element('div', { class: 'tiles', role: 'grid' });
  const told = element('p', { class: 'told' });
  const root = element(
    'div',
    { class: 'model' },
    element('div', { class: 'scroller' }, grid),
    told,
  );
  let tiles: readonly (readonly Tile[])[] = [];
  let drawn: Scene['layers'] = [];
  let stop: readonly [number, number] = [0, 0];
  let shown: Scene | undefined;

  function makeTiles({ layers }: Scene): void {
    const isSame =
      tiles.length === layers.length &&
      layers.every(({ heads }, layer) => tiles[layer]?.length === heads);
    if (isSame) return;
    tiles = layers.map(({ heads }, layer) =>
      Array.from({ length: heads }, (_, head): Tile => {
        const canvas = element('canvas', { 'aria-hidden': 'true' });
        const tile = element('div', { class: 'tile', role: 'gridcell', tabindex: -1 }, canvas);
        tile.style.setProperty('--colour', headColour(head));
        return { root: tile, canvas, layer, head };
      }),
    );
    grid.style.setProperty('--heads', String(Math.max(...layers.map(({ heads }) => heads))));
    grid.replaceChildren(
      ...tiles.map((row, layer) =>
        element(
          'div',
          { role: 'row' },
          element('span', { class: 'rowheader', role: 'rowheader' }, String(layer)),
          ...row.map((tile) => tile.root),
        ),
      ),
    );
    stop = [0, 0];
  }

  const labelOf = ({ layer, head }: Tile): string =>
    shown === undefined ? '' : sayHead(shown, layer, head);
  const tileAt = (target: EventTarget | null): Tile | undefined =>
    tiles.flat().find((tile) => target instanceof Node && tile.root.contains(target));
  const tell = (tile: Tile | undefined): void => {
    told.textContent = tile === undefined ? '' : labelOf(tile);
  };
  const open = ({ layer, head }: Tile): void => {
    stop = [layer, head];
    reader.choose({ view: 'arcs', layer, head });
  };
  grid.addEventListener('pointerover', ({ target }) => {
    tell(tileAt(target));
  });
  grid.addEventListener('pointerleave', () => {
    tell(undefined);
  });
  grid.addEventListener('focusin', ({ target }) => {
    tell(tileAt(target));
  });
  grid.addEventListener('click', ({ target }) => {
    const tile = tileAt(target);
    if (tile !== undefined) open(tile);
  });
  grid.addEventListener('keydown', (event) => {
    const tile = tileAt(event.target);
    if (tile === undefined) return;
    const { layer, head } = tile;
    const to = movedBy(event, [layer, head], [tiles.length, tiles[layer]?.length ?? 0]);
    if (to === undefined && event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    if (to === undefined) {
      open(tile);
      return;
    }
    // Layers may have different numbers of heads.
    const [row, column] = to;
    stop = [row, Math.min(column, (tiles[row]?.length ?? 1) - 1)];
    setStop();
    tiles[stop[0]]?.[stop[1]]?.root.focus();
  });
  const setStop = (): void => {
    for (const { root: tile, layer, head } of tiles.flat()) {
      setAttributes(tile, { tabindex: layer === stop[0] && head === stop[1] ? 0 : -1 });
    }
  };

  return {
    root,
    focus() {
      tiles[stop[0]]?.[stop[1]]?.root.focus();
    },
    draw(scene) {
      shown = scene;
      makeTiles(scene);
      setStop();
      setAttributes(grid, { 'aria-label': scene.words.model(scene.layers.length) });
      for (const tile of tiles.flat()) setAttributes(tile.root, { 'aria-label': labelOf(tile) });
      tell(undefined);
      const before = drawn;
      drawn = scene.layers;
      for (const { canvas, layer, head } of tiles.flat()) {
        const weights = scene.layers.at(layer);
        if (weights === undefined || weights === before.at(layer)) continue;
        const { queries, keys } = weights;
        paint(canvas, weights.ofHead(head), queries, keys);
      }
    },
  };
}
