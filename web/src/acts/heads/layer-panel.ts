import { html, nothing, render, type TemplateResult } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { type AttentionView, gatedOutput } from '../../attention/attention-view.js';
import type { LayerSettings } from '../../attention/layer.js';
import { formatNumber, formatShape } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { createStage } from '../../ui/stage.js';
import { createLayerFigure } from './layer-figure.js';
import { isOfHead, numbersOf, type PartNumbers } from './layer-parts.js';
import { createSampleChoice } from './sample-choice.js';
import { gatesOf, type HeadsState } from './state.js';
import { words } from './words.js';

export interface LayerPanel {
  readonly root: HTMLElement;
  readonly savable: Savable;
  draw(view: AttentionView, settings: LayerSettings): void;
}

/** The figure of the whole layer, and the numbers of its selected part. */
export function createLayerPanel(store: Store<HeadsState>): LayerPanel {
  const figure = createLayerFigure({
    onPart: (part) => {
      store.change({ part });
    },
    onHead: (head) => {
      store.change({ head: head + 1 }, 'replace');
    },
  });
  const place = element('div', { class: 'layer-numbers' });
  const sample = createSampleChoice(store);
  let shown: AttentionView | undefined;
  return {
    root: hideable(
      'layer',
      element(
        'section',
        { class: 'layer', 'aria-label': words.layer.title },
        createStage({
          label: words.layer.panel,
          rail: [
            element('h3', {}, words.layer.title),
            element('p', { class: 'note' }, words.layer.intro),
            sample.root,
          ],
          views: [element('div', { class: 'layer-columns' }, figure.drawing, place)],
        }),
      ),
    ),
    savable: {
      name: words.layer.name,
      figure: () => figure.drawing,
      data() {
        if (shown === undefined) return undefined;
        const { parameters, input, output, weights, pooled, projected } = shown;
        const { queries, keys, values } = input;
        return { queries, keys, values, parameters, projected, weights, pooled, output };
      },
    },
    draw(view, settings) {
      shown = view;
      const { state } = store;
      const gates = gatesOf(state);
      const at = { sample: state.sample - 1, head: state.head - 1 };
      sample.show(view.weights.shape[0] ?? 1);
      figure.draw(view, at.head, state.part, gates);
      withHeadColour(place, at.head);
      const isOpen = state.gates.length === 0;
      const gated = isOpen ? view.output : gatedOutput(view.input, settings, gates);
      render(
        numberTable(
          words.layer.numbers(words.layer.parts[state.part]),
          words.layer.about[state.part](state.sample, state.head),
          isOfHead(state.part),
          numbersOf(view, state.part, at, gates, gated),
        ),
        place,
      );
    },
  };
}

const shownRows = 8;
const shownColumns = 8;

/** A matrix as far as it fits, and the shape of the whole. */
function numberTable(
  title: string,
  about: string,
  hasHead: boolean,
  { shape, rows }: PartNumbers,
): TemplateResult {
  const columns = rows[0]?.length ?? 0;
  const isWhole = rows.length <= shownRows && columns <= shownColumns;
  const size = formatShape([rows.length, columns]);
  const dots = columns > shownColumns ? html`<td aria-hidden="true">…</td>` : nothing;
  return html`<div class="numbers">
    <h4 class=${hasHead ? 'of-head' : ''}>
      ${title} <span class="numbers-shape">${formatShape(shape)}</span>
    </h4>
    <p class="note">${about}</p>
    <div class="numbers-scroll" tabindex="0" role="region" aria-label=${title}>
      <table>
        <tbody>
          ${rows.slice(0, shownRows).map(
            (row) =>
              html`<tr>
                ${row.slice(0, shownColumns).map((value) => html`<td>${formatNumber(value)}</td>`)}
                ${dots}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="note">
      ${
        isWhole
          ? words.layer.whole(size)
          : words.layer.truncated(
              Math.min(rows.length, shownRows),
              Math.min(columns, shownColumns),
              size,
            )
      }
    </p>
  </div>`;
}
