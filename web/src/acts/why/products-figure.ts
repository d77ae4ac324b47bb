import { extent, max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { signedColours } from '../../attention/colour.js';
import { formatNumber, formatShort, formatSigned } from '../../format/numbers.js';
import { type Chart, createChart, type Size } from '../../ui/chart.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { type Product, productsOf, type Weighed } from './layer.js';
import type { WhyState } from './state.js';
import { words } from './words.js';

export interface ProductsFigure {
  readonly root: HTMLElement;
  readonly chart: SVGSVGElement;
  readonly readOut: HTMLElement;
  /** `key` from 0. */
  draw(weighed: Weighed, key: number, order: WhyState['order']): void;
}

interface Shown {
  readonly weighed: Weighed;
  readonly key: number;
  readonly products: readonly Product[];
}

const [left, right] = [46, 62] as const;
const strip = { height: 20, gap: 4 } as const;
const sums = { top: 88, height: 84 } as const;
const height = sums.top + sums.height + 8;

/** q, k and their products as strips of signed cells, and the sum of the products as it grows to the score. */
export function createProductsFigure(): ProductsFigure {
  const readOut = element('p', { class: 'read-out why-read-out' });
  let shown: Shown | undefined;
  /** The place of the unit that is looked at. */
  let looked: number | undefined;
  /** Where the arrow keys are. */
  let place = 0;
  const chart: Chart = createChart({
    label: words.products,
    height,
    draw: (size) => (shown === undefined ? [] : drawProducts(shown, looked, size)),
  });
  setAttributes(chart.root, { 'aria-hidden': 'true' });
  // The cells are many: one stop of Tab, and the arrow keys within.
  const root = element('div', { class: 'why-products', role: 'slider', tabindex: 0 }, chart.root);

  const tell = (): void => {
    if (shown === undefined) return;
    const { products } = shown;
    const unit = products.at(looked ?? place);
    if (unit !== undefined) {
      setAttributes(root, {
        'aria-label': words.unit,
        'aria-valuemin': 1,
        'aria-valuemax': products.length,
        'aria-valuenow': (looked ?? place) + 1,
        'aria-valuetext': sentenceOf(unit),
      });
    }
    const now = looked === undefined ? undefined : products.at(looked);
    readOut.textContent = now === undefined ? summaryOf(shown) : sentenceOf(now);
  };
  const look = (at: number | undefined): void => {
    if (looked === at) return;
    looked = at;
    chart.draw();
    tell();
  };
  root.addEventListener('pointermove', ({ clientX }) => {
    const { left: from, width } = chart.root.getBoundingClientRect();
    const count = shown?.products.length ?? 0;
    const at = Math.floor(((clientX - from - left) / (width - left - right)) * count);
    look(at >= 0 && at < count ? at : undefined);
  });
  root.addEventListener('pointerleave', () => {
    look(undefined);
  });
  root.addEventListener('focus', () => {
    if (root.matches(':focus-visible')) look(place);
  });
  root.addEventListener('blur', () => {
    look(undefined);
  });
  root.addEventListener('keydown', (event) => {
    const last = (shown?.products.length ?? 1) - 1;
    const to = {
      ...{ ArrowLeft: place - 1, ArrowDown: place - 1 },
      ...{ ArrowRight: place + 1, ArrowUp: place + 1 },
      ...{ Home: 0, End: last },
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    place = Math.min(Math.max(to, 0), last);
    look(place);
  });

  return {
    root,
    chart: chart.root,
    readOut,
    draw(weighed, key, order) {
      shown = { weighed, key, products: productsOf(weighed, key, order) };
      place = Math.min(place, weighed.d - 1);
      if (looked !== undefined && looked >= weighed.d) looked = undefined;
      chart.draw();
      tell();
    },
  };
}

const sentenceOf = ({ unit, q, k, product }: Product): string =>
  (product < 0 ? words.lowers : words.raises)(
    unit + 1,
    formatNumber(q),
    formatNumber(k),
    formatNumber(product),
  );

/** How many products raise the score, how many lower it, and what that comes to. */
function summaryOf({ weighed, key, products }: Shown): string {
  const total = (sign: 1 | -1): [count: number, sum: string] => {
    const some = products.filter(({ product }) => Math.sign(product) === sign);
    return [some.length, formatShort(Math.abs(sum(some, ({ product }) => product)))];
  };
  return words.summary(
    words.tokens[weighed.query] ?? '',
    words.tokens[key] ?? '',
    ...total(1),
    ...total(-1),
    formatShort(weighed.scores[key] ?? NaN),
  );
}

function drawProducts(
  { weighed, key, products }: Shown,
  looked: number | undefined,
  { width }: Size,
): SVGElement[] {
  const { q, k, d, scores } = weighed;
  const side = (width - left - right) / d;
  const gap = side > 6 ? 1 : 0.3;
  const xOf = (place: number): number => left + place * side;
  const largestComponent = max([q, ...k].flat(), Math.abs) ?? 0;
  const largestProduct = max(products, ({ product }) => Math.abs(product)) ?? 0;
  const components = signedColours(largestComponent).fill;
  const fills = {
    q: components,
    k: components,
    product: signedColours(largestProduct).fill,
  };
  const strips = (['q', 'k', 'product'] as const).flatMap((name, row) => {
    const y = row * (strip.height + strip.gap);
    return [
      svg(
        'text',
        { class: 'why-strip-name', x: left - 8, y: y + strip.height / 2 },
        words.strips[name],
      ),
      svg(
        'g',
        { class: 'why-strip', 'data-strip': name },
        ...products.map((each, place) =>
          svg('rect', {
            x: xOf(place),
            y,
            width: side - gap,
            height: strip.height,
            fill: fills[name](each[name]),
            'data-unit': each.unit,
            'data-value': each[name],
          }),
        ),
      ),
    ];
  });
  const score = scores[key] ?? NaN;
  const [lowest = 0, highest = 0] = extent([0, score, ...products.map(({ after }) => after)]);
  const y = scaleLinear(
    [lowest, highest === lowest ? lowest + 1 : highest],
    [sums.top + sums.height, sums.top],
  );
  const waterfall = products.map(({ product, before, after }, place) =>
    svg('rect', {
      class: 'why-sum',
      x: xOf(place),
      y: Math.min(y(before), y(after)),
      width: side - gap,
      height: Math.max(Math.abs(y(after) - y(before)), 1),
      'data-lowers': product < 0,
      'data-after': after,
    }),
  );
  const end = width - right;
  return [
    ...strips,
    svg('line', { class: 'chart-base', x1: left, x2: end, y1: y(0), y2: y(0) }),
    svg('text', { class: 'why-strip-name', x: left - 8, y: y(0) }, '0'),
    svg(
      'text',
      {
        class: 'why-strip-name',
        x: left - 8,
        y: y(0) < sums.top + 20 ? sums.top + sums.height - 6 : sums.top + 6,
      },
      words.strips.sum,
    ),
    ...waterfall,
    svg('line', {
      class: 'why-score-line',
      x1: xOf(d - 1),
      x2: end + 4,
      y1: y(score),
      y2: y(score),
    }),
    svg('text', { class: 'why-score-name', x: end + 7, y: y(score) }, formatSigned(score)),
    ...(looked === undefined
      ? []
      : [
          svg('rect', {
            class: 'why-looked',
            x: xOf(looked) - 1,
            y: -2,
            width: side - gap + 2,
            height: height,
            rx: 2,
          }),
        ]),
  ];
}
