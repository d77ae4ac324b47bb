import { maxIndex, range } from 'd3-array';

import { formatShort } from '../../format/numbers.js';
import { element, setAttributes, svg, withHeadColour } from '../../ui/dom.js';
import {
  geometryFor,
  listenToTokens,
  setTabStop,
  type TokenEvents,
} from '../../ui/token-buttons.js';
import { type Head, nameOfHead } from '../../worker/heads.js';
import { type ScoreName, symbolOf } from '../../worker/training.js';
import type { Moment, RunRecord } from './run.js';
import { words } from './words.js';

/** A key that a head attends to, from a query; positions from 0. */
interface Look {
  readonly place: Head;
  readonly query: number;
  readonly key: number;
  readonly weight: number;
}

/** What a query does: the key it attends to in a later layer, and what that key itself attended to in a layer before. */
interface Composition {
  readonly look: Look;
  readonly back: Look | undefined;
}

/**
 * The head of a later layer that looks most at what the task asks for, or the chosen one; and of the layers before it
 * the head that looks most at the previous token.
 */
export function compositionOf(
  record: RunRecord,
  moment: Moment,
  query: number,
  chosen: Head | undefined,
): Composition {
  const { places, scores } = record;
  const bestOf = (some: readonly Head[], name: ScoreName): Head =>
    some[maxIndex(some, (place) => record.scoreAt(moment.measurement, place, name))];
  /** The key with the largest weight of a head's query. */
  const lookOf = (place: Head, from: number): Look => {
    const start = from * record.length;
    const row = record.mapOf(moment, place).subarray(start, start + from + 1);
    const key = Math.max(0, maxIndex(row));
    return { place, query: from, key, weight: row[key] };
  };
  const later = places.filter(({ layer }) => layer > 0);
  const asked = chosen !== undefined && (chosen.layer > 0 || later.length === 0) ? [chosen] : [];
  const candidates = [asked, later, places].find(({ length }) => length > 0) ?? places;
  const look = lookOf(bestOf(candidates, scores[0]), query);
  const earlier = places.filter(({ layer }) => layer < look.place.layer);
  const back =
    earlier.length === 0 ? undefined : lookOf(bestOf(earlier, 'previousToken'), look.key);
  return { look, back };
}

/** In units of the drawing. */
const pitch = 48;
const box = 40;
const thickest = 6;

/** On a phone all that is not the width of a token is larger: letters and fingers are not smaller there. */
interface Geometry {
  readonly tokenTop: number;
  readonly boxHeight: number;
  /** From one line of letters to the next. */
  readonly line: number;
  readonly height: number;
  /** How far arcs go up and down, however far apart their ends. */
  readonly rise: number;
}
const wide: Geometry = { tokenTop: 58, boxHeight: 32, line: 20, height: 168, rise: 28 };
const narrow: Geometry = { tokenTop: 200, boxHeight: 76, line: 50, height: 540, rise: 130 };

/**
 * The shown sequence with two arcs: above the tokens from a query to the key that a head of a later layer attends to, and
 * below them from that key to what it attended to itself, in a layer before.
 */
