import { cross, range } from 'd3-array';
import { headColour } from 'headwise/view';

import { weightColours } from '../../attention/colour.js';
import { createHatch, hatchFill } from '../../attention/weight-legend.js';
import { words as mapWords } from '../../attention/words.js';
import { formatPercent } from '../../format/numbers.js';
import { element, newId, setAttributes, svg } from '../../ui/dom.js';
import type { TokenEvents } from '../../ui/token-buttons.js';
import type { AlignmentMeasurement } from '../../worker/alignment.js';
import { isoLength, maxDateLength, parts } from '../../worker/dates.js';
import { alignmentAt, readingOf, type Shown, signOf } from './run.js';
import { words } from './words.js';

const pitch = 20;
const edge = 24;
const width = edge + maxDateLength * pitch;
const height = edge + isoLength * pitch;
const at = (place: number): number => edge + place * pitch;

/** The weights of each head for the date that is shown, and how well the head aligns with others. */
export function createHeadMaps(events: TokenEvents) {
  const root = element('div.align-maps', { role: 'group', 'aria-label': words.maps });
  let cards: readonly ReturnType<typeof createCard>[] = [];
  return {
    root,
    draw(
      shown: Shown,
      latest: AlignmentMeasurement | undefined,
      query: number | undefined,
      head: number | undefined,
    ): void {
      const { heads } = shown;
      if (cards.length !== heads) {
        cards = range(heads).map((each) => createCard(each, events));
        root.replaceChildren(...cards.map((card) => card.root));
      }
      const reading = latest === undefined ? [] : readingOf(latest, heads);
      cards.forEach((card, own) => {
        card.draw(shown, query, head);
        if (latest === undefined) return;
        reading.forEach(({ isSpecialist, best }, i) => {
          const isBest = heads > 1 && isSpecialist && best.head === own;
          card.meters[i].show(alignmentAt(latest, own, i), latest.uniform[i] ?? NaN, isBest);
        });
      });
    },
  };
}

function createCard(head: number, { onLook, onChoose }: TokenEvents) {
  const hatchId = newId('align-map-hatch');
  const chip = element(
    'button.align-chip',
    { 'aria-label': words.headAlone(head + 1) },
    element('span.align-swatch', { 'aria-hidden': 'true' }),
    mapWords.map.title(head + 1),
  );
  chip.addEventListener('click', () => onChoose(head));
  const cells = cross(range(isoLength), range(maxDateLength), (query, key) => ({
    ...{ query, key },
    square: svg('rect', { x: at(key), y: at(query), width: pitch, height: pitch }),
  }));
  const signsOf = (count: number, place: (middle: number) => Record<'x' | 'y', number>) =>
    range(count).map((i) => svg('text.align-map-sign', place(at(i + 0.5))));
  const keySigns = signsOf(maxDateLength, (x) => ({ x, y: edge / 2 }));
  const querySigns = signsOf(isoLength, (y) => ({ x: edge / 2, y }));
  const outlines = svg('g');
  const row = svg('rect.align-row', { x: edge - 1, width: width - edge + 1, height: pitch });
  const drawing = svg(
    'svg.align-map.drawing',
    { viewBox: `0 0 ${width} ${height}`, role: 'img' },
    svg('defs', createHatch(hatchId)),
    svg('g', { 'shape-rendering': 'crispEdges' }, ...cells.map(({ square }) => square)),
    ...keySigns,
    ...querySigns,
    outlines,
    row,
  );
  drawing.addEventListener('pointermove', (event) => {
    const { top, height: shown } = drawing.getBoundingClientRect();
    const query = Math.floor((((event.clientY - top) / shown) * height - edge) / pitch);
    onLook(query >= 0 && query < isoLength ? query : undefined);
  });
  drawing.addEventListener('pointerleave', () => onLook(undefined));
  const meters = parts.map((part) => createMeter(words.parts[part]));
  const root = element(
    'div.align-card.stack',
    chip,
    drawing,
    element('dl.align-meters.stack.small', ...meters.map((meter) => meter.root)),
  );
  root.style.setProperty('--head', headColour(head));
  let outlined: Shown['question'] | null = null;

  return {
    root,
    /** In the order of `parts`. */
    meters,
    /** `query` and the head that is shown `alone`, counted from 0. */
    draw(shown: Shown, query: number | undefined, alone: number | undefined): void {
      const { text, answer, question } = shown;
      const { fill } = weightColours(head);
      for (const { query: q, key, square } of cells) {
        const isPadding = key >= text.length;
        setAttributes(square, {
          fill: isPadding ? hatchFill(hatchId) : fill(shown.weightOf(head, q, key)),
        });
      }
      keySigns.forEach((sign, key) => {
        sign.textContent = signOf(text.charAt(key));
      });
      querySigns.forEach((sign, q) => {
        sign.textContent = signOf(answer.charAt(q));
      });
      setAttributes(row, { 'data-shown': query !== undefined, y: at(query ?? 0) });
      setAttributes(drawing, { 'aria-label': words.map(head + 1, answer, text) });
      setAttributes(chip, { 'aria-pressed': String(alone === head) });
      setAttributes(root, { 'data-dim': alone !== undefined && alone !== head });
      if (outlined?.text === question?.text && outlined !== null) return;
      outlined = question;
      outlines.replaceChildren(...outlinesOf(question?.sources ?? []));
    },
  };
}

/** A frame around the cells of a row that hold the truth. */
const outlinesOf = (sources: readonly (readonly number[])[]): SVGElement[] =>
  sources.flatMap((keys, query) => {
    if (keys.length === 0) return [];
    const [first, last] = [Math.min(...keys), Math.max(...keys)];
    return [
      svg('rect', {
        ...{ class: 'align-truth', x: at(first) + 1, y: at(query) + 1 },
        ...{ width: (last - first + 1) * pitch - 2, height: pitch - 2 },
      }),
    ];
  });

/** A share as a bar, with a mark where uniform weights would be. */
function createMeter(name: string) {
  const bar = element('span.align-bar', { 'aria-hidden': 'true' });
  const number = element('span.align-share');
  const root = element('div.align-meter', element('dt.soft', name), element('dd', bar, number));
  return {
    root,
    show(share: number, uniform: number, isBest: boolean): void {
      bar.style.setProperty('--share', `${100 * share}%`);
      bar.style.setProperty('--uniform', `${100 * uniform}%`);
      number.textContent = formatPercent(share);
      setAttributes(root, { 'data-best': isBest, title: isBest ? words.best : undefined });
    },
  };
}
