import { element, range } from './dom.js';
import { createGrid } from './grid.js';
import { type Reader, sayHead, type Scene, twoDigits, type View, visible } from './scene.js';
import { paint, wantsDarkInk } from './viridis.js';

/** Maps show a number in each cell up to these numbers of keys and queries. */
const mostWithNumbers = { keys: 12, queries: 48 };

/**
 * One head's weights as a grid: a row for each query, a column for each key. A canvas draws one pixel for each weight.
 */
export function createMap(reader: Reader): View {
  const canvas = element('canvas', { 'aria-hidden': 'true', 'data-box': true });
  const numbers = element('div', { class: 'numbers', 'aria-hidden': 'true' });
  const grid = createGrid([canvas, numbers], {
    point: (at) => {
      reader.point(at && { query: at[0], key: at[1] });
    },
    move: ([query, key]) => {
      reader.choose({ query, key });
    },
  });
  const told = element('p', { class: 'told' });
  const root = element('div', { class: 'map' }, grid.root, told);
  let made: Pick<Scene, 'queryTokens' | 'keyTokens'> | undefined;
  let drawn: { readonly of: Scene['weights']; readonly head: number } | undefined;

  function makeLabels({ queryTokens, keyTokens }: Scene): void {
    if (made?.queryTokens === queryTokens && made.keyTokens === keyTokens) return;
    made = { queryTokens, keyTokens };
    grid.label(queryTokens, keyTokens);
  }

  function drawWeights({ weights }: Scene, head: number): void {
    if (drawn?.of === weights && drawn.head === head) return;
    drawn = { of: weights, head };
    const { queries, keys } = weights;
    const ofHead = weights.ofHead(head);
    paint(canvas, ofHead, queries, keys);
    const hasNumbers = keys <= mostWithNumbers.keys && queries <= mostWithNumbers.queries;
    numbers.replaceChildren(
      ...Array.from(hasNumbers ? ofHead : [], (weight) =>
        element('span', { 'data-ink': wantsDarkInk(weight) ? 'dark' : 'light' }, twoDigits(weight)),
      ),
    );
  }

  return {
    root,
    draw(scene) {
      const { head = 0, layer, query, words } = scene;
      const key = keyOf(scene);
      makeLabels(scene);
      drawWeights(scene, head);
      grid.name(scene.isMean ? sayHead(scene, layer, head) : words.map(layer, head));
      const said = sayCell(scene, head, query, key);
      grid.place([query, key], said, { 'data-here': scene.key !== undefined });
      told.textContent = said;
    },
  };
}

/** The reader's key; by default the one with the largest weight. */
function keyOf({ weights, query, head = 0, key }: Scene): number {
  if (key !== undefined) return key;
  const row = range(weights.keys).map((each) => weights.at(head, query, each));
  return row.indexOf(Math.max(...row));
}

/** "dog → the: 0.62" */
export function sayCell(scene: Scene, head: number, query: number, key: number): string {
  const { queryTokens, keyTokens, weights } = scene;
  const weight = weights.at(head, query, key);
  return `${visible(queryTokens[query] ?? '')} → ${visible(keyTokens[key] ?? '')}: ${twoDigits(weight)}`;
}
