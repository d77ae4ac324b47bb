import { cross, range } from 'd3-array';
import { headColour } from 'headwise/view';

import { createHatch, hatchFill } from '../../attention/weight-legend.js';
import { type Attributes, newId, setAttributes, svg } from '../../ui/dom.js';
import {
  animate,
  animateText,
  colourNow,
  createLoop,
  framesOf,
  shareOf,
} from '../../ui/export/loop.js';
import { geometryFor, listenToTokens, type TokenEvents } from '../../ui/token-buttons.js';
import { isoLength, maxDateLength, type Part, parts, partsOfAnswer } from '../../worker/dates.js';
import { type AlignRecord, type Shown, shownOf, signOf } from './run.js';
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

const thickest = 11;
/** Lighter weights would only be dust. */
export const leastShown = 0.04;

/** A curve between an output character and the input character above it that it attends to. */
interface Ribbon {
  readonly queryX: number;
  readonly keyX: number;
  readonly top: number;
  readonly bottom: number;
  /** Heads run side by side, so that none covers another. */
  readonly head: number;
  readonly heads: number;
}

export function ribbonOf({ queryX, keyX, top, bottom, head, heads }: Ribbon): string {
  const aside = (head - (heads - 1) / 2) * (heads > 2 ? 6 : 9);
  const [x, from, middle] = [queryX + aside, keyX + aside / 2, (top + bottom) / 2];
  return `M${x},${bottom}C${x},${middle} ${from},${middle} ${from},${top}`;
}

const createBox = (attributes: Attributes = {}) => {
  const at = { x: -box / 2, width: box, height: boxHeight, rx: 5 };
  const frame = svg('rect.align-box.token-box', at);
  const sign = svg('text.align-sign', { y: boxHeight / 2 });
  return { root: svg('g', attributes, frame, sign), frame, sign };
};

const keyX = (key: number): number => (key + 0.5) * keyPitch;
const queryX = (query: number): number => (query + 0.5) * queryPitch;

/** Input characters above, output characters below, and a curve for each weight, in its head's colour. */
export function createAlignmentFigure(events: TokenEvents) {
  const hatchId = newId('align-hatch');
  const keys = range(maxDateLength).map((key) =>
    createBox({ transform: `translate(${keyX(key)} ${keyTop})` }),
  );
  const queries = range(isoLength).map((query) => {
    const tabindex = query === 0 ? 0 : -1;
    const created = createBox({ class: 'align-query token-button', role: 'button', tabindex });
    const hit = { x: -box / 2 - 6, y: -12, width: box + 12, height: boxHeight + 36 };
    created.root.prepend(svg('rect.token-hit', hit));
    setAttributes(created.root, { 'aria-label': words.output(query + 1) });
    return created;
  });
  const expected = queries.map(() =>
    svg('text.align-expected', { x: box / 2 + 2, y: boxHeight - 8 }),
  );
  const curves = svg('g.align-curves', { 'aria-hidden': 'true' });
  const keyParts = svg('g.align-parts', { 'aria-hidden': 'true' });
  const queryParts = svg('g.align-parts', { 'aria-hidden': 'true' });
  const root = svg(
    'svg.align-figure.drawing',
    { role: 'group', 'aria-label': words.figure },
    svg('defs', createHatch(hatchId)),
    keyParts,
    curves,
    svg('g', { 'aria-hidden': 'true' }, ...keys.map((key) => key.root)),
    svg('g', { role: 'group', 'aria-label': words.queries }, ...queries.map((each) => each.root)),
    // Not in the boxes, whose names say it in words.
    svg('g', { 'aria-hidden': 'true' }, ...expected),
    queryParts,
  );
  listenToTokens(root, () => queries.map((each) => each.root), events);

  let drawn: readonly [Shown, number | undefined, number | undefined] | undefined;
  const geometryNow = geometryFor(wide, narrow, () => {
    place();
    if (drawn !== undefined) draw(...drawn);
  });
  function place(): void {
    const { queryTop, height, scale, side } = geometryNow();
    setAttributes(root, { viewBox: `${-side} 0 ${width + 2 * side} ${height}` });
    queries.forEach((each, i) => {
      const transform = `translate(${queryX(i)} ${queryTop}) scale(${scale})`;
      for (const part of [each.root, expected[i]]) setAttributes(part, { transform });
    });
    const y = queryTop + boxHeight * scale + 9;
    const half = (scale * box) / 2;
    queryParts.replaceChildren(...partMarks(partsOfAnswer, queryX, half, y, y + 18 * scale));
  }
  place();

  /** `query`, counted from 0, is shown alone; `head` likewise. */
  function draw(shown: Shown, query: number | undefined, head: number | undefined): void {
    drawn = [shown, query, head];
    const { text, answer, question } = shown;
    const sources = query === undefined ? [] : (question?.sources[query] ?? []);
    keys.forEach(({ frame, sign }, key) => {
      const character = text.charAt(key);
      sign.textContent = signOf(character);
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
      each.sign.textContent = signOf(character);
      expected[i].textContent = isWrong ? right : '';
      setAttributes(each.root, {
        'aria-pressed': String(i === query),
        'aria-label': shown.sentenceOf(i),
        'data-wrong': isWrong,
      });
    });
    const marks = partMarks(question?.parts ?? [], keyX, box / 2, keyTop - 9, keyTop - 24);
    keyParts.replaceChildren(...marks);
    curves.replaceChildren(...curvesOf(shown, geometryNow(), query, head));
  }

  return { root, draw };
}