export function createCompositionFigure(events: TokenEvents) {
  const arcs = svg('g', { 'aria-hidden': 'true' });
  const strip = svg('g', { role: 'group', 'aria-label': words.composition });
  // Not in the tokens, whose names have them.
  const targets = svg('g', { 'aria-hidden': 'true' });
  const drawing = svg('svg.composition-drawing.drawing', targets, arcs, strip);
  const sentence = element('p.composition-sentence');
  let tokens: readonly SVGGElement[] = [];
  let built: RunRecord | undefined;
  let geometry: Geometry | undefined;
  let drawn: readonly [RunRecord, number, Composition] | undefined;
  const geometryNow = geometryFor(wide, narrow, () => {
    if (drawn !== undefined) draw(...drawn);
  });
  listenToTokens(drawing, () => tokens, events);

  function build(record: RunRecord, next: Geometry): void {
    built = record;
    geometry = next;
    const { length } = record;
    setAttributes(drawing, { viewBox: `0 0 ${length * pitch} ${next.height}` });
    tokens = range(length).map((position) =>
      createToken(middleOf(position), next, symbolAt(record, position)),
    );
    strip.replaceChildren(...tokens);
    // No task asks for anything at the first token.
    const y = next.tokenTop + next.boxHeight + next.line / 2 + 2;
    targets.replaceChildren(
      svg('text.composition-targets', { x: 4, y }, words.target),
      ...range(length).map((position) => {
        const target = { class: 'composition-target', x: middleOf(position), y };
        return svg('text', target, targetOf(record, position) ?? '');
      }),
    );
  }

  /** `query` from 0. */
  function draw(record: RunRecord, query: number, composition: Composition): void {
    const { look, back } = composition;
    drawn = [record, query, composition];
    const now = geometryNow();
    if (built !== record || geometry !== now) build(record, now);
    const told = ({ place, key, weight }: Look): Parameters<typeof words.oneLook>[2] => ({
      ...{ ...place, key },
      symbol: symbolAt(record, key),
      weight: formatShort(weight),
    });
    const at = [query + 1, symbolAt(record, query), told(look)] as const;
    const said = back === undefined ? words.oneLook(...at) : words.twoLooks(...at, told(back));
    sentence.textContent = said;
    tokens.forEach((token, position) => {
      const isQuery = position === query;
      setAttributes(token, {
        'aria-label': isQuery ? said : nameOf(record, position),
        'aria-pressed': String(isQuery),
        'data-key': position === look.key || position === back?.key,
      });
    });
    setTabStop(tokens, query);
    const { tokenTop, boxHeight, line } = now;
    const right = record.length * pitch;
    arcs.replaceChildren(
      ...arcOf(look, now, tokenTop - 4, -1, right),
      ...(back === undefined ? [] : arcOf(back, now, tokenTop + boxHeight + line + 6, 1, right)),
    );
  }

  return { root: element('figure.composition', drawing, sentence), drawing, draw };
}

const symbolAt = ({ start, options }: RunRecord, position: number): string =>
  symbolOf(options.task, start.tokens[position]);

/** What a token asks for, if anything. */
function targetOf({ start, options }: RunRecord, position: number): string | undefined {
  const target = start.targets[position];
  return target < 0 ? undefined : symbolOf(options.task, target);
}

function nameOf(record: RunRecord, position: number): string {
  return words.token(position + 1, symbolAt(record, position), targetOf(record, position));
}

const middleOf = (position: number): number => (position + 0.5) * pitch;

/** An arc between two tokens, an arrow at the key, and beside its top the head and the weight. */
function arcOf(
  { place, query, key, weight }: Look,
  { rise, line }: Geometry,
  y: number,
  sign: 1 | -1,
  width: number,
): SVGElement[] {
  const [from, to] = [middleOf(query), middleOf(key)];
  // A query that attends to itself: a loop as wide as its box.
  const [left, right] = from === to ? [to - 8, from + 8] : [to, from];
  const bend = sign * (4 / 3) * rise * Math.min(1, 0.5 + (query - key) / 12);
  const path = svg('path.composition-arc', {
    d: `M${right},${y}C${right},${y + bend} ${left},${y + bend} ${left},${y}`,
    'stroke-width': Math.max(1, thickest * weight),
    'data-weight': weight,
    'data-head': nameOfHead(place),
    'data-key': key + 1,
  });
  const arrow = svg('path.composition-arrow', {
    d: `M${left},${y - sign * 2}l-8,${sign * 13}h16z`,
  });
  const aside = 4 * line;
  const label = svg(
    'text.composition-label',
    {
      x: Math.min(Math.max((left + right) / 2, aside), width - aside),
      y: y + 0.75 * bend + sign * line * (sign < 0 ? 0.5 : 0.85),
    },
    words.arc(place, formatShort(weight)),
  );
  return [withHeadColour(path, place.head), withHeadColour(arrow, place.head), label];
}

function createToken(x: number, { tokenTop, boxHeight, line }: Geometry, symbol: string) {
  const hit = { x: -pitch / 2, y: tokenTop - 12, width: pitch, height: boxHeight + line + 20 };
  const frame = { x: -box / 2, y: tokenTop, width: box, height: boxHeight, rx: 5 };
  return svg(
    'g.composition-token.token-button',
    { role: 'button', transform: `translate(${x} 0)` },
    svg('rect.token-hit', hit),
    svg('rect.composition-box.token-box', frame),
    svg('text.composition-sign', { y: tokenTop + boxHeight / 2 }, symbol),
  );
}
