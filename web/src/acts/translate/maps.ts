import { range } from 'd3-array';
import { headColour } from 'headwise/view';

import { weightColours } from '../../attention/colour.js';
import { createHatch, hatchFill } from '../../attention/weight-legend.js';
import { formatPercent } from '../../format/numbers.js';
import { element, newId, setAttributes, svg } from '../../ui/dom.js';
import type { AlignmentMeasurement } from '../../worker/alignment.js';
import { isoLength, maxDateLength, parts } from '../../worker/dates.js';
import { alignmentAt, readingOf } from './findings.js';
import type { Shown } from './shown.js';
import { words } from './words.js';

const pitch = 20;
const edge = 24;
const width = edge + maxDateLength * pitch;
const height = edge + isoLength * pitch;

interface Events {
  readonly onLook: (query: number | undefined) => void;
  readonly onChoose: (head: number) => void;
}

export interface HeadMaps {
  readonly root: HTMLElement;
  draw(
    shown: Shown,
    latest: AlignmentMeasurement | undefined,
    query: number | undefined,
    head: number | undefined,
  ): void;
}

/** The weights of each head for the date that is shown, and how well the head aligns with others. */
export function createHeadMaps({ onLook, onChoose }: Events): HeadMaps {
  const root = element('div', { class: 'align-maps', role: 'group', 'aria-label': words.maps });
  let cards: readonly Card[] = [];
  return {
    root,
    draw(shown, latest, query, head) {
      const { heads } = shown;
      if (cards.length !== heads) {
        cards = range(heads).map((each) => createCard(each, onLook, onChoose));
        root.replaceChildren(...cards.map((card) => card.root));
      }
      const reading = latest === undefined ? [] : readingOf(latest, heads);
      cards.forEach((card, own) => {
        const isAlone = head === own;
        card.draw(shown, query);
        card.show(isAlone, head !== undefined && !isAlone);
        if (latest === undefined) return;
        card.measure(
          parts.map((_part, i) => ({
            share: alignmentAt(latest, own, i),
            uniform: latest.uniform[i] ?? NaN,
            isBest: heads > 1 && reading[i].isSpecialist && reading[i].best.head === own,
          })),
        );
      });
    },
  };
}

interface Measured {
  readonly share: number;
  readonly uniform: number;
  readonly isBest: boolean;
}

interface Card {
  readonly root: HTMLElement;
  draw(shown: Shown, query: number | undefined): void;
  show(isAlone: boolean, isDim: boolean): void;
  /** In the order of `parts`. */
  measure(measured: readonly Measured[]): void;
}

function createCard(head: number, onLook: Events['onLook'], onChoose: Events['onChoose']): Card {
  const hatchId = newId('align-map-hatch');
  const chip = element(
    'button',
    { type: 'button', class: 'align-chip', 'aria-label': words.headAlone(head + 1) },
    element('span', { class: 'align-swatch', 'aria-hidden': 'true' }),
    words.head(head + 1),
  );
  chip.addEventListener('click', () => {
    onChoose(head);
  });
  const cells = range(isoLength).map((query) =>
    range(maxDateLength).map((key) =>
      svg('rect', {
        x: edge + key * pitch,
        y: edge + query * pitch,
        width: pitch,
        height: pitch,
      }),
    ),
  );
  const keySigns = range(maxDateLength).map((key) =>
    svg('text', { class: 'align-map-sign', x: edge + (key + 0.5) * pitch, y: edge / 2 }),
  );
  const querySigns = range(isoLength).map((query) =>
    svg('text', { class: 'align-map-sign', x: edge / 2, y: edge + (query + 0.5) * pitch }),
  );
  const outlines = svg('g');
  const row = svg('rect', {
    class: 'align-row',
    x: edge - 1,
    width: width - edge + 1,
    height: pitch,
  });
  const drawing = svg(
    'svg',
    { class: 'align-map', viewBox: `0 0 ${width} ${height}`, role: 'img' },
    svg('defs', {}, createHatch(hatchId)),
    svg('g', { 'shape-rendering': 'crispEdges' }, ...cells.flat()),
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
  drawing.addEventListener('pointerleave', () => {
    onLook(undefined);
  });
  const meters = parts.map((part) => createMeter(words.parts[part]));
  const root = element(
    'div',
    { class: 'align-card' },
    chip,
    drawing,
    element('dl', { class: 'align-meters' }, ...meters.map((meter) => meter.root)),
  );
  root.style.setProperty('--head', headColour(head));
  let outlined: Shown['question'] | null = null;

  return {
    root,
    draw(shown, query) {
      const { text, answer, question } = shown;
      cells.forEach((ofQuery, q) => {
        ofQuery.forEach((cell, key) => {
          const isPadding = key >= text.length;
          const fill = isPadding
            ? hatchFill(hatchId)
            : weightColours(head).fill(shown.weightOf(head, q, key));
          if (cell.getAttribute('fill') !== fill) cell.setAttribute('fill', fill);
        });
      });
      keySigns.forEach((sign, key) => {
        sign.textContent = text.charAt(key).replace(' ', '␣');
      });
      querySigns.forEach((sign, q) => {
        sign.textContent = answer.charAt(q).replace(' ', '␣');
      });
      setAttributes(row, {
        'data-shown': query !== undefined,
        y: edge + (query ?? 0) * pitch,
      });
      setAttributes(drawing, { 'aria-label': words.map(head + 1, answer, text) });
      if (outlined?.text === question?.text && outlined !== null) return;
      outlined = question;
      outlines.replaceChildren(...outlinesOf(question?.sources ?? []));
    },
    show(isAlone, isDim) {
      chip.setAttribute('aria-pressed', String(isAlone));
      setAttributes(root, { 'data-dim': isDim });
    },
    measure(measured) {
      meters.forEach((meter, i) => {
        meter.show(measured[i]);
      });
    },
  };
}

/** A frame around the cells of a row that hold the truth. */
function outlinesOf(sources: readonly (readonly number[])[]): SVGElement[] {
  return sources.flatMap((keys, query) => {
    if (keys.length === 0) return [];
    const first = Math.min(...keys);
    return [
      svg('rect', {
        class: 'align-truth',
        x: edge + first * pitch + 1,
        y: edge + query * pitch + 1,
        width: (Math.max(...keys) - first + 1) * pitch - 2,
        height: pitch - 2,
      }),
    ];
  });
}

interface Meter {
  readonly root: HTMLElement;
  show(measured: Measured): void;
}

/** A share as a bar, with a mark where uniform weights would be. */
function createMeter(name: string): Meter {
  const bar = element('span', { class: 'align-bar', 'aria-hidden': 'true' });
  const number = element('span', { class: 'align-share' });
  const root = element(
    'div',
    { class: 'align-meter' },
    element('dt', {}, name),
    element('dd', {}, bar, number),
  );
  return {
    root,
    show({ share, uniform, isBest }) {
      bar.style.setProperty('--share', `${100 * share}%`);
      bar.style.setProperty('--uniform', `${100 * uniform}%`);
      number.textContent = formatPercent(share);
      setAttributes(root, { 'data-best': isBest, title: isBest ? words.best : undefined });
    },
  };
}
