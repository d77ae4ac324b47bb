import { max, range } from 'd3-array';
import { html, nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { formatSetting, formatShort, formatSigned } from '../../format/numbers.js';
import { boundChoice, createSelect } from '../../ui/controls/choice.js';
import { createSlider } from '../../ui/controls/slider.js';
import { element, withHeadColour } from '../../ui/dom.js';
import { createDimensionsChart } from './dimensions-chart.js';
import type { Pass } from './pass.js';
import { createProductsChart } from './products-chart.js';
import { isOwnDivisorRoot, ownDivisor, type Scored, scoreOf } from './score.js';
import { type InsideState } from './state.js';
import { words } from './words.js';

/** A query against its keys: the products of a dot product in step 3, the division by √d in step 4. */
export function createScoreView(store: Store<InsideState>) {
  const keys = element('div.inside-keys', { role: 'group', 'aria-label': words.keys });
  let shown: Pass | undefined;
  const query = createSelect<number>({
    label: words.query,
    nameOf: (at) => `${at + 1} ${shown?.tokens[at] ?? ''}`,
    onChoose: (at) => store.change({ query: at + 1 === shown?.tokens.length ? 0 : at + 1, key: 0 }),
  });
  const columns = element('span.inside-key-columns.soft');
  const products = createProductsChart();
  const divisor = createDivisor(store);
  const chart = createDimensionsChart();
  const productsView = element(
    'section.inside-products.stack',
    element(
      'div.inside-title-row.row.unseen-labels',
      products.title,
      boundChoice(store, 'order', words.order, (name) => words.orders[name]),
    ),
    products.root,
    products.readOut,
  );
  const divisorView = element(
    'section.inside-scaling.stack',
    divisor.root,
    element('div.inside-random', element('h4', words.chartTitle), chart.root, chart.sentence),
  );
  const root = element(
    'div.inside-score',
    element(
      'section.inside-against',
      element('div.inside-keys-head.small', query.root, columns),
      keys,
    ),
    productsView,
    divisorView,
  );
  keys.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = [...keys.querySelectorAll('button')];
    const at = all.findIndex((each) => each === document.activeElement);
    if (by === undefined || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    all[(at + by + all.length) % all.length]?.focus();
  });

  return {
    root,
    products: products.chart,
    chart: chart.svg,
    draw(pass: Pass, state: InsideState, shownHead: number): void {
      const scored = scoreOf(pass, shownHead, state);
      const isScaling = state.step === 4;
      root.dataset.step = String(state.step);
      productsView.hidden = isScaling;
      divisorView.hidden = !isScaling;
      withHeadColour(root, shownHead);
      shown = pass;
      query.show(scored.query, range(pass.tokens.length));
      const names = isScaling ? words.columns : ['q · k'];
      columns.replaceChildren(...names.map((name) => element('span', name)));
      render(keysOf(pass, scored, isScaling, store), keys);
      if (isScaling) {
        divisor.draw(pass, state, scored);
        chart.draw(pass.headSize);
      } else products.draw(pass, scored, state.order);
    },
  };
}

/** A row for each key: its dot product in step 3, its score and weight in step 4. */
function keysOf(pass: Pass, scored: Scored, isScaling: boolean, store: Store<InsideState>) {
  const numberOf = (each: Scored['keys'][number]): number => (isScaling ? each.score : each.dot);
  // Bars of scores keep the scale of dot products, so that a division shows as shorter bars.
  const largest = max(scored.keys, ({ dot }) => Math.abs(dot)) ?? 1;
  const signed = (value: number): string => {
    const share = Math.min(50, (50 * Math.abs(value)) / (largest || 1));
    return `width: ${share}%; left: ${value < 0 ? 50 - share : 50}%`;
  };
  return scored.keys.map((each) => {
    const token = pass.tokens[each.key] ?? '';
    const value = numberOf(each);
    return html`<button
      class="inside-key"
      aria-pressed=${each.key === scored.key}
      data-key=${each.key}
      data-dot=${each.dot}
      data-score=${each.score}
      data-weight=${each.weight}
      tabindex=${each.key === scored.key ? 0 : -1}
      @click=${() => store.change({ key: each.key + 1 })}
    >
      <span class="inside-key-name clipped">${token}</span>
      <span class="inside-signed"
        ><span data-negative=${value < 0 ? '' : nothing} .style=${signed(value)}></span
      ></span>
      <span class="inside-number">${formatSigned(value)}</span>
      ${
        isScaling
          ? html`<span class="inside-weight"
                ><span .style=${`width: ${100 * each.weight}%`}></span
              ></span>
              <span class="inside-number">${formatShort(each.weight)}</span>`
          : nothing
      }
    </button>`;
  });
}

/** In doublings of the divisor, so that √d stands midway between 1 and d. */
const octaves = { min: 0, max: 9, step: 1 / 16 } as const;

/** The slider of the divisor, marks for 1, √d and d, and what the scores and weights become. */
function createDivisor(store: Store<InsideState>) {
  let told = '';
  const slider = createSlider({
    label: words.divisor,
    range: octaves,
    describe: () => told,
    onSlide: (octave, origin) =>
      store.change({ divisor: Math.round(100 * 2 ** octave) / 100 }, origin),
  });
  const value = element('span.inside-divisor-value');
  const marks = element('div.inside-marks', { role: 'group', 'aria-label': words.divisor });
  const readings = element('dl.inside-readings.stack.small');
  return {
    root: element(
      'div.inside-divisor',
      element(
        'p.inside-divisor-name',
        { 'aria-hidden': 'true' },
        element('span.control-label', words.divisor),
        value,
      ),
      slider.root,
      marks,
      readings,
    ),
    draw(pass: Pass, state: InsideState, { keys, deviation, entropy }: Scored) {
      const d = pass.headSize;
      const own = ownDivisor(pass);
      const now = state.divisor === 0 ? own : state.divisor;
      const top = Math.log2(2 * d);
      const largest = formatShort(max(keys, ({ weight }) => weight) ?? NaN);
      told = words.divisorValue(formatSetting(now), largest, formatShort(entropy));
      slider.show(Math.log2(now), top);
      value.textContent = formatShort(now).replace(/\.00$/, '');
      render(
        [
          { name: '1', divisor: 1, at: 1 },
          {
            name: isOwnDivisorRoot(pass) ? `√d = ${formatShort(own)}` : formatShort(own),
            ...{ divisor: 0, at: own },
          },
          { name: `d = ${d}`, divisor: d, at: d },
        ].map(
          ({ name, divisor, at }) =>
            html`<button
              aria-pressed=${state.divisor === divisor}
              .style=${`--at: ${Math.log2(at) / top}`}
              @click=${() => store.change({ divisor })}
            >
              ${name}
            </button>`,
        ),
        marks,
      );
      render(
        [
          ['weight', words.largest, largest],
          [
            'entropy',
            words.entropy,
            words.ofAtMost(formatShort(entropy), formatShort(Math.log(keys.length))),
          ],
          ['deviation', words.deviation, formatShort(deviation)],
        ].map(
          ([name, label, reading]) =>
            html`<div data-reading=${name}>
              <dt>${label}</dt>
              <dd>${reading}</dd>
            </div>`,
        ),
        readings,
      );
    },
  };
}
