import { range } from 'd3-array';

import { type AttentionView, namesOf, valuesOf } from '../../attention/attention-view.js';
import { createHeadMap, type HeadMap } from '../../attention/head-map.js';
import { type Cell, listenToMaps, type Selection } from '../../attention/map-selection.js';
import { words as mapWords } from '../../attention/words.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, drawLegend } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { words } from './words.js';

export interface CloseUp {
  readonly root: HTMLElement;
  readonly savable: Savable;
  /** @param head counted from 0 */
  draw(view: AttentionView, head: number): void;
  /** Rings the cell that is explained: faintly if it is in another head. */
  ring(cell: Cell | undefined): void;
}

interface Options {
  readonly hatch: string;
  readonly legend: HTMLElement;
  readonly selection: Selection;
}

/** The map of the selected head, large, with numbers, names and the sums of rows and columns. Arrow keys walk it. */
export function createCloseUp({ hatch, legend, selection }: Options): CloseUp {
  const root = element('section', { class: 'close-up', 'aria-label': words.enlarged });
  let map: HeadMap | undefined;
  let shown: { readonly view: AttentionView; readonly head: number } | undefined;
  let built = '';
  let tabStop = { query: 0, key: 0 };
  const sizes = (): { queries: number; keys: number } => {
    const [, , queries = 0, keys = 0] = shown?.view.weights.shape ?? [];
    return { queries, keys };
  };
  const stopAt = ({ query, key }: { query: number; key: number }): void => {
    const { queries, keys } = sizes();
    tabStop = { query: Math.min(query, queries - 1), key: Math.min(key, keys - 1) };
    map?.setTabStop(tabStop.query, tabStop.key);
  };
  const register = listenToMaps({ stage: root, selection, sizes, onPin: stopAt });

  return {
    root,
    savable: {
      name: words.enlarged,
      figure() {
        if (map === undefined || shown === undefined) throw new Error('nothing is drawn');
        const title = mapWords.map.title(shown.head + 1);
        return composeDrawings([[{ drawing: map.drawing, title }], [drawLegend(legend)]]);
      },
      data() {
        if (shown === undefined) return undefined;
        const { view, head } = shown;
        const { queries, keys } = sizes();
        const rows = (at: (query: number, key: number) => unknown): unknown[][] =>
          range(queries).map((query) => range(keys).map((key) => at(query, key)));
        return {
          head: head + 1,
          weights: rows((query, key) => view.weights.at(0, head, query, key)),
          scores: rows((query, key) => view.scores.at(0, head, query, key)),
          masked: rows((query, key) => view.isMasked(0, query, key)),
        };
      },
    },
    draw(view, head) {
      shown = { view, head };
      const { queries, keys } = sizes();
      const wanted = [head, queries, keys].join();
      if (built !== wanted) {
        built = wanted;
        const hadFocus = root.contains(document.activeElement);
        map = createHeadMap({
          ...{ head, hatch, register, hasSums: true },
          title: mapWords.map.title(head + 1),
          label: words.enlargedLabel(head + 1),
          names: namesOf(view),
        });
        map.drawing.setAttribute('preserveAspectRatio', 'xMinYMin');
        root.replaceChildren(map.root);
        stopAt(tabStop);
        if (hadFocus) map.focus(tabStop.query, tabStop.key);
      }
      map?.draw(valuesOf(view, head));
    },
    ring(cell) {
      map?.ring(cell, cell?.head === shown?.head);
    },
  };
}
