import type { AttentionSelection } from 'headwise/view';

import type { Store } from '../../address/store.js';
import { createHeadsElement } from '../../attention/heads-element.js';
import { shapedWeights } from '../../attention/shaped-weights.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import type { Savable } from '../../ui/export/save-menu.js';
import type { ModelDescription, TextRun } from '../../worker/language-model.js';
import { visible } from './candidates.js';
import { roleOf, sayRole } from './roles.js';
import { views, type WordsState } from './state.js';
import { words } from './words.js';

export interface SelectedHead {
  readonly root: HTMLElement;
  /** What is shown of the selected layer. */
  readonly savable: Savable;
  draw(model: ModelDescription, run: TextRun): void;
}

/** The heads of the selected layer, or one of them, over the words: `<attention-heads>`. */
export function createSelectedHead(store: Store<WordsState>): SelectedHead {
  const view = createHeadsElement({ class: 'selected-weights' });
  view.addEventListener('attention-select', (event) => {
    const { layer, head, query } = (event as CustomEvent<AttentionSelection>).detail;
    const { selected } = store.state;
    const isHead = selected.layer !== layer || selected.head !== head;
    store.change({ selected: { layer, head }, query: query + 1 }, isHead ? 'push' : 'replace');
  });
  let drawn: TextRun | undefined;
  return {
    root: element(
      'section',
      { class: 'selected', 'aria-label': words.selected },
      element(
        'div',
        { class: 'selected-bar' },
        element('h3', {}, words.selected),
        boundChoice(store, 'view', {
          label: words.view,
          values: views,
          nameOf: (name) => words.views[name],
        }),
      ),
      view,
    ),
    savable: {
      name: words.exportNames.selected,
      figure: () =>
        document.importNode(
          new DOMParser().parseFromString(view.toSVG(), 'image/svg+xml').documentElement,
          true,
        ) as Element as SVGSVGElement,
      data() {
        if (drawn === undefined) return undefined;
        const { layer, head, query } = view;
        const { tokens, weights } = drawn;
        const count = tokens.length;
        const ofLayer = shapedWeights(weights, count)[layer];
        if (head === undefined) return { layer, head, query, tokens, weights: ofLayer };
        const data = ofLayer.data.slice(head * count ** 2, (head + 1) * count ** 2);
        return { layer, head, query, tokens, weights: { data, shape: [count, count] } };
      },
    },
    draw({ numHeads }, run) {
      const { selected, query, view: name } = store.state;
      const count = run.tokens.length;
      if (drawn !== run) {
        drawn = run;
        view.weights = shapedWeights(run.weights, count);
        view.tokens = run.tokens.map(visible);
        view.names = run.scores.flatMap((ofLayer) =>
          ofLayer.map((scores, head) => words.name(head, sayRole(roleOf(scores)))),
        );
      }
      const layer = Math.min(selected.layer, numHeads.length - 1);
      view.layer = layer;
      view.head =
        selected.head === undefined
          ? undefined
          : Math.min(selected.head, (numHeads[layer] ?? 1) - 1);
      view.query = query === 0 ? count - 1 : Math.min(query, count) - 1;
      view.view = name;
    },
  };
}
