import { html, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { createHeadsElement, shapedWeights } from '../../attention/heads-element.js';
import { words as mapWords } from '../../attention/words.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import { hasHead, type Head } from '../../worker/heads.js';
import type { TextRun } from '../../worker/language-model.js';
import { gateOf } from './board.js';
import { roleOf, sayRole } from './roles.js';
import { type LookState, type Selected } from './state.js';
import { visible } from '../../reading/tokens.js';
import { words as firstWords } from './first/words.js';
import { words } from './words.js';

/** The selected head, or all heads of its layer, over the words: `<attention-heads>`, and the head's gate. */
export function createDetail(store: Store<LookState>, onGate: (head: Head) => void) {
  const view = createHeadsElement({ class: 'detail-weights' });
  view.addEventListener('attention-select', ({ detail }) => {
    const { layer, head, query } = detail;
    const { selected } = store.state;
    const isHead = selected.layer !== layer || selected.head !== head;
    store.change({ selected: { layer, head }, query: query + 1 }, isHead ? 'push' : 'replace');
  });
  const title = element('div.detail-title.row');
  let drawn: TextRun | undefined;
  return {
    root: element(
      'section.detail',
      { 'aria-label': words.selected },
      element(
        'div.detail-bar.row.unseen-labels',
        title,
        boundChoice(store, 'view', words.view, (name) => words.views[name]),
      ),
      view,
    ),
    /** The view of the selected layer. */
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
    draw(run: TextRun, { layer, head }: Selected, shut: readonly Head[]): void {
      const { query, view: name } = store.state;
      const count = run.tokens.length;
      if (drawn?.weights !== run.weights) {
        drawn = run;
        view.weights = shapedWeights(run.weights, count);
        view.tokens = run.tokens.map(visible);
        view.names = run.scores.flatMap((ofLayer) =>
          ofLayer.map((scores, at) => `${at + 1} ${sayRole(roleOf(scores))}`),
        );
      }
      view.layer = layer;
      view.head = head;
      view.query = query === 0 ? count - 1 : Math.min(query, count) - 1;
      view.view = name;
      const place = head === undefined ? undefined : { layer, head };
      const isOpen = place === undefined || !hasHead(shut, place);
      render(
        place === undefined
          ? html`<h3>${mapWords.map.layer(layer + 1)}</h3>`
          : html`<h3>${firstWords.headName(place)}</h3>
              ${gateOf(place, isOpen, onGate, 0, isOpen ? words.open : words.shut)}`,
        title,
      );
    },
  };
}
