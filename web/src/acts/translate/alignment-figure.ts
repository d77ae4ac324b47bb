import { range } from 'd3-array';
import { headColour } from 'headwise/view';

import { createHatch, hatchFill } from '../../attention/weight-legend.js';
import { newId, setAttributes, svg } from '../../ui/dom.js';
import { isoLength, maxDateLength, type Part, partsOfAnswer } from '../../worker/dates.js';
import { leastShown, ribbonOf } from './ribbon.js';
import type { Shown } from './shown.js';
import { words } from './words.js';

const keyPitch = 40;
const box = 34;
const width = maxDateLength * keyPitch;
const queryPitch = width / isoLength;
const keyTop = 38;
const boxHeight = 38;

/** On a phone the answer is further below the question, and larger: fingers are not. */
interface Geometry {
  readonly queryTop: number;
  readonly height: number;
  readonly scale: number;
  /** Room at both sides, where the character stands that a wrong one at the end should be. */
  readonly side: number;
}
const wide: Geometry = { queryTop: 164, height: 242, scale: 1, side: 0 };
const narrow: Geometry = { queryTop: 330, height: 440, scale: 1.5, side: 12 };
const isNarrow = window.matchMedia('(max-width: 42rem)');

const thickest = 11;

interface Events {
  /** The pointer or the focus is on a query, counted from 0, or on none. */
  readonly onLook: (query: number | undefined) => void;
  readonly onChoose: (query: number) => void;
}

export interface AlignmentFigure {
  readonly root: SVGSVGElement;
  /** `query`, counted from 0, is shown alone; `head` likewise. */
  draw(shown: Shown, query: number | undefined, head: number | undefined): void;
}

interface Box {
  readonly root: SVGGElement;
  readonly frame: SVGRectElement;
  readonly sign: SVGTextElement;
}

const createBox = (attributes: Parameters<typeof svg>[1] = {}): Box => {
  const frame = svg('rect', {
    class: 'align-box',
    x: -box / 2,
    width: box,
    height: boxHeight,
    rx: 5,
  });
  const sign = svg('text', { class: 'align-sign', y: boxHeight / 2 });
  const root = svg('g', attributes, frame, sign);
  return { root, frame, sign };
};

const keyX = (key: number): number => (key + 0.5) * keyPitch;
const queryX = (query: number): number => (query + 0.5) * queryPitch;

/** Input characters above, output characters below, and a curve for each weight, in its head's colour. */
export function createAlignmentFigure({ onLook, onChoose }: Events): AlignmentFigure {
  const hatchId = newId('align-hatch');
  const keys = range(maxDateLength).map((key) =>
    createBox({ transform: `translate(${keyX(key)} ${keyTop})` }),
  );
  const queries = range(isoLength).map((query) =>
    createBox({
      class: 'align-query',
      role: 'button',
      tabindex: query === 0 ? 0 : -1,
      'aria-label': words.output(query + 1),
    }),
  );
  const expected = queries.map(() =>
    svg('text', { class: 'align-expected', x: box / 2 + 2, y: boxHeight - 8 }),
  );
  // More than the box itself can be hit.
  for (const query of queries) {
    const hit = { x: -box / 2 - 6, y: -12, width: box + 12, height: boxHeight + 36 };
    query.root.prepend(svg('rect', { class: 'align-hit', ...hit }));
  }
  const curves = svg('g', { class: 'align-curves', 'aria-hidden': 'true' });
  const keyParts = svg('g', { class: 'align-parts', 'aria-hidden': 'true' });
  const queryParts = svg('g', { class: 'align-parts', 'aria-hidden': 'true' });
  const root = svg(
    'svg',
    {
      class: 'align-figure',
      role: 'group',
      'aria-label': words.figure,
    },
    svg('defs', {}, createHatch(hatchId)),
    keyParts,
    curves,
    svg('g', { 'aria-hidden': 'true' }, ...keys.map((key) => key.root)),
    svg('g', { role: 'group', 'aria-label': words.queries }, ...queries.map((each) => each.root)),
    // Not in the boxes, whose names say it in words.
    svg('g', { 'aria-hidden': 'true' }, ...expected),
    queryParts,
  );

  let geometry: Geometry | undefined;
  const place = (next: Geometry): void => {
    if (geometry === next) return;
    geometry = next;
    const { queryTop, height, scale, side } = next;
    setAttributes(root, { viewBox: `${-side} 0 ${width + 2 * side} ${height}` });
    queries.forEach((each, i) => {
      const transform = `translate(${queryX(i)} ${queryTop}) scale(${scale})`;
      each.root.setAttribute('transform', transform);
      expected[i].setAttribute('transform', transform);
    });
    queryParts.replaceChildren(...queryPartsOf(next));
  };

  const placeNow = (): Geometry => {
    const now = isNarrow.matches ? narrow : wide;
    place(now);
    return now;
  };
  placeNow();

  const focusOn = (query: number): void => {
    queries.forEach((each, i) => {
      each.root.setAttribute('tabindex', i === query ? '0' : '-1');
    });
  };
  queries.forEach((each, query) => {
    each.root.addEventListener('pointerenter', ({ pointerType }) => {
      if (pointerType !== 'touch') onLook(query);
    });
    each.root.addEventListener('focus', () => {
      focusOn(query);
      onLook(query);
    });
    each.root.addEventListener('blur', () => {
      onLook(undefined);
    });
    each.root.addEventListener('click', () => {
      onChoose(query);
    });
    each.root.addEventListener('keydown', (event) => {
      const to = { ArrowLeft: query - 1, ArrowRight: query + 1, Home: 0, End: isoLength - 1 }[
        event.key
      ];
      if (event.key === 'Enter' || event.key === ' ') onChoose(query);
      else if (to !== undefined) queries[Math.min(Math.max(to, 0), isoLength - 1)].root.focus();
      else return;
      event.preventDefault();
    });
  });
  root.addEventListener('pointerleave', () => {
    onLook(undefined);
  });

  let drawn: Parameters<AlignmentFigure['draw']> | undefined;
  // A phone that is turned.
  isNarrow.addEventListener('change', () => {
    if (drawn !== undefined) draw(...drawn);
  });

  return { root, draw };

  function draw(shown: Shown, query: number | undefined, head: number | undefined): void {
    drawn = [shown, query, head];
    const now = placeNow();
    const { text, answer, question } = shown;
    const sources = query === undefined ? [] : (question?.sources[query] ?? []);
    keys.forEach(({ frame, sign }, key) => {
      const character = text.charAt(key);
      sign.textContent = character === ' ' ? '␣' : character;
      setAttributes(sign, { 'data-soft': character === ' ' });
      setAttributes(frame, {
        fill: character === '' ? hatchFill(hatchId) : undefined,
        'data-padding': character === '',
        'data-source': sources.includes(key),
      });
    });
    queries.forEach((each, i) => {
      const character = answer.charAt(i);
      const right = question?.answer.charAt(i);
      const isWrong = right !== undefined && character !== right;
      each.sign.textContent = character === ' ' ? '␣' : character;
      expected[i].textContent = isWrong ? right : '';
      setAttributes(each.root, {
        'aria-pressed': i === query ? 'true' : 'false',
        'aria-label': shown.sentenceOf(i),
        'data-wrong': isWrong,
      });
    });
    showKeyParts(keyParts, question?.parts ?? []);
    curves.replaceChildren(...curvesOf(shown, now, query, head));
  }
}

