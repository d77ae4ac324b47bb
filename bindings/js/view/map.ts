import { element, movedBy, range, setAttributes } from './dom.js';
import { type Reader, type Scene, twoDigits, type View, visible } from './scene.js';
import { viridis, wantsDarkInk } from './viridis.js';

/** Up to so many keys there is room for a number in each cell. */
const mostWithNumbers = 12;

/** One head's weights as a grid: a row for each query, a column for each key. */
export function createMap(reader: Reader): View {
  const grid = element('div', { class: 'grid', role: 'grid' });
  const told = element('p', { class: 'told' });
  const root = element('div', { class: 'map' }, element('div', { class: 'scroller' }, grid), told);
  let cells: readonly (readonly HTMLElement[])[] = [];
  let made: Pick<Scene, 'queryTokens' | 'keyTokens'> | undefined;
  let shown: Scene | undefined;

  const header = (role: string, token: string): HTMLElement =>
    element('span', { class: role, role }, element('span', {}, visible(token)));

  function makeCells({ queryTokens, keyTokens }: Scene): void {
    if (made?.queryTokens === queryTokens && made.keyTokens === keyTokens) return;
    made = { queryTokens, keyTokens };
    cells = queryTokens.map(() =>
      keyTokens.map(() =>
        element('div', { class: 'cell', role: 'gridcell', tabindex: -1, 'data-box': true }),
      ),
    );
    grid.style.setProperty('--keys', String(keyTokens.length));
    grid.replaceChildren(
      element(
        'div',
        { role: 'row' },
        // Above the names of the queries there is nothing.
        element('span', { role: 'presentation' }),
        ...keyTokens.map((token) => header('columnheader', token)),
      ),
      ...queryTokens.map((token, query) =>
        element('div', { role: 'row' }, header('rowheader', token), ...(cells[query] ?? [])),
      ),
    );
  }

  const placeOf = (target: EventTarget | null): { query: number; key: number } | undefined => {
    for (const query of range(cells.length)) {
      const key = cells[query]?.findIndex((cell) => cell === target) ?? -1;
      if (key >= 0) return { query, key };
    }
    return undefined;
  };
  grid.addEventListener('pointerover', ({ target, pointerType }) => {
    const at = placeOf(target);
    if (at !== undefined && pointerType !== 'touch') reader.point(at);
  });
  grid.addEventListener('pointerleave', () => {
    reader.point(undefined);
  });
  const goTo = (query: number, key: number): void => {
    reader.choose({ query, key });
    cells[query]?.[key]?.focus();
  };
  grid.addEventListener('click', ({ target }) => {
    const at = placeOf(target);
    if (at !== undefined) goTo(at.query, at.key);
  });
  grid.addEventListener('keydown', (event) => {
    const at = placeOf(event.target);
    if (at === undefined || shown === undefined) return;
    const { queries, keys } = shown.weights;
    const to = movedBy(event, [at.query, at.key], [queries, keys]);
    if (to === undefined) return;
    event.preventDefault();
    goTo(...to);
  });

  return {
    root,
    draw(scene) {
      shown = scene;
      const { weights, head = 0, layer, query, keyTokens, words } = scene;
      const key = scene.key ?? largestAt(scene, head);
      makeCells(scene);
      setAttributes(grid, { 'aria-label': words.map(layer + 1, head + 1) });
      const hasNumbers = keyTokens.length <= mostWithNumbers;
      setAttributes(grid, { 'data-dense': !hasNumbers });
      cells.forEach((row, i) => {
        row.forEach((cell, j) => {
          const weight = weights.at(head, i, j);
          const isHere = i === query && j === key;
          cell.style.setProperty('background-color', viridis(weight));
          cell.textContent = hasNumbers ? twoDigits(weight) : '';
          setAttributes(cell, {
            'aria-label': sayCell(scene, head, i, j),
            'data-ink': wantsDarkInk(weight) ? 'dark' : 'light',
            'data-here': isHere && scene.key !== undefined,
            tabindex: isHere ? 0 : -1,
          });
        });
      });
      told.textContent = sayCell(scene, head, query, key);
    },
  };
}

/** The key that the query attends to most. */
function largestAt({ weights, query }: Scene, head: number): number {
  const row = range(weights.keys).map((key) => weights.at(head, query, key));
  return row.indexOf(Math.max(...row));
}

/** "dog → the: 0.62" */
export function sayCell(scene: Scene, head: number, query: number, key: number): string {
  const { queryTokens, keyTokens, weights } = scene;
  const weight = weights.at(head, query, key);
  return `${visible(queryTokens[query] ?? '')} → ${visible(keyTokens[key] ?? '')}: ${twoDigits(weight)}`;
}
