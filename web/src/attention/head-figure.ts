import { range } from 'd3-array';

import { formatWeight } from '../format/numbers.js';
import { joinSentences } from '../format/sentences.js';
import { element, newId, setAttributes } from '../ui/dom.js';
import { composeDrawings, drawLegend } from '../ui/export/drawing.js';
import type { Savable } from '../ui/export/save-menu.js';
import type { AttentionView } from './attention-view.js';
import { createHeadMap, type HeadMap, type MapStyle } from './head-map.js';
import { largestOf, valuesOf, weightStyle } from './map-content.js';
import { type Cell, listenToMaps, type Register, Selection } from './map-selection.js';
import { createWeightLegend, hatchFill } from './weight-legend.js';
import { words } from './words.js';

/** How a figure shows the heads beside their weights. */
export interface HeadFigureStyle {
  /** Whether each head has a scale of its own. */
  readonly contrast?: boolean;
  /** Lines below each head's name, for each sample and head. */
  readonly notes?: readonly (readonly (readonly string[])[])[];
  /** Counted from 0. */
  readonly selected?: { readonly sample: number; readonly head: number };
}

export interface HeadFigure {
  readonly root: HTMLElement;
  /** What belongs beside and below the maps; maps in it are registered with `register`. */
  readonly beside: HTMLElement;
  readonly below: HTMLElement;
  readonly register: Register;
  readonly hatch: string;
  /** What is to be saved with whatever is drawn in its colours. */
  readonly legend: HTMLElement;
  /** All maps. */
  readonly savable: Savable;
  draw(view: AttentionView, style?: HeadFigureStyle): void;
}

/** As many maps fit side by side; smaller cells are hard to hit. */
const columns = 5;

interface Options {
  readonly label: string;
  /** What a saved picture of the maps is called. */
  readonly name: string;
  /** What there is to say below the maps, beside what holds for all maps. */
  readonly caption?: string;
  /** Whether the caption ends what is below the maps, since what is beside them is higher. */
  readonly isCaptionBelow?: boolean;
  /** What stands in the heading of each sample, if anything. */
  readonly controls?: readonly HTMLElement[];
  /** Told of the cell that the figure speaks of. */
  readonly onActive?: (cell: Cell | undefined) => void;
  /** Told of a cell that was tapped, or reached by the arrow keys. */
  readonly onPin?: (cell: Cell) => void;
}