/** The thin lines first, so that the thick ones are seen. */
function curvesOf(
  shown: Shown,
  { queryTop }: Geometry,
  query: number | undefined,
  alone: number | undefined,
): SVGElement[] {
  const { heads, text } = shown;
  const [top, bottom] = [keyTop + boxHeight + 2, queryTop - 2];
  const side = alone === undefined ? { heads } : { head: 0, heads: 1 };
  const thick = thickest * (heads > 2 && alone === undefined ? 0.6 : 1);
  return range(heads)
    .filter((head) => alone === undefined || head === alone)
    .flatMap((head) => cross(range(isoLength), range(text.length), (q, key) => ({ head, q, key })))
    .map((each) => ({ ...each, weight: shown.weightOf(each.head, each.q, each.key) }))
    .filter(({ weight }) => weight >= leastShown)
    .sort((a, b) => a.weight - b.weight)
    .map(({ head, q, key, weight }) => {
      const drawn = svg('path.align-curve', {
        d: ribbonOf({ queryX: queryX(q), keyX: keyX(key), top, bottom, head, ...side }),
        'stroke-width': Math.max(1, thick * weight),
        'stroke-opacity': 0.2 + 0.8 * Math.min(weight, 1),
        'data-dim': query !== undefined && q !== query,
      });
      drawn.style.setProperty('stroke', headColour(head));
      return drawn;
    });
}

/** A line along each part of a date, with its name; `half` a box wide beyond its first and last character. */
function partMarks(
  places: readonly (Part | undefined)[],
  x: (place: number) => number,
  half: number,
  y: number,
  nameY: number,
): SVGElement[] {
  return parts
    .filter((part) => places.includes(part))
    .flatMap((part) => {
      const [from, to] = [x(places.indexOf(part)) - half, x(places.lastIndexOf(part)) + half];
      const name = { class: 'align-part-name', x: (from + to) / 2, y: nameY };
      return [
        svg('line.align-part', { x1: from, x2: to, y1: y, y2: y }),
        svg('text', name, words.parts[part]),
      ];
    });
}

/** Of the loop, in units of its drawing. */
const loop = { keyTop: 40, queryTop: 200 } as const;

/** How the date that is shown was read from step to step: the ribbons of each head, and the answer. */
export function createAlignmentLoop(record: AlignRecord): SVGSVGElement {
  const { text } = record.reading;
  const readings = record.readings.filter(({ reading }) => reading.text === text);
  const frames = framesOf(readings.length).map((i) => ({
    ...shownOf({ ...record, reading: readings[i].reading }),
    step: readings[i].step,
  }));
  const { heads } = record.options;
  const width = Math.max(text.length, isoLength) * keyPitch;
  const queryAt = (query: number): number => (query + 0.5) * (width / isoLength);
  const { keyTop, queryTop } = loop;
  const span = { top: keyTop + box, bottom: queryTop };
  const ribbons = range(heads).flatMap((head) =>
    cross(range(isoLength), range(text.length)).flatMap(([query, key]) => {
      const weights = frames.map(({ weightOf }) => shareOf(weightOf(head, query, key)));
      if (Math.max(...weights) < leastShown) return [];
      const d = ribbonOf({ queryX: queryAt(query), keyX: keyX(key), ...span, head, heads });
      const drawn = svg('path', { d, stroke: colourNow(headColour(head)) });
      return [animate(drawn, 'stroke-opacity', weights)];
    }),
  );
  const character = { y: 25, 'font-size': 22, 'text-anchor': 'middle' };
  const frame = { x: -box / 2, width: box, height: box, rx: 5 };
  const boxAt = (x: number, y: number, ...signs: readonly SVGElement[]): SVGElement =>
    svg(
      'g',
      { transform: `translate(${x} ${y})` },
      svg('rect', { ...frame, fill: 'none', stroke: colourNow('var(--edge)') }),
      ...signs,
    );
  return createLoop(
    width,
    queryTop + box + 2,
    ...animateText(
      frames.map(({ step }) => words.loopStep(step)),
      { y: 16, 'font-weight': 600 },
    ),
    svg(
      'g',
      { fill: 'none', 'stroke-width': heads > 2 ? 5 : 8, 'stroke-linecap': 'round' },
      ...ribbons,
    ),
    ...Array.from(text, (sign, key) => boxAt(keyX(key), keyTop, svg('text', character, sign))),
    ...range(isoLength).map((query) =>
      boxAt(
        queryAt(query),
        queryTop,
        ...animateText(
          frames.map(({ answer }) => answer.charAt(query)),
          character,
        ),
      ),
    ),
  );
}
