import { range } from 'd3-array';

import type { AttentionView } from '../attention.js';
import { element, newId, setAttributes } from '../dom.js';
import { formatWeight } from '../format.js';
import { text } from '../text/index.js';
import { neighbour, type Cell } from './cell.js';
import { hatchFill } from './hatch.js';
import { createLegend } from './legend.js';
import { createSampleRow, type SampleRow } from './sample-row.js';
import { Selection } from './selection.js';

export interface HeadFigure {
  readonly root: HTMLElement;
  draw(view: AttentionView): void;
}

/**
 * All heads of a layer as small multiples, a row a sample, with a legend and one read-out.
 * `controls` holds what stands in the heading of each sample, if anything.
 */
export function createHeadFigure(label: string, controls: readonly HTMLElement[] = []): HeadFigure {
  const hatchId = newId('hatch');
  const legend = createLegend(hatchId);
  const readOut = element('p', { class: 'read-out', role: 'status' }, text.readOut.hint);
  const samples = element('div', { class: 'samples' });
  const cellOf = new WeakMap<EventTarget, Cell>();
  const selection = new Selection(showSelection);
  let view: AttentionView | undefined;
  let rows: readonly SampleRow[] = [];

  function showSelection(): void {
    const active = selection.active;
    rows.forEach(({ maps }, sample) => {
      maps.forEach((map, head) => {
        map.ring(active?.sample === sample ? active : undefined, active?.head === head);
      });
    });
    if (active === undefined || view === undefined) {
      legend.mark(undefined);
      readOut.textContent = text.readOut.hint;
      return;
    }
    const { sample, head, query, key } = active;
    const weight = view.weights.at(sample, head, query, key);
    const masked = key >= (view.validLens[sample] ?? 0);
    legend.mark(masked ? undefined : weight);
    readOut.textContent = text.readOut.cell(sample + 1, {
      head: head + 1,
      query: query + 1,
      key: key + 1,
      weight: formatWeight(weight),
      masked,
    });
  }

  function setTabStops(query: number, key: number): void {
    for (const map of rows.flatMap(({ maps }) => maps)) map.setTabStop(query, key);
  }

  function focus({ sample, head, query, key }: Cell): void {
    rows[sample]?.maps[head]?.focus(query, key);
  }

  function build(shape: readonly number[]): void {
    const [batch = 0, heads = 0] = shape;
    selection.pin(undefined);
    rows = range(batch).map((sample) =>
      createSampleRow({
        sample,
        shape,
        hatch: hatchFill(hatchId),
        control: controls[sample],
        register: (target, cell) => cellOf.set(target, cell),
      }),
    );
    samples.replaceChildren(...rows.map(({ root }) => root));
    setAttributes(samples, { 'data-columns': columnsFor(heads) });
    setTabStops(0, 0);
  }

  const cellAt = ({ target }: Event): Cell | undefined =>
    target === null ? undefined : cellOf.get(target);
  samples.addEventListener('pointerover', (event) => {
    const cell = cellAt(event);
    // Between two cells the last one stays, lest the read-out flicker.
    if (cell !== undefined && event.pointerType !== 'touch') selection.hover(cell);
  });
  samples.addEventListener('pointerleave', () => {
    selection.hover(undefined);
  });
  samples.addEventListener('click', (event) => {
    const cell = cellAt(event);
    if (cell !== undefined) focus(cell);
    selection.pin(cell);
  });
  samples.addEventListener('focusin', (event) => {
    const cell = cellAt(event);
    if (cell === undefined) return;
    // Every map takes the place over: Tab leads to the same query and key in the next head.
    setTabStops(cell.query, cell.key);
    selection.pin(cell);
  });
  samples.addEventListener('keydown', (event) => {
    const cell = cellAt(event);
    if (cell === undefined || view === undefined || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') selection.pin(undefined);
    const [, , queries = 0, keys = 0] = view.weights.shape;
    const next = neighbour(cell, event, queries, keys);
    if (next === undefined) return;
    event.preventDefault();
    focus(next);
  });

  return {
    root: element(
      'figure',
      { class: 'figure', 'aria-label': label },
      element('div', { class: 'figure-bar' }, legend.root, readOut),
      samples,
      element('figcaption', { class: 'caption' }, text.figureCaption),
    ),
    draw(next) {
      const sameShape = view?.weights.shape.join() === next.weights.shape.join();
      view = next;
      if (!sameShape) build(next.weights.shape);
      rows.forEach((row, sample) => {
        row.draw(next.weights, next.validLens[sample] ?? 0);
      });
      showSelection();
    },
  };
}

/** Rows as even as can be, and never more than five maps wide: smaller cells are hard to hit. */
function columnsFor(heads: number): number {
  return Math.min(heads, 5);
}
