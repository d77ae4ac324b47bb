import { element } from '../dom.js';
import { createExportMenu } from '../export/export-menu.js';
import { createLayerFigure } from '../figure/layer-figure.js';
import { createNumberTable } from '../figure/number-table.js';
import { gatedOutput, type AttentionView } from '../layer/attention-view.js';
import { numbersOf } from '../layer/part-numbers.js';
import type { LayerSettings } from '../layer/with-layer.js';
import { gatesOf, type HeadsState } from '../state/heads-state.js';
import { hideable } from '../state/hidden.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';

export interface LayerPanel {
  readonly root: HTMLElement;
  draw(view: AttentionView, settings: LayerSettings): void;
}

/** The figure of the whole layer, and the numbers of its selected part. */
export function createLayerPanel(store: Store<HeadsState>): LayerPanel {
  const figure = createLayerFigure({
    onPart: (part) => {
      store.change({ part });
    },
    onHead: (head) => {
      store.change({ head: head + 1 }, 'more');
    },
  });
  const place = element('div', { class: 'layer-numbers' });
  let shown: AttentionView | undefined;
  return {
    root: hideable(
      'figure',
      element(
        'section',
        { class: 'layer', 'aria-label': text.layer.title },
        element('h3', {}, text.layer.title),
        element('p', { class: 'note' }, text.layer.intro),
        element('div', { class: 'layer-columns' }, figure.drawing, place),
        createExportMenu({
          name: text.layer.name,
          figure: () => figure.drawing,
          data() {
            if (shown === undefined) return undefined;
            const { parameters, input, output, weights, pooled, projected } = shown;
            const { queries, keys, values } = input;
            return { queries, keys, values, parameters, projected, weights, pooled, output };
          },
        }),
      ),
    ),
    draw(view, settings) {
      shown = view;
      const { state } = store;
      const gates = gatesOf(state);
      const at = { sample: state.sample - 1, head: state.head - 1 };
      figure.draw(view, at.head, state.part, gates);
      const isOpen = state.gates.length === 0;
      const gated = isOpen ? view.output : gatedOutput(view.input, settings, gates);
      place.replaceChildren(
        createNumberTable(
          text.layer.numbers(text.layer.parts[state.part]),
          text.layer.about[state.part](state.sample, state.head),
          numbersOf(view, state.part, at, gates, gated),
        ),
      );
    },
  };
}
