import { extent, max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { nothing, svg } from 'lit-html';

import { signedColours } from '../../attention/colour.js';
import { formatNumber, formatShort, formatSigned } from '../../format/numbers.js';
import { createChart } from '../../ui/chart.js';
import { element, setAttributes } from '../../ui/dom.js';
import type { Pass } from './pass.js';
import { type Product, productsOf, type Scored } from './score.js';
import type { InsideState } from './state.js';
import { words } from './words.js';

const [left, right] = [44, 60] as const;
const strip = { height: 18, gap: 4 } as const;
const sums = { top: 78, height: 92 } as const;
const height = sums.top + sums.height + 8;

/** q, k and their products as strips, and the sum of the products as it grows to the dot product. */
export function createProductsChart() {
  const title = element('h4');
  const readOut = element('p.read-out');
  const chart = createChart({
    label: words.order,
    height,
    draw({ width }) {
      shownWidth = width;
      return drawingOf(shown?.products ?? [], looked, width);
    },
  });
  setAttributes(chart.root, { 'aria-hidden': 'true' });
  // One stop of Tab, and the arrow keys within.
  const root = element('div.inside-strips', { role: 'slider', tabindex: 0 }, chart.root);
  let shown: { readonly pass: Pass; readonly scored: Scored; products: Product[] } | undefined;
  /** The place that is looked at, and where the arrow keys are. */
  let looked: number | undefined;
  let place = 0;
  let shownWidth = 0;

  function draw(): void {
    if (shown === undefined) return;
    const { pass, scored, products } = shown;
    chart.draw();
    const at = looked ?? place;
    setAttributes(root, {
      'aria-label': title.textContent,
      'aria-valuemin': 1,
      'aria-valuemax': products.length,
      'aria-valuenow': at + 1,
      'aria-valuetext': products[at] && sentenceOf(products[at]),
    });
    const now = looked === undefined ? undefined : products[looked];
    readOut.textContent = now === undefined ? summaryOf(pass, scored, products) : sentenceOf(now);
  }
  const look = (at: number | undefined): void => {
    if (looked === at) return;
    looked = at;
    draw();
  };
  root.addEventListener('pointermove', ({ clientX }) => {
    const count = shown?.products.length ?? 0;
    const from = chart.root.getBoundingClientRect().left + left;
    const at = Math.floor(((clientX - from) / (shownWidth - left - right)) * count);
    look(at >= 0 && at < count ? at : undefined);
  });
  for (const event of ['pointerleave', 'blur']) {
    root.addEventListener(event, () => look(undefined));
  }
  root.addEventListener('focus', () => {
    if (root.matches(':focus-visible')) look(place);
  });
  root.addEventListener('keydown', (event) => {
    const last = (shown?.products.length ?? 1) - 1;
    const to = {
      ...{ ArrowLeft: place - 1, ArrowDown: place - 1 },
      ...{ ArrowRight: place + 1, ArrowUp: place + 1, Home: 0, End: last },
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    place = Math.min(Math.max(to, 0), last);
    look(place);
  });

  return {
    ...{ root, chart: chart.root, title, readOut },
    draw(pass: Pass, scored: Scored, order: InsideState['order']): void {
      shown = { pass, scored, products: productsOf(scored, order) };
      place = Math.min(place, shown.products.length - 1);
      if (looked !== undefined && looked >= shown.products.length) looked = undefined;
      const [query, key] = [scored.query, scored.key].map((at) => pass.tokens[at] ?? '');
      title.textContent = words.productsTitle(query, key);
      draw();
    },
  };
}

const sentenceOf = ({ column, q, k, product }: Product): string =>
  words.productOf(column + 1, formatNumber(q), formatNumber(k), formatNumber(product), product < 0);

/** How many products raise the dot product, how many lower it, and by how much. */
function summaryOf(pass: Pass, { query, key }: Scored, products: readonly Product[]): string {
  const total = (sign: 1 | -1): [count: number, sum: string] => {
    const some = products.filter(({ product }) => Math.sign(product) === sign);
    return [some.length, formatShort(Math.abs(sum(some, ({ product }) => product)))];
  };
  return words.summary(
    ...([pass.tokens[query] ?? '', pass.tokens[key] ?? ''] as const),
    ...total(1),
    ...total(-1),
    formatShort(products.at(-1)?.after ?? NaN),
  );
}

function drawingOf(products: readonly Product[], looked: number | undefined, width: number) {
  const side = (width - left - right) / products.length;
  const gap = side > 6 ? 1 : 0.3;
  const xOf = (place: number): number => left + place * side;
  const largestOf = (name: 'q' | 'k' | 'product'): number =>
    max(products, (each) => Math.abs(each[name])) ?? 0;
  const components = signedColours(Math.max(largestOf('q'), largestOf('k'))).fill;
  const fills = { q: components, k: components, product: signedColours(largestOf('product')).fill };
  const dot = products.at(-1)?.after ?? NaN;
  const [lowest = 0, highest = 0] = extent([0, ...products.map(({ after }) => after)]);
  const y = scaleLinear(
    [lowest, highest === lowest ? lowest + 1 : highest],
    [sums.top + sums.height, sums.top],
  );
  const end = width - right;
  return svg`
    ${(['q', 'k', 'product'] as const).map((name, row) => {
      const top = row * (strip.height + strip.gap);
      return svg`<text class="inside-strip-name" x=${left - 8} y=${top + strip.height / 2}>${words.strips[name]}</text>
        <g class="inside-strip" data-strip=${name}>${products.map(
          (each, place) =>
            svg`<rect x=${xOf(place)} y=${top} width=${side - gap} height=${strip.height}
              .style=${`fill: ${fills[name](each[name])}`} data-column=${each.column} data-value=${each[name]}></rect>`,
        )}</g>`;
    })}
    <line class="chart-base" x1=${left} x2=${end} y1=${y(0)} y2=${y(0)}></line>
    <text class="inside-strip-name" x=${left - 8} y=${y(0)}>0</text>
    <text class="inside-strip-name" x=${left - 8}
      y=${y(0) < sums.top + 20 ? sums.top + sums.height - 6 : sums.top + 6}>${words.strips.sum}</text>
    ${products.map(
      ({ product, before, after }, place) =>
        svg`<rect class="inside-sum" x=${xOf(place)} y=${Math.min(y(before), y(after))} width=${side - gap}
          height=${Math.max(Math.abs(y(after) - y(before)), 1)}
          data-negative=${product < 0 ? '' : nothing} data-after=${after}></rect>`,
    )}
    <line class="inside-dot-line" x1=${xOf(products.length - 1)} x2=${end + 4} y1=${y(dot)} y2=${y(dot)}></line>
    <text class="inside-dot-name" x=${end + 7} y=${y(dot)}>${formatSigned(dot)}</text>
    ${
      looked === undefined
        ? nothing
        : svg`<rect class="inside-looked" x=${xOf(looked) - 1} y="-2" width=${side - gap + 2} height=${height} rx="2"></rect>`
    }`;
}
