import type { AttentionView } from '../../attention/attention-view.js';
import type { HeadFigure } from '../../attention/head-figure.js';
import { createHeadMap, type HeadMap } from '../../attention/head-map.js';
import { largestOf, namesOf, valuesOf, weightStyle } from '../../attention/map-content.js';
import type { Cell } from '../../attention/map-selection.js';
import { words as mapWords } from '../../attention/words.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { words } from './words.js';

export interface CloseUp {
  readonly root: HTMLElement;
  readonly savable: Savable;
  draw(view: AttentionView, sample: number, head: number, contrast: boolean): void;
  /** Rings the cell that is spoken of, if it is in this map. */
  mark(cell: Cell | undefined): void;
}

/** The map of the selected head, large, with the names of tokens and the sums of its edges. */
export function createCloseUp({
  register,
  hatch,
  legend,
}: Pick<HeadFigure, 'register' | 'hatch' | 'legend'>): CloseUp {
  const place = element('div', { class: 'close-up-map' });
  let map: HeadMap | undefined;
  let shown: { view: AttentionView; sample: number; head: number } | undefined;
  let tabStop = { query: 0, key: 0 };

  const savable: Savable = {
    name: words.closeUp.name,
    figure() {
      if (map === undefined || shown === undefined) throw new Error('nothing is drawn');
      const title = mapWords.map.titleIn(shown.head + 1, shown.sample + 1);
      return composeDrawings([[{ drawing: map.drawing, title }], [drawLegend(legend)]]);
    },
    data() {
      if (shown === undefined) return undefined;
      const { view, sample, head } = shown;
      const [, , queries = 0, keys = 0] = view.weights.shape;
      const rows = (valueAt: (query: number, key: number) => unknown): unknown[][] =>
        Array.from({ length: queries }, (_row, query) =>
          Array.from({ length: keys }, (_cell, key) => valueAt(query, key)),
        );
      return {
        sample: sample + 1,
        head: head + 1,
        ...namesOf(view, sample),
        weights: rows((query, key) => view.weights.at(sample, head, query, key)),
        scores: rows((query, key) => view.scores.at(sample, head, query, key)),
        masked: rows((query, key) => view.isMasked(sample, query, key)),
      };
    },
  };

  return {
    root: element('section', { class: 'close-up', 'aria-label': words.closeUp.title }, place),
    savable,
    draw(view, sample, head, contrast) {
      const hadFocus = place.contains(document.activeElement);
      const isOther = shown?.view !== view || shown.sample !== sample || shown.head !== head;
      shown = { view, sample, head };
      const [, , queries = 0, keys = 0] = view.weights.shape;
      if (map === undefined || isOther) {
        map = createHeadMap({
          sample,
          head,
          queries,
          keys,
          hatch,
          register,
          title: mapWords.map.titleIn(head + 1, sample + 1),
          label: words.closeUp.label(head + 1, sample + 1),
          names: namesOf(view, sample),
          hasSums: true,
        });
        // At the edge of its column where there is more room than it takes.
        map.drawing.setAttribute('preserveAspectRatio', 'xMinYMin');
        place.replaceChildren(map.root);
        tabStop = {
          query: Math.min(tabStop.query, queries - 1),
          key: Math.min(tabStop.key, keys - 1),
        };
        map.setTabStop(tabStop.query, tabStop.key);
        if (hadFocus) map.focus(tabStop.query, tabStop.key);
      }
      map.draw(
        valuesOf(view, sample, head),
        weightStyle(head, contrast ? largestOf(view, head) : undefined),
      );
    },
    mark(cell) {
      const isHere = cell !== undefined && cell.sample === shown?.sample;
      map?.ring(isHere ? cell : undefined, cell?.head === shown?.head);
      if (!isHere) return;
      tabStop = cell;
      map?.setTabStop(cell.query, cell.key);
    },
  };
}
