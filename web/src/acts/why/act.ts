import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { createSignedScale } from '../../attention/signed-scale.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element, paragraph, setAttributes } from '../../ui/dom.js';
import { createStage } from '../../ui/stage.js';
import { type Dimension, dimensions, measureDimensions, uniform } from './dimensions.js';
import { createEntropyChart, sentenceAt } from './entropy-chart.js';
import { createKeysFigure } from './keys-figure.js';
import { largestOf, productsOf, project, weigh } from './layer.js';
import { createProductsFigure } from './products-figure.js';
import { createRail } from './rail.js';
import { measureNames, orderNames, type WhyState } from './state.js';
import { words } from './words.js';

/** What a score is made of, and what its divisor does to the weights. */
export function createWhyContent(store: Store<WhyState>): HTMLElement[] {
  const rail = createRail(store);
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });
  const keys = createKeysFigure((key) => {
    store.change({ key: key + 1 });
  });
  const products = createProductsFigure();
  const keysTitle = element('h3', {});
  const productsTitle = element('h3', {});

  const measured: Dimension[] = [];
  const chart = createEntropyChart(() => ({ ...store.state, measured }));
  const seen = element('p', { class: 'why-seen' });
  const drawChart = (): void => {
    chart.draw();
    seen.textContent = sentenceAt({ ...store.state, measured });
    setAttributes(chart.root, { 'data-done': measured.length === dimensions.length });
  };

  let projected = project(store.state);
  let made = '';
  const weighNow = ({ head, query, divisor }: WhyState) =>
    weigh(projected, head - 1, query - 1, divisor);
  let weighed = weighNow(store.state);
  let key = 0;
  const show = (state: WhyState): void => {
    const wanted = [state.d, state.seed].join();
    if (made !== wanted) projected = project(state);
    made = wanted;
    weighed = weighNow(state);
    key = state.key === 0 ? largestOf(weighed) : state.key - 1;
    const token = words.tokens[weighed.query] ?? '';
    keysTitle.textContent = words.keysTitle(token);
    productsTitle.textContent = words.productsTitle(token, words.tokens[key] ?? '');
    seed.show(state.seed);
    rail.show(state, weighed);
    keys.draw(weighed, key);
    products.draw(weighed, key, state.order);
    drawChart();
  };
  store.subscribe(show);
  show(store.state);
  void measureDimensions((next) => {
    measured.push(next);
    drawChart();
  });

  const scale = createSignedScale({ ends: words.legend, label: words.legendLabel });
  return [
    createStage({
      label: words.rail,
      rail: rail.main,
      more: { label: words.more, content: [hideable('controls', seed.root)] },
      end: createPanelEnd(store, 'why', [
        { name: words.exports.keys, figure: () => keys.root, data: () => weighed },
        {
          name: words.exports.products,
          figure: () => products.chart,
          data: () => productsOf(weighed, key, store.state.order),
        },
        {
          name: words.exports.chart,
          figure: () => chart.root,
          data: () => ({ uniform, dimensions: measured }),
        },
      ]),
      views: [
        element(
          'section',
          { class: 'why-view why-over' },
          keysTitle,
          keys.root,
          paragraph(words.keysNote, { class: 'note' }),
        ),
        paragraph(words.reason, { class: 'why-reason' }),
        element(
          'section',
          { class: 'why-view why-made' },
          element(
            'div',
            { class: 'why-head-row unseen-labels' },
            productsTitle,
            boundChoice(store, 'order', {
              label: words.order,
              values: orderNames,
              nameOf: (name) => words.orders[name],
            }),
          ),
          products.root,
          element(
            'div',
            { class: 'why-below' },
            products.readOut,
            element('div', { class: 'legend' }, scale),
          ),
        ),
        element(
          'section',
          { class: 'why-view why-chart' },
          element(
            'div',
            { class: 'why-head-row unseen-labels' },
            element('h3', {}, words.chartTitle),
            boundChoice(store, 'measure', {
              label: words.measure,
              values: measureNames,
              nameOf: (name) => words.measures[name],
            }),
          ),
          chart.root,
          seen,
        ),
      ],
    }),
    paragraph(words.note, { class: 'note why-note' }),
  ];
}
