import { range } from 'd3-array';

import type { AttentionView } from '../attention.js';
import { element, newId, setAttributes } from '../dom.js';
import { formatWeight } from '../format.js';
import { text } from '../text.js';
import { neighbour, type Cell } from './cell.js';
import { hatchFill } from './hatch.js';
import { createHeadMap, type CellValue, type HeadMap } from './head-map.js';
import { createLegend } from './legend.js';
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
  const cellOf = new WeakMap<Element, Cell>();
  const selection = new Selection(showSelection);
  let view: AttentionView | undefined;
  let maps: HeadMap[][] = [];
  let captions: HTMLElement[] = [];

  function valueOf({ sample, head, query, key }: Cell): CellValue | undefined {
    const valid = view?.validLens[sample];
    if (view === undefined || valid === undefined) return undefined;
    return { weight: view.weights.at(sample, head, query, key), masked: key >= valid };
  }

  function showSelection(): void {
    const active = selection.active;
    const value = active && valueOf(active);
    for (const [sample, heads] of maps.entries()) {
      for (const [head, map] of heads.entries()) {
        map.ring(active?.sample === sample ? active : undefined, active?.head === head);
      }
    }
    legend.mark(value?.masked === false ? value.weight : undefined);
    readOut.textContent =
      active && value
        ? text.readOut.cell(active.sample + 1, {
            head: active.head + 1,
            query: active.query + 1,
            key: active.key + 1,
            weight: formatWeight(value.weight),
            masked: value.masked,
          })
        : text.readOut.hint;
  }

  function setTabStops(query: number, key: number): void {
    for (const map of maps.flat()) map.setTabStop(query, key);
  }

  function build(shape: readonly number[]): void {
    const [batch = 0, heads = 0, queries = 0, keys = 0] = shape;
    maps = range(batch).map((sample) =>
      range(heads).map((head) =>
        createHeadMap({
          sample,
          head,
          queries,
          keys,
          hatch: hatchFill(hatchId),
          register: (target, cell) => cellOf.set(target, cell),
        }),
      ),
    );
    captions = maps.map(() => element('span', { class: 'sample-lens' }));
    samples.replaceChildren(
      ...maps.map((row, sample) => {
        const id = newId('sample');
        return element(
          'div',
          { class: 'sample', role: 'group', 'aria-labelledby': id },
          element(
            'div',
            { class: 'sample-bar' },
            element('h3', { id }, text.sample.name(sample + 1)),
            ...controls.slice(sample, sample + 1),
            captions[sample] ?? '',
          ),
          element('div', { class: 'heads' }, ...row.map(({ root }) => root)),
        );
      }),
    );
    setAttributes(samples, { 'data-columns': columnsFor(heads) });
    setTabStops(0, 0);
  }

  const cellAt = (target: EventTarget | null): Cell | undefined =>
    target instanceof Element ? cellOf.get(target) : undefined;
  samples.addEventListener('pointerover', (event) => {
    const cell = cellAt(event.target);
    // Between two cells the last one stays, lest the read-out flicker.
    if (cell !== undefined && event.pointerType !== 'touch') selection.hover(cell);
  });
  samples.addEventListener('pointerleave', () => {
    selection.hover(undefined);
  });
  samples.addEventListener('click', (event) => {
    const cell = cellAt(event.target);
    if (cell !== undefined) maps[cell.sample]?.[cell.head]?.focus(cell.query, cell.key);
    selection.pin(cell);
  });
  samples.addEventListener('focusin', (event) => {
    const cell = cellAt(event.target);
    if (cell === undefined) return;
    // Every map takes the place over: Tab leads to the same query and key in the next head.
    setTabStops(cell.query, cell.key);
    selection.pin(cell);
  });
  samples.addEventListener('keydown', (event) => {
    const cell = cellAt(event.target);
    if (cell === undefined || view === undefined || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') selection.pin(undefined);
    const [, , queries = 0, keys = 0] = view.weights.shape;
    const next = neighbour(cell, event, queries, keys);
    if (next === undefined) return;
    event.preventDefault();
    maps[next.sample]?.[next.head]?.focus(next.query, next.key);
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
      if (!sameShape) {
        selection.pin(undefined);
        build(next.weights.shape);
      }
      maps.forEach((heads, sample) => {
        heads.forEach((map, head) => {
          map.draw((query, key) => ({
            weight: next.weights.at(sample, head, query, key),
            masked: key >= (next.validLens[sample] ?? 0),
          }));
        });
      });
      const [, , , keys = 0] = next.weights.shape;
      captions.forEach((caption, sample) => {
        caption.textContent = text.sample.validLen(next.validLens[sample] ?? 0, keys);
      });
      showSelection();
    },
  };
}

/** Rows as even as can be, and never more than five maps wide: smaller cells are hard to hit. */
function columnsFor(heads: number): number {
  return Math.min(heads, 5);
}
