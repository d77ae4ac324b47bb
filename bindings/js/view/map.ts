import { element, movedBy, range, setAttributes } from './dom.js';
import { type Reader, sayHead, type Scene, twoDigits, type View, visible } from './scene.js';
import { paint, wantsDarkInk } from './viridis.js';

/** Maps show a number in each cell up to these numbers of keys and queries. */
const mostWithNumbers = { keys: 12, queries: 48 };

/** Maximum number of tokens that each get a label. With more, cells are smaller and every fifth token has a label. */
const mostWithLabels = 64;
const strideOf = (count: number): number => (count > mostWithLabels ? 5 : 1);

/**
 * One head's weights as a grid: a row for each query, a column for each key. A canvas draws one pixel for each weight.
 * A single cell element follows the reader, for keyboard and screen reader.
 */
export function createMap(reader: Reader): View {
  const columns = element('div', { class: 'columns', 'aria-hidden': 'true' });
  const rows = element('div', { class: 'rows', 'aria-hidden': 'true' });
  const canvas = element('canvas', { 'aria-hidden': 'true', 'data-box': true });
  const numbers = element('div', { class: 'numbers', 'aria-hidden': 'true' });
  const cell = element('div', { class: 'cell', role: 'gridcell', tabindex: 0 });
  const row = element('div', { role: 'row' }, cell);
  const plot = element('div', { class: 'plot', role: 'presentation' }, canvas, numbers, row);
  const grid = element('div', { class: 'grid', role: 'grid' }, columns, rows, plot);
  const told = element('p', { class: 'told' });
  const root = element('div', { class: 'map' }, element('div', { class: 'scroller' }, grid), told);
  let made: Pick<Scene, 'queryTokens' | 'keyTokens'> | undefined;
  let drawn: { readonly of: Scene['weights']; readonly head: number } | undefined;
  let shown: Scene | undefined;
  let pointed = '';

  const labelsOf = (tokens: readonly string[], axis: 'column' | 'row'): HTMLElement[] => {
    const stride = strideOf(tokens.length);
    return tokens.flatMap((token, i) => {
      if (i % stride > 0) return [];
      const label = element(
        'span',
        { class: `${axis}header` },
        element('span', {}, visible(token)),
      );
      label.style.setProperty(
        `grid-${axis}`,
        `${i + 1} / ${Math.min(i + stride, tokens.length) + 1}`,
      );
      return [label];
    });
  };

  function makeLabels({ queryTokens, keyTokens }: Scene): void {
    if (made?.queryTokens === queryTokens && made.keyTokens === keyTokens) return;
    made = { queryTokens, keyTokens };
    const [queries, keys] = [queryTokens.length, keyTokens.length];
    grid.style.setProperty('--queries', String(queries));
    grid.style.setProperty('--keys', String(keys));
    setAttributes(grid, {
      'aria-rowcount': queries,
      'aria-colcount': keys,
      'data-fine': Math.max(queries, keys) > mostWithLabels,
    });
    columns.replaceChildren(...labelsOf(keyTokens, 'column'));
    rows.replaceChildren(...labelsOf(queryTokens, 'row'));
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

  const placeOf = ({ clientX, clientY }: MouseEvent): readonly [number, number] | undefined => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    if (shown === undefined || width === 0 || height === 0) return undefined;
    const { queries, keys } = shown.weights;
    const query = Math.floor(((clientY - top) / height) * queries);
    const key = Math.floor(((clientX - left) / width) * keys);
    const isInside = query >= 0 && query < queries && key >= 0 && key < keys;
    return isInside ? [query, key] : undefined;
  };
  plot.addEventListener('pointermove', (event) => {
    const at = placeOf(event);
    if (at === undefined || event.pointerType === 'touch' || pointed === at.join()) return;
    pointed = at.join();
    reader.point({ query: at[0], key: at[1] });
  });
  plot.addEventListener('pointerleave', () => {
    pointed = '';
    reader.point(undefined);
  });
  const goTo = ([query, key]: readonly [number, number]): void => {
    reader.choose({ query, key });
    cell.focus({ preventScroll: true });
    // jsdom has no `scrollIntoView`.
    if ('scrollIntoView' in cell) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  plot.addEventListener('click', (event) => {
    const at = placeOf(event);
    if (at !== undefined) goTo(at);
  });
  cell.addEventListener('keydown', (event) => {
    if (shown === undefined) return;
    const { query, weights } = shown;
    const to = movedBy(event, [query, keyOf(shown)], [weights.queries, weights.keys]);
    if (to === undefined) return;
    event.preventDefault();
    goTo(to);
  });

  return {
    root,
    draw(scene) {
      shown = scene;
      const { head = 0, layer, query, words } = scene;
      const key = keyOf(scene);
      makeLabels(scene);
      drawWeights(scene, head);
      const name = scene.isMean ? sayHead(scene, layer, head) : words.map(layer, head);
      setAttributes(grid, { 'aria-label': name });
      setAttributes(row, { 'aria-rowindex': query + 1 });
      const said = sayCell(scene, head, query, key);
      setAttributes(cell, {
        'aria-label': said,
        'aria-colindex': key + 1,
        'data-here': scene.key !== undefined,
      });
      cell.style.setProperty('--query', String(query));
      cell.style.setProperty('--key', String(key));
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