/** All heads of a layer as small multiples, a row a sample, with a legend and one read-out. */
export function createHeadFigure(options: Options): HeadFigure {
  const { controls = [], isCaptionBelow = false, onActive, onPin } = options;
  const hatchId = newId('hatch');
  const legend = createWeightLegend(hatchId);
  const readOut = element('p', { class: 'read-out' }, words.readOut.hint);
  const samples = element('div', { class: 'samples' });
  const beside = element('div', { class: 'beside' });
  const caption = element(
    isCaptionBelow ? 'p' : 'figcaption',
    { class: 'caption' },
    joinSentences([words.figureCaption, options.caption ?? '']),
  );
  const below = element('div', { class: 'below' }, ...(isCaptionBelow ? [caption] : []));
  const multiples = element('div', { class: 'multiples' }, samples);
  const stage = element('div', { class: 'stage' }, multiples, beside, below);
  const selection = new Selection(showSelection);
  let view: AttentionView | undefined;
  let rows: readonly SampleRow[] = [];
  let hasContrast = false;

  const register = listenToMaps({
    stage,
    selection,
    sizes() {
      const [, , queries = 0, keys = 0] = view?.weights.shape ?? [];
      return { queries, keys };
    },
    onPin(cell) {
      // Every map takes the place over: Tab leads to the same query and key in the next head.
      setTabStops(cell.query, cell.key);
      onPin?.(cell);
    },
  });
  const allMaps = (): HeadMap[] => rows.flatMap(({ maps }) => maps);

  function showSelection(): void {
    const active = selection.active;
    rows.forEach(({ maps }, sample) => {
      maps.forEach((map, head) => {
        map.ring(active?.sample === sample ? active : undefined, active?.head === head);
      });
    });
    onActive?.(active);
    if (active === undefined || view === undefined) {
      legend.mark(undefined);
      readOut.textContent = words.readOut.hint;
      return;
    }
    const { sample, head, query, key } = active;
    const weight = view.weights.at(sample, head, query, key);
    const masked = view.isMasked(sample, query, key);
    legend.mark(masked ? undefined : weight / (hasContrast ? largestOf(view, head) || 1 : 1));
    readOut.textContent = words.readOut.cell(sample + 1, {
      head: head + 1,
      query: query + 1,
      key: key + 1,
      weight: formatWeight(weight),
      masked,
    });
  }

  function setTabStops(query: number, key: number): void {
    for (const map of allMaps()) map.setTabStop(query, key);
  }

  function build(shape: readonly number[]): void {
    const [batch = 0, heads = 0, queries = 0, keys = 0] = shape;
    rows = range(batch).map((sample) =>
      createSampleRow({
        sample,
        shape,
        hatch: hatchFill(hatchId),
        control: controls[sample],
        // The enlarged map has the names.
        isBare: beside.hasChildNodes(),
        register,
      }),
    );
    samples.replaceChildren(...rows.map(({ root }) => root));
    setAttributes(samples, {
      'data-columns': Math.min(heads, columns),
      'data-dense': Math.max(queries, keys) > 8,
    });
    setTabStops(0, 0);
  }

  /** All maps in one drawing. */
  function compose(): SVGSVGElement {
    const drawn = rows.flatMap(({ maps }, sample) => {
      const pieces = maps.map(({ drawing }, head) => ({
        drawing,
        title: words.map.titleIn(head + 1, sample + 1),
      }));
      return range(0, pieces.length, columns).map((at) => pieces.slice(at, at + columns));
    });
    return composeDrawings([...drawn, [drawLegend(legend.root)]]);
  }

  return {
    root: element(
      'figure',
      { class: 'figure', 'aria-label': options.label },
      element('div', { class: 'figure-bar' }, legend.root, readOut),
      stage,
      ...(isCaptionBelow ? [] : [caption]),
    ),
    beside,
    below,
    register,
    hatch: hatchFill(hatchId),
    legend: legend.root,
    savable: {
      name: options.name,
      figure: compose,
      data: () => view && { validLens: view.validLens, weights: view.weights },
    },
    draw(next, { contrast = false, notes = [], selected } = {}) {
      const isNew = view?.weights.shape.join() !== next.weights.shape.join();
      const isOther = view !== next || hasContrast !== contrast;
      view = next;
      hasContrast = contrast;
      if (isNew) {
        build(next.weights.shape);
        selection.pin(undefined);
      }
      const styles = range(next.numHeads).map((head) =>
        weightStyle(head, contrast ? largestOf(next, head) : undefined),
      );
      legend.showContrast(contrast);
      rows.forEach((row, sample) => {
        if (isOther) row.draw(next, (head) => styles[head] ?? weightStyle(head));
        row.maps.forEach((map, head) => {
          map.describe(
            notes[sample]?.[head] ?? [],
            selected?.sample === sample && selected.head === head,
          );
        });
      });
      if (isOther) showSelection();
    },
  };
}

export interface SampleRow {
  readonly root: HTMLElement;
  /** One a head. */
  readonly maps: readonly HeadMap[];
  draw(view: AttentionView, styleOf: (head: number) => MapStyle): void;
}

interface RowOptions {
  readonly sample: number;
  /** (batch, head, query, key) */
  readonly shape: readonly number[];
  readonly hatch: string;
  /** Stands in the heading, beside what it changes. */
  readonly control: HTMLElement | undefined;
  readonly register: Register;
  /** Whether maps go without names at their edges. */
  readonly isBare: boolean;
}

/** One sample of the batch: its heading, and the maps of all heads side by side. */
export function createSampleRow(options: RowOptions): SampleRow {
  const { sample, shape, hatch, control, register, isBare } = options;
  const [, heads = 0, queries = 0, keys = 0] = shape;
  const maps = range(heads).map((head) =>
    createHeadMap({
      sample,
      head,
      queries,
      keys,
      hatch,
      register,
      isBare,
      title: words.map.title(head + 1),
      label: words.map.label(head + 1, sample + 1, queries, keys),
    }),
  );
  const id = newId('sample');
  const caption = element('span', { class: 'sample-lens' });
  return {
    root: element(
      'div',
      { class: 'sample', role: 'group', 'aria-labelledby': id },
      element(
        'div',
        { class: 'sample-bar' },
        element('h3', { id }, words.sample.name(sample + 1)),
        control ?? '',
        caption,
      ),
      element('div', { class: 'heads' }, ...maps.map(({ root }) => root)),
    ),
    maps,
    draw(view, styleOf) {
      caption.textContent = words.sample.validLen(view.validLens[sample] ?? 0, keys);
      maps.forEach((map, head) => {
        map.draw(valuesOf(view, sample, head), styleOf(head));
      });
    },
  };
}