/** The thin lines first, so that the thick ones are seen. */
function curvesOf(
  shown: Shown,
  { queryTop }: Geometry,
  query: number | undefined,
  head: number | undefined,
): SVGElement[] {
  const { heads, text } = shown;
  const lines: { readonly weight: number; readonly drawn: SVGPathElement }[] = [];
  for (let h = 0; h < heads; h += 1) {
    if (head !== undefined && h !== head) continue;
    // Heads side by side, so that none covers another.
    const aside = head === undefined ? (h - (heads - 1) / 2) * (heads > 2 ? 6 : 9) : 0;
    for (let q = 0; q < isoLength; q += 1) {
      for (let key = 0; key < text.length; key += 1) {
        const weight = shown.weightOf(h, q, key);
        if (weight < leastShown) continue;
        const [x, from] = [queryX(q) + aside, keyX(key) + aside / 2];
        const [top, bottom] = [keyTop + boxHeight + 2, queryTop - 2];
        const drawn = svg('path', {
          class: 'align-curve',
          d: ribbonOf({ x, from, top, bottom }),
          'stroke-width': Math.max(
            1,
            thickest * weight * (heads > 2 && head === undefined ? 0.6 : 1),
          ),
          'stroke-opacity': 0.2 + 0.8 * Math.min(weight, 1),
          'data-dim': query !== undefined && q !== query,
        });
        drawn.style.setProperty('stroke', headColour(h));
        lines.push({ weight, drawn });
      }
    }
  }
  return lines.sort((a, b) => a.weight - b.weight).map(({ drawn }) => drawn);
}

/** A line along each part, with its name. */
function partMark(part: Part, from: number, to: number, y: number, nameY: number): SVGElement[] {
  return [
    svg('line', { class: 'align-part', x1: from, x2: to, y1: y, y2: y }),
    svg('text', { class: 'align-part-name', x: (from + to) / 2, y: nameY }, words.parts[part]),
  ];
}

function showKeyParts(root: SVGGElement, parts: readonly (Part | undefined)[]): void {
  const marks = [...new Set(parts)].flatMap((part) => {
    if (part === undefined) return [];
    const [first, last] = [parts.indexOf(part), parts.lastIndexOf(part)];
    return partMark(part, keyX(first) - box / 2, keyX(last) + box / 2, keyTop - 9, keyTop - 24);
  });
  root.replaceChildren(...marks);
}

function queryPartsOf({ queryTop, scale }: Geometry): SVGElement[] {
  return (['year', 'month', 'day'] as const).flatMap((part) => {
    const [first, last] = [partsOfAnswer.indexOf(part), partsOfAnswer.lastIndexOf(part)];
    const y = queryTop + boxHeight * scale + 9;
    const half = (scale * box) / 2;
    return partMark(part, queryX(first) - half, queryX(last) + half, y, y + 18 * scale);
  });
}
