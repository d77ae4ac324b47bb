import type { Store } from '../../address/store.js';
import { createSignedScale, createWeightLegend } from '../../attention/weight-legend.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { element, newId } from '../../ui/dom.js';
import { createStage } from '../../ui/stage.js';
import { createDetail } from './detail.js';
import { createStepsFigure } from './figure.js';
import type { Pass } from './pass.js';
import { createRail } from './rail.js';
import { productsOf, scoreOf } from './score.js';
import { Source } from './source.js';
import type { InsideState } from './state.js';
import { parts } from './steps.js';
import { words } from './words.js';

/** The chapter's figure as an overview, and one step of it in words, code and numbers. */
export function createInsideContent(store: Store<InsideState>): HTMLElement[] {
  const source = new Source(store, () => show());
  const rail = createRail(store, source);
  const figure = createStepsFigure((step) => store.change({ step }));
  const legend = createWeightLegend(newId('inside-legend'));
  const detail = createDetail(store, (weight) => legend.mark(weight));
  const headNow = (): number => Math.min(store.state.head, source.pass.numHeads) - 1;
  function show(): void {
    const { state } = store;
    const { pass } = source;
    rail.show(state);
    figure.draw(pass, state.step, headNow());
    detail.draw(pass, state, headNow());
  }
  source.begin();
  store.follow(show);

  const scale = createSignedScale(words.legend, words.legendLabel);
  const numbers = () => {
    const query = scoreOf(source.pass, headNow(), store.state);
    const products = productsOf(query, store.state.order);
    return { layer: dataOf(source.pass, headNow()), query, products };
  };
  return [
    createStage({
      rail: rail.main,
      end: createPanelEnd(store, 'inside', [
        {
          name: words.exports.products,
          figure: () => detail.score.products,
          data: () => (store.state.step === 3 ? numbers() : undefined),
        },
        {
          name: words.exports.chart,
          figure: () => detail.score.chart,
          data: () => (store.state.step === 4 ? numbers() : undefined),
        },
      ]),
      views: [
        element(
          'div.inside-overview',
          figure.root,
          element(
            'div.inside-legends.legends.row.small',
            legend.root,
            element('div.legend', scale),
          ),
        ),
        detail.root,
      ],
    }),
  ];
}

/** All numbers of the figure, by part; of what each head has, those of the head in front. */
function dataOf(pass: Pass, head: number): unknown {
  const numbers = parts.map((part) => {
    const { rows, columns, data } = pass.matrixOf(part, head);
    return [part, { shape: [rows, columns], data }];
  });
  const { tokens, scale } = pass;
  return { tokens, head: head + 1, scale, ...(Object.fromEntries(numbers) as object) };
}
